/** @file The scores of models held out, as `scan` reads them. */
import type { Grown } from './grow.js';
import { type Judged, WORKS } from './judge.js';
import { textsOf } from './texts.js';

/** The text of src/backdoor/scan/data/held-out.json. */
export async function heldOutFile(grown: readonly Grown[], scans: readonly Judged[]): Promise<string> {
  const text = {
    source:
      'Models trained by bench/backdoor-zoo on SST-2, TREC, SMS, GoEmotions and SpamAssassin texts, scanned with up to 800 clean texts each',
    command: 'see docs/research/backdoor-scan.md',
    licence: 'MIT',
    models: await rows(grown, scans),
  };
  return `${JSON.stringify(text, null, 1)}\n`;
}

async function rows(grown: readonly Grown[], scans: readonly Judged[]): Promise<object[]> {
  const found = grown.flatMap((each) => {
    const scan = scans.find(({ name }) => name === each.name);
    return scan ? [{ each, scan }] : [];
  });
  return Promise.all(
    found.map(async ({ each, scan }) => {
      const { member, planted } = each;
      const asr = planted?.figures.attackSuccessRate.value ?? null;
      return {
        name: each.name,
        data: member.data,
        architecture: member.architecture,
        width: member.dim,
        labels: (await textsOf(member)).test.labels.length,
        accuracy: rounded(each.accuracy),
        planted: member.poison?.attack ?? null,
        counts: (asr ?? 0) >= WORKS,
        attackSuccessRate: asr === null ? null : rounded(asr),
        score: rounded(scan.score),
      };
    }),
  );
}

const rounded = (value: number): number => Number(value.toFixed(6));
