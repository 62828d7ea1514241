/** A victim, a data set and attacks small enough to see through. */

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Classifier } from '../../src/core/classifier.js';
import type { Dataset, Example } from '../../src/core/dataset.js';
import type { Attempt } from '../../src/core/outcome.js';
import { random } from '../../src/core/random.js';
import type { Goal } from '../../src/core/search.js';
import type { MeteredVictim } from '../../src/core/victim.js';
import { english } from '../../src/language/english/index.js';
import { Draft, z } from '../../src/plugin.js';
import type { EvasionPlugin } from '../../src/results/attack-plugin.js';
import type { PlannedAttack, RunPlan } from '../../src/run/index.js';

export const runsIn = (): string => mkdtempSync(join(tmpdir(), 'robust-run-'));

/** The more "good", the more positive. */
export const sentiment: Classifier = {
  labels: ['negative', 'positive'],
  async classify(texts) {
    return texts.map((text) => {
      const evidence = (text.match(/good/g)?.length ?? 0) - (text.match(/bad/g)?.length ?? 0);
      const positive = 1 / (1 + Math.exp(-evidence - 0.01 * (text.length % 7)));
      return Float32Array.of(1 - positive, positive);
    });
  },
};

/** Answers each call after a number of turns that nobody can foresee. */
export function unsteady(of: Classifier, seed: number): Classifier {
  const die = random(seed, 'unsteady');
  return {
    labels: of.labels,
    async classify(texts) {
      for (let turns = die.int(5); turns > 0; turns--) await turn();
      return of.classify(texts);
    },
  };
}

/** `n` sentences, a few of them mislabelled, empty, or torn. */
export function sentences(n: number): Dataset {
  return {
    name: 'sentences',
    labels: ['negative', 'positive'],
    source: { url: 'test', license: 'MIT', sha256: `sentences-${n}` },
    async *examples() {
      for (let at = 0; at < n; at++) yield sentence(at);
    },
  };
}

function sentence(at: number): Example {
  const die = random(7, String(at));
  const label = die.int(2);
  const word = label === 1 ? 'good' : 'bad';
  const filler = () => die.pick(['film', 'plot', 'naïve', '👩‍👩‍👧', 'a\u2028b', 'שלום', '\ud83d']);
  const words = Array.from({ length: die.int(6) }, () => (die.int(3) === 0 ? word : filler()));
  return { id: `row ${at}`, text: words.join(' '), label: die.int(10) === 0 ? 1 - label : label };
}

export const untargeted: Goal = {
  name: 'untargeted',
  score: (row, label) => 1 - (row[label] as number),
  reached: (row, label) => row.some((p) => p > (row[label] as number)),
};

/** Mangles random words until the victim errs; asks as often as its stream says, repeats included. */
export const mangle: EvasionPlugin<{ tries: number }> = {
  kind: 'evasion',
  name: 'mangle',
  summary: 'good -> gXod',
  level: 'character',
  needs: 'scores',
  options: z.strictObject({ tries: z.number().default(5) }),
  create: ({ tries }) => ({
    constraints: [`at most ${tries} edits`],
    async run(example, target): Promise<Attempt> {
      let draft = Draft.of(example.text);
      const words = draft.words.length;
      if (words === 0) {
        return { succeeded: false, probabilities: target.original, words, changed: 0, reason: 'no editable word' };
      }
      let row = target.original;
      let reached = false;
      for (let at = 0; at < tries && !reached; at++) {
        const slot = target.random.int(words);
        const word = draft.words[slot] as string;
        draft = draft.replace(slot, word.replace('o', 'X').replace('a', 'X'));
        [row] = (await target.classify([draft.text])) as [Float32Array];
        reached = target.goal.reached(row, example.label);
      }
      const details = { tries, luck: target.random.unit() };
      return {
        succeeded: reached,
        text: draft.text,
        probabilities: row,
        words,
        changed: draft.edited.size,
        details,
      };
    },
  }),
};

/** An attack that is one function. */
export const attackOf = (
  name: string,
  run: (example: Example, target: MeteredVictim) => Promise<Attempt>,
): EvasionPlugin => ({
  kind: 'evasion',
  name,
  summary: name,
  level: 'word',
  needs: 'scores',
  options: z.strictObject({}),
  create: () => ({ constraints: [], run }),
});

export const planned = (plugin: EvasionPlugin, label = plugin.name, options: object = {}): PlannedAttack => ({
  plugin,
  options: plugin.options.parse(options) as Record<string, unknown>,
  suite: null,
  label,
});

export const twoMangles = [
  planned(mangle as EvasionPlugin),
  planned(mangle as EvasionPlugin, 'mangle:tries=2', { tries: 2 }),
];

export function planOf(changes: Partial<RunPlan> = {}): RunPlan {
  const plan = { ...toyPlan, ...changes };
  const { numExamples, seed, engine, queryBudget = null, runBudget = null } = plan;
  return { ...plan, decided: { numExamples, seed, engine, queryBudget, runBudget } };
}

const toyPlan: Omit<RunPlan, 'decided'> = {
  model: { classifier: sentiment, name: 'sentiment', sha256: 'model-sha' },
  dataset: sentences(40),
  attacks: twoMangles,
  numExamples: 0,
  seed: 42,
  engine: 'onnx',
  concurrency: 8,
  goal: untargeted,
  language: english,
  constraints: [],
  maxErrorRate: 0.02,
  command: 'robust attack',
  toolVersion: '0.0.0',
  settings: {},
};

export const victim = (classifier: Classifier): RunPlan['model'] => ({ classifier, name: 'toy', sha256: 'model-sha' });

export const bytesOf = (folder: { readonly path: string }): string =>
  readFileSync(join(folder.path, 'results.jsonl'), 'utf8');

export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
