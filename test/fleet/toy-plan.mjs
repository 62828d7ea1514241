// A run small enough to see through, which test and worker processes make alike.
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { english } from '../../dist/src/language/english/index.js';

const labels = ['short', 'long'];
/** A query for this text kills the process. */
export const POISON = 'poison';

const classify = async (texts) => {
  await turn();
  return texts.map((text) => (text.length % 10 < 5 ? Float32Array.of(0.7, 0.3) : Float32Array.of(0.3, 0.7)));
};

/** Grows a text until the victim errs; its details contain `learnt` of the sample. */
const grow = (name, change) => ({
  kind: 'evasion',
  name,
  summary: 'a -> aa',
  level: 'character',
  needs: 'scores',
  options: z.strictObject({}),
  create: () => {
    let learnt = 0;
    return {
      constraints: [],
      ...(name === 'learns' && {
        async prepare(sample, victim) {
          const rows = await victim.classify(sample.slice(0, 8).map(({ text }) => `${text}a`));
          learnt = rows.filter(([short]) => short > 0.5).length;
        },
      }),
      async run(example, target) {
        const { text, label } = example;
        if (text.includes(POISON)) change.poison?.();
        if (change.wait) await pause(change.wait);
        let grown = text;
        let row = target.original;
        while (!target.goal.reached(row, label) && grown.length < 40) {
          grown += 'a'.repeat(1 + target.random.int(2));
          [row] = await target.classify([grown]);
        }
        const details = { learnt };
        const succeeded = target.goal.reached(row, label);
        return { succeeded, text: grown, probabilities: row, words: 1, changed: 1, details };
      },
    };
  },
});

/** `poison`: what a poisonous text does; `wait`: milliseconds of a search. */
export const toyPlan = (examples, change = {}) => ({
  model: { classifier: { labels, classify }, name: 'length', sha256: 'model' },
  dataset: {
    name: 'letters',
    labels,
    source: { url: 'test', license: 'MIT', sha256: `letters-${examples.length}` },
    async *examples() {
      yield* examples;
    },
  },
  attacks: ['grow', 'learns'].map((name) => ({ plugin: grow(name, change), options: {}, suite: null, label: name })),
  numExamples: 0,
  seed: 1,
  engine: 'onnx',
  decided: {},
  concurrency: 7,
  goal: { name: 'untargeted', score: (row, label) => 1 - row[label], reached: (row, label) => row[label] < 0.5 },
  constraints: [],
  maxErrorRate: 0,
  command: 'test',
  toolVersion: '0',
  settings: {},
  language: english,
});

export const letters = (n, poisonAt = -1) =>
  Array.from({ length: n }, (_, at) => {
    const text = `${at === poisonAt ? POISON : ''}${'a'.repeat(1 + (at % 13))}`;
    return { id: String(at), text, label: text.length % 10 < 5 ? 0 : 1 };
  });
