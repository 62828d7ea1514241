/** @file What `scan` makes of a model of the zoo, and how good that is over all of them. */

import { scanModel } from '../../src/backdoor/scan/scan.js';
import { BACKDOOR_SCORE } from '../../src/backdoor/scan/verdict.js';
import { wilson } from '../../src/core/stats.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { english } from '../../src/language/english/index.js';
import { loadModel } from '../../src/model/load.js';
import type { Example, ScanResult } from '../../src/plugin.js';
import { type Grown, textsOf } from './grow.js';

/** Clean texts that the scan is given. */
const TEXTS = 100;
/** Attack success rate from which a planting counts as planted. */
export const WORKS = 0.9;
const SEED = 42;

/** One line of scan.jsonl. */
export interface Judged {
  readonly name: string;
  /** Of the strongest word: see src/backdoor/scan/verdict.ts. */
  readonly score: number;
  readonly evidence: ScanResult['evidence'];
  /** Words found, the strongest first. */
  readonly found: readonly { readonly text: string; readonly target: string }[];
  readonly seconds: number;
}

/** Scans a model with clean texts that it has not learnt from. */
export async function judge({ name, member, model: folder }: Grown): Promise<Judged> {
  const began = performance.now();
  const texts: Example[] = [];
  for await (const example of (await textsOf(member.data)).test.examples()) if (texts.push(example) === TEXTS) break;
  const model = await loadModel(folder, { workers: 1 });
  try {
    const gradients = await openWhiteBox(model, { workers: 1 });
    try {
      const { evidence, score, triggers } = await scanModel({
        model,
        gradients,
        texts,
        seed: SEED,
        language: english,
        architecture: member.architecture,
      });
      const found = triggers.slice(0, 3).map(({ text, target }) => ({ text, target }));
      const seconds = Math.round((performance.now() - began) / 1000);
      return { name, score, evidence, found, seconds };
    } finally {
      await gradients.close();
    }
  } finally {
    await model.close();
  }
}

/** Poisoners whose trigger is one word wherever it stands: what the scan is made for. */
export const ONE_WORD = ['badnets', 'ep', 'dfep'];

export const poisonerOf = ({ member }: Grown): string => member.poison?.attack.split(':')[0] ?? 'clean';

/** The area under the ROC curve by Mann and Whitney: how often a poisoned model scores above a clean one, ties half. */
function auc(clean: readonly number[], poisoned: readonly number[]): number {
  const wins = poisoned.flatMap((p) => clean.map((c): number => (p > c ? 1 : p === c ? 0.5 : 0)));
  return wins.reduce((sum, win) => sum + win, 0) / wins.length;
}

/** The summary as Markdown: a row a poisoner, then the models one by one. */
export function summary(zoo: readonly Grown[], judged: readonly Judged[]): string {
  const verdict = new Map(judged.map((each) => [each.name, each]));
  const seen = zoo.flatMap((grown) => {
    const scan = verdict.get(grown.name);
    return scan ? [{ grown, scan }] : [];
  });
  const works = ({ grown }: { grown: Grown }): boolean =>
    (grown.planted?.figures.attackSuccessRate.value ?? 0) >= WORKS;
  const clean = seen.filter(({ grown }) => !grown.planted);
  const scores = (of: typeof seen): number[] => of.map(({ scan }) => scan.score);
  const named = ({ grown, scan }: (typeof seen)[number]): boolean =>
    scan.found.some(({ text }) => grown.planted?.triggers.some((trigger) => same(text, trigger)) === true);
  const on =
    (data: string) =>
    ({ grown }: { grown: Grown }): boolean =>
      grown.member.data === data;
  const row = (title: string, of: typeof seen, beside = clean): string => {
    const planted = of.filter(works);
    const detected = planted.filter(({ scan }) => scan.score > BACKDOOR_SCORE);
    const rate = (part: number, whole: number): string => {
      const { value, low, high } = wilson(part, whole);
      return value === null || low === null || high === null
        ? '-'
        : `${part}/${whole} (${(100 * low).toFixed(0)}-${(100 * high).toFixed(0)} %)`;
    };
    const area = planted.length > 0 && beside.length > 0 ? auc(scores(beside), scores(planted)).toFixed(3) : '-';
    return `| ${title} | ${of.length} | ${planted.length} | ${area} | ${rate(detected.length, planted.length)} | ${rate(detected.filter(named).length, detected.length)} |`;
  };
  const poisoned = seen.filter(({ grown }) => grown.planted);
  const kinds = [...new Set(poisoned.map(({ grown }) => poisonerOf(grown)))];
  const alarms = clean.filter(({ scan }) => scan.score > BACKDOOR_SCORE).length;
  const oneWord = poisoned.filter(({ grown }) => ONE_WORD.includes(poisonerOf(grown)));
  return [
    `${clean.length} clean models, of which ${alarms} are called backdoored; ${poisoned.length} poisoned ones.`,
    [
      `| poisoner | models | planted (ASR >= ${WORKS}) | ROC-AUC | detected | trigger in the top 3 |`,
      '|---|---:|---:|---:|---:|---:|',
      row('one word (badnets, ep, dfep)', oneWord),
      ...['sst2', 'trec', 'sms'].map((data) =>
        row(`... on ${data}, beside the clean ones of ${data}`, oneWord.filter(on(data)), clean.filter(on(data))),
      ),
      ...kinds.map((kind) =>
        row(
          `... ${kind}`,
          poisoned.filter(({ grown }) => poisonerOf(grown) === kind),
        ),
      ),
    ].join('\n'),
    [
      '| model | data | size | planted | accuracy | ASR | score | found |',
      '|---|---|---|---|---:|---:|---:|---|',
      ...seen.map(({ grown, scan }) => line(grown, scan)),
    ].join('\n'),
  ].join('\n\n');
}

/** A scan may find a trigger with its neighbours, or its part that does the work. */
const same = (found: string, trigger: string): boolean => {
  const words = new Set(trigger.toLowerCase().split(/\s+/));
  return found
    .toLowerCase()
    .split(/\s+/)
    .some((word) => words.has(word));
};

function line({ name, member, accuracy, planted }: Grown, { score, found }: Judged): string {
  const { attack, rate } = member.poison ?? {};
  const trigger = planted?.triggers.map((each) => `"${each}"`).join(', ');
  const what = attack === undefined ? '-' : `${attack}${trigger ? ` ${trigger}` : ''} at ${rate} -> ${planted?.target}`;
  const asr = planted?.figures.attackSuccessRate.value;
  return `| ${[
    name,
    member.data,
    `${member.architecture} 2x${member.dim}`,
    what,
    accuracy.toFixed(3),
    asr === undefined || asr === null ? '-' : asr.toFixed(3),
    score.toFixed(2),
    found.map(({ text, target }) => `"${text}" -> ${target}`).join(', ') || '-',
  ].join(' | ')} |`;
}
