// A run in a process of its own, so that it can be killed. Arguments: root folder, id of a run to continue (or "new").
// Prints the id, then one line per outcome.
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { english } from '../../dist/src/language/english/index.js';
import { attack, createRun, openRun } from '../../dist/src/run/index.js';

const [root, id] = process.argv.slice(2);
const labels = ['short', 'long'];
const classify = async (texts) => {
  await turn();
  return texts.map((text) => (text.length % 10 < 5 ? Float32Array.of(0.7, 0.3) : Float32Array.of(0.3, 0.7)));
};
const grow = {
  kind: 'evasion',
  name: 'grow',
  summary: 'a -> aa',
  level: 'character',
  needs: 'scores',
  options: z.strictObject({}),
  create: () => ({
    constraints: [],
    async run({ text, label }, target) {
      let grown = text;
      let row = target.original;
      while (!target.goal.reached(row, label) && grown.length < 40) {
        grown += 'a'.repeat(1 + target.random.int(2));
        [row] = await target.classify([grown]);
      }
      return { succeeded: target.goal.reached(row, label), text: grown, probabilities: row, words: 1, changed: 1 };
    },
  }),
};
const plan = {
  model: { classifier: { labels, classify }, name: 'length', sha256: 'model' },
  dataset: {
    name: 'letters',
    labels,
    source: { url: 'test', license: 'MIT', sha256: 'data' },
    async *examples() {
      for (let at = 0; at < 600; at++) {
        const text = 'a'.repeat(1 + (at % 13));
        yield { id: String(at), text, label: text.length % 10 < 5 ? 0 : 1 };
      }
    },
  },
  attacks: [{ plugin: grow, options: {}, suite: null, label: 'grow' }],
  numExamples: 0,
  seed: 1,
  engine: 'onnx',
  concurrency: 7,
  goal: { name: 'untargeted', score: (row, label) => 1 - row[label], reached: (row, label) => row[label] < 0.5 },
  constraints: [],
  maxErrorRate: 0,
  command: 'test',
  toolVersion: '0',
  settings: {},
  language: english,
};
const folder = id === 'new' ? await createRun(root, plan) : await openRun(root, id);
console.log(folder.id);
await attack(plan, folder, { progress: ({ stage, done }) => console.log(`${stage} ${done}`) });
