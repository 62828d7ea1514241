/**
 * Trains the small multi-label victim behind the figures of docs/reference/decisions.md: one logistic regression a label over the words of
 * a text, written as an .mjs module.
 *
 *   npm run bench -- dist/bench/label-sets.js TRAIN.tsv OUTPUT.mjs [epochs] [seed]
 *
 * Words that two texts have at least; each counts once; plain stochastic gradient descent, L2 1e-5; nothing is tuned.
 */
import { writeFileSync } from 'node:fs';
import { openDataset } from '../datasets/index.js';
import { random } from '../src/core/random.js';

const [train, output, epochs = '15', seed = '42'] = process.argv.slice(2);
if (train === undefined || output === undefined) throw new Error('expected a training file and a module to write');
const data = await openDataset(train, { labelSets: true });
const wordsOf = (text: string): string[] => [...new Set(text.toLowerCase().match(/\p{L}+/gu) ?? [])];
const examples: { words: string[]; labels: readonly number[] }[] = [];
const counts = new Map<string, number>();
for await (const { text, labels = [] } of data.examples()) {
  const words = wordsOf(text);
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  examples.push({ words, labels });
}
const vocabulary = [...counts].filter(([, n]) => n > 1).map(([word]) => word);
const index = new Map(vocabulary.map((word, at) => [word, at]));
const width = data.labels.length;
const weights = Array.from({ length: vocabulary.length + 1 }, () => new Float64Array(width));
const bias = weights.at(-1) as Float64Array;
for (let epoch = 0; epoch < Number(epochs); epoch++) {
  const rate = 0.5 / (1 + epoch);
  for (const { words, labels } of random(Number(seed), 'epoch', String(epoch)).shuffle(examples)) {
    const rows = [bias, ...words.flatMap((word) => weights[index.get(word) ?? -1] ?? [])];
    for (let label = 0; label < width; label++) {
      const z = rows.reduce((sum, row) => sum + (row[label] as number), 0);
      const step = rate * ((labels.includes(label) ? 1 : 0) - 1 / (1 + Math.exp(-z)));
      for (const row of rows) row[label] = (row[label] as number) * (1 - rate * 1e-5) + step;
    }
  }
}
const rounded = (row: Float64Array): number[] => Array.from(row, (value) => Number(value.toFixed(4)));
writeFileSync(
  output,
  `const weights = new Map(${JSON.stringify(vocabulary.map((word, at) => [word, rounded(weights[at] as Float64Array)]))});
const bias = ${JSON.stringify(rounded(bias))};
export default {
  labels: ${JSON.stringify(data.labels)},
  classify: async (texts) => texts.map((text) => {
    const rows = [...new Set(text.toLowerCase().match(/\\p{L}+/gu) ?? [])].flatMap((word) => [weights.get(word) ?? []]);
    return bias.map((from, label) => 1 / (1 + Math.exp(-rows.reduce((sum, row) => sum + (row[label] ?? 0), from))));
  }),
};
`,
);
console.log(`${examples.length} texts, ${vocabulary.length} words, ${width} labels: ${output}`);
