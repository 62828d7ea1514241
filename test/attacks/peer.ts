/** @file Results of TextAttack on ../shared/models/distilbert-small, and ours for the same attacks. */
import { existsSync, readFileSync } from 'node:fs';
import { attacks } from '../../attacks/index.js';
import { argmax } from '../../src/core/argmax.js';
import { random } from '../../src/core/random.js';
import { LETTERS } from '../../src/language/character-edits.js';
import { english } from '../../src/language/english/index.js';
import { loadModel } from '../../src/model/load.js';
import { type Attempt, type Random, wordsOf } from '../../src/plugin.js';
import { untargeted } from '../../src/search/goals.js';
import { pythonRandom } from './python-random.js';

const GOLDENS = '../shared/goldens';
export const VICTIM = '../shared/models/distilbert-small';

export const absent = !existsSync(GOLDENS) || !existsSync(VICTIM);

/** One line of a golden file; `queries` as TextAttack counts them. */
export interface Theirs {
  readonly i: number;
  readonly label: number;
  readonly original: string;
  readonly perturbed: string;
  readonly status: 'success' | 'failed' | 'skipped' | 'maximized';
  readonly queries: number;
  readonly words: number;
  readonly changed: number;
}

export interface Compared {
  readonly theirs: Theirs;
  readonly status: Theirs['status'];
  /** Absent where skipped. */
  readonly ours?: Attempt & { readonly asked: number };
}

export const theirs = (recipe: string): Theirs[] =>
  readFileSync(`${GOLDENS}/textattack-${recipe}.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Runs an attack, with its default options unless others are given, on the sentences of a golden file. */
export async function compare(
  recipe: string,
  rows: readonly Theirs[],
  streamOf: (row: Theirs) => Random,
  options: Readonly<Record<string, unknown>> = {},
  victim = VICTIM,
): Promise<Compared[]> {
  const plugin = attacks.find(({ name }) => name === recipe);
  if (plugin === undefined) throw new Error(`no attack ${recipe}`);
  const attack = plugin.create(plugin.options.parse(options));
  const model = await loadModel(victim);
  const results: Compared[] = [];
  for (const row of rows) {
    const [original] = (await model.classify([row.original])) as [Float32Array];
    if (argmax(original) !== row.label) {
      results.push({ theirs: row, status: 'skipped' });
      continue;
    }
    let asked = 1;
    const ours = await attack.run(
      { id: String(row.i), text: row.original, label: row.label },
      {
        labels: model.labels,
        language: english,
        original,
        goal: untargeted,
        constraints: [],
        random: streamOf(row),
        remaining: Number.POSITIVE_INFINITY,
        classify: (texts) => {
          asked += texts.length;
          return model.classify(texts);
        },
      },
    );
    results.push({ theirs: row, status: ours.succeeded ? 'success' : 'failed', ours: { ...ours, asked } });
  }
  await model.close();
  return results;
}

export const ourStream =
  (seed: number) =>
  ({ i }: Theirs): Random =>
    random(seed, 'parity', String(i));

/**
 * The letters TextAttack's pruthi drew: one stream for the whole run, one letter for each place inside each word it may
 * edit. After a failure it draws once more for a second round of edits that its limit of one word then refuses.
 */
export function theirStream(seed: number): (row: Theirs) => Random {
  const python = pythonRandom(seed);
  let spare = 0;
  return ({ original, perturbed, status }) => {
    for (; spare > 0; spare--) python.pick(LETTERS);
    const before = wordsOf(original).map(({ text }) => text);
    if (status === 'failed') {
      const untouched = wordsOf(perturbed).filter(({ text }, at) => text === before[at]);
      for (const { text } of untouched) if (text.length >= 4 && !english.stopWords.has(text)) spare += text.length - 2;
    }
    return { ...random(0), pick: python.pick };
  };
}

/** TextAttack leaves the space where a deleted word stood; words and their order are what must agree. */
export const spaced = (text = ''): string => text.trim().replaceAll(/\s+/g, ' ');

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export const share = <T>(items: readonly T[], is: (item: T) => boolean): number =>
  items.filter(is).length / items.length;
