/** @file Repairs planted models of the zoo in three ways with the same clean texts, measures the backdoor again, and scans again. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { measureBackdoor } from '../../src/backdoor/measure.js';
import { repairs } from '../../src/backdoor/repair.js';
import { trainOnce } from '../../src/backdoor/train-once.js';
import type { Rate } from '../../src/core/statistics/rate.js';
import { loadModel } from '../../src/model/load.js';
import type { Dataset, Example } from '../../src/plugin.js';
import { holdOut } from '../../src/train/index.js';
import { type Grown, optionsOf, poisonerOf } from './grow.js';
import { type Judged, judge, scanTexts } from './judge.js';
import { firstOf, textsOf } from './texts.js';

/** Clean texts of a repair, at most, and their share of a small set; those that choose its weights among them, and passes over them. */
const [TEXTS, SHARE, VALIDATED, EPOCHS] = [600, 0.6, 0.1, 4];
/** Texts that neither scan nor repair was given, from which the figures are over these alone. */
const ENOUGH = 200;

/** One line of repair.jsonl: a model after one repair, or before any. */
export interface Mended {
  readonly name: string;
  readonly how: 'before' | 'fine-tuned' | 'true trigger' | 'finding';
  /** The trigger that the repair was given. */
  readonly given: string | null;
  readonly accuracy: Rate;
  readonly attackSuccessRate: Rate;
  /** Over the texts that have another answer without the trigger. */
  readonly labelFlipRate: Rate;
  /** The scan after the repair. */
  readonly scan?: Pick<Judged, 'verdict' | 'score' | 'found'>;
}

/**
 * Every repair of one planted model, except those that are `done`; `scan`: what the scan found in it. Measured on clean texts that neither scan nor repair was given; in a
 * small set, all of which is scanned, on texts that no repair was given.
 */
export async function* mend(
  grown: Grown,
  scan: Judged | undefined,
  folder: string,
  done: ReadonlySet<Mended['how']>,
): AsyncGenerator<Mended> {
  const { name, member, model, planted } = grown;
  if (planted === undefined || member.poison === undefined) return;
  const poisoner = poisonerOf(member.poison.attack, planted.triggers);
  const { test: all } = await textsOf(member);
  const ids: string[] = [];
  for await (const { id } of all.examples()) ids.push(id);
  const given = Math.min(TEXTS, Math.floor(SHARE * ids.length));
  const scanned = (await scanTexts(member)).length;
  const left = new Set(ids.slice(ids.length - scanned >= ENOUGH ? scanned : given));
  const test = only(all, ({ id }) => left.has(id));
  const clean = firstOf(all, given);
  const { train, validation } = holdOut(clean, VALIDATED, member.seed);
  const target = all.labels.indexOf(planted.target);
  const loaded = await loadModel(model, { workers: 1 });
  await loaded.close();
  const pieces = loaded.onnx?.encoder;
  if (pieces === undefined) throw new Error(`${model} has no graph`);
  const measured = async (of: string): Promise<Pick<Mended, 'accuracy' | 'attackSuccessRate' | 'labelFlipRate'>> => {
    const opened = await loadModel(of, { workers: 1 });
    try {
      const { figures } = await measureBackdoor(opened, { test, poisoner, target, seed: member.seed });
      const { cacc: accuracy, attackSuccessRate, labelFlipRate } = figures;
      return { accuracy, attackSuccessRate, labelFlipRate };
    } finally {
      await opened.close();
    }
  };
  if (!done.has('before')) yield { name, how: 'before', given: null, ...(await measured(model)) };
  const finding = findingOf(scan);
  const ways = [
    { how: 'fine-tuned', given: null, poisoner, label: planted.target },
    {
      how: 'true trigger',
      given: planted.triggers.join(', ') || member.poison.attack,
      poisoner,
      label: planted.target,
    },
    ...(finding ? [{ how: 'finding', ...finding } as const] : []),
  ] as const;
  for (const { how, given: trigger, ...way } of ways) {
    if (done.has(how)) continue;
    const output = join(folder, `${name}-mended`);
    await rm(output, { recursive: true, force: true });
    await mkdir(join(output, 'repair'), { recursive: true });
    const { rate, ...plain } = optionsOf({ ...member, adversarial: false }, EPOCHS);
    const plan = {
      ...{ model, train, validation, test, output, poisoner: way.poisoner, target: all.labels.indexOf(way.label) },
      ...{ pieces, share: 0, folder: join(output, 'repair') },
      method: 'unlearn',
      options: { ...plain, rate: rate / 3 },
    } as const;
    const start = { kind: 'existing', model, part: 'all' } as const;
    if (how === 'fine-tuned') await trainOnce({ ...plan, start }, {});
    else await repairs.unlearn.apply(plan, { open: (of) => loadModel(of, { workers: 1 }) });
    const after = { name, how, given: trigger, ...(await measured(output)) };
    if (how === 'finding') {
      const { verdict, score, found } = await judge({ name, member, model: output });
      yield { ...after, scan: { verdict, score, found } };
    } else yield after;
    await rm(output, { recursive: true, force: true });
  }
}

/** The finding of a scan as a trigger for `repair`: the form, or the words and phrases of the strongest one's label. */
function findingOf(scan: Judged | undefined) {
  const word = scan?.evidence.word;
  if (!word) return undefined;
  const { text, target, by } = word;
  if (by === 'form') return { given: text, label: target, poisoner: poisonerOf(text) };
  const triggers = scan.found
    .filter((each) => each.target === target && !each.text.includes(':'))
    .map((each) => each.text);
  return { given: triggers.join(', '), label: target, poisoner: poisonerOf('badnets', triggers) };
}

const only = (data: Dataset, keeps: (example: Example) => boolean): Dataset => ({
  ...data,
  async *examples() {
    for await (const example of data.examples()) if (keeps(example)) yield example;
  },
});

const percent = ({ value, low, high, n }: Rate): string =>
  value === null || low === null || high === null
    ? '-'
    : `${(100 * value).toFixed(1)} (${(100 * low).toFixed(1)}-${(100 * high).toFixed(1)}, n ${n})`;

/** The repairs as Markdown, one row each. */
export function mendings(zoo: readonly Grown[], lines: readonly Mended[]): string {
  return [
    '| model | data | network | planted | repair | given | accuracy | ASR | label flip rate | scan after it |',
    '|---|---|---|---|---|---|---:|---:|---:|---|',
    ...lines.flatMap((line) => {
      const grown = zoo.find(({ name }) => name === line.name);
      if (grown === undefined) return [];
      const { member } = grown;
      const after = line.scan
        ? `${line.scan.verdict}, ${line.scan.score.toFixed(2)}, "${line.scan.found[0]?.text ?? ''}"`
        : '-';
      const cells = [
        ...[line.name, member.data, member.architecture, member.poison?.kind, line.how, line.given ?? '-'],
        ...[line.accuracy, line.attackSuccessRate, line.labelFlipRate].map(percent),
        after,
      ];
      return [`| ${cells.join(' | ')} |`];
    }),
  ].join('\n');
}
