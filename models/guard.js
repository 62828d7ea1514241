// Trains the model of models/guard.sh: a logistic regression on words and pairs of words, weighed by their rarity (TF-IDF).
//   node models/guard.js FOLDER texts.tsv dressed.tsv
// The files have text and label, "attack" or "benign", in their first two columns. The shield cleans every text first, as the guard does.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shield } from 'robust-text/shield';
import { GraphBuilder } from '../dist/src/onnx/builder.js';
import { DataType } from '../dist/src/onnx/data-type.js';

/** Inverse of the strength of the penalty. It was chosen on families left out and on prompt-injections without its share of training. */
const C = 10;
const PASSES = 1000;
const [folder, ...files] = process.argv.slice(2);

const rows = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [text, label] = line.split('\t');
      return { terms: termsOf(shield(text).text), attack: label === 'attack' ? 1 : 0 };
    }),
);

/** Words and signs, and each pair of neighbours. robust.json says the same to the encoder. */
function termsOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_']+|[^\p{L}\p{N}_\s]/gu) ?? [];
  return [...words, ...words.slice(1).map((word, at) => `${words[at]} ${word}`)];
}

const documents = new Map();
for (const { terms } of rows) for (const term of new Set(terms)) documents.set(term, (documents.get(term) ?? 0) + 1);
const vocabulary = [...documents.keys()].filter((term) => documents.get(term) > 1).sort();
const columnOf = new Map(vocabulary.map((term, column) => [term, column]));
const idf = vocabulary.map((term) => Math.log((1 + rows.length) / (1 + documents.get(term))) + 1);

/** Columns and weights of a text: (1 + ln of the count) x rarity, with length 1. */
function features(terms) {
  const counts = new Map();
  for (const term of terms) {
    const column = columnOf.get(term);
    if (column !== undefined) counts.set(column, (counts.get(column) ?? 0) + 1);
  }
  const columns = [...counts.keys()];
  const weights = columns.map((column) => (1 + Math.log(counts.get(column))) * idf[column]);
  const length = Math.hypot(...weights) || 1;
  return { columns, weights: weights.map((weight) => weight / length) };
}

const data = rows.map(({ terms, attack }) => ({ ...features(terms), attack }));

/** Gradient of the mean loss at w, whose last entry is the bias. */
function gradient(w) {
  const slope = new Float64Array(w.length);
  for (const { columns, weights, attack } of data) {
    let score = w[vocabulary.length];
    for (let at = 0; at < columns.length; at++) score += w[columns[at]] * weights[at];
    const error = (1 / (1 + Math.exp(-score)) - attack) / data.length;
    for (let at = 0; at < columns.length; at++) slope[columns[at]] += error * weights[at];
    slope[vocabulary.length] += error;
  }
  for (let column = 0; column < vocabulary.length; column++) slope[column] += w[column] / (C * data.length);
  return slope;
}

// Nesterov's accelerated descent. Rows of length 1 and a bias bound the curvature by a half, which gives the step.
let [w, ahead] = [new Float64Array(vocabulary.length + 1), new Float64Array(vocabulary.length + 1)];
for (let pass = 0; pass < PASSES; pass++) {
  const slope = gradient(ahead);
  const next = ahead.map((value, at) => value - 2 * slope[at]);
  ahead = next.map((value, at) => value + (pass / (pass + 3)) * (value - w[at]));
  w = next;
}

const g = new GraphBuilder();
const input = g.input('terms', DataType.float, ['batch', vocabulary.length]);
const matrix = Float32Array.from(
  { length: 2 * vocabulary.length },
  (_, at) => (at % 2 === 0 ? -0.5 : 0.5) * w[at >> 1],
);
const weight = g.initializer('weight', [vocabulary.length, 2], matrix);
const bias = w[vocabulary.length] / 2;
g.ops('Add', [g.matmul(input, weight), g.vector([-bias, bias])], ['logits']);
g.output('logits', DataType.float, ['batch', 2]);

mkdirSync(folder, { recursive: true });
const write = (name, content) => writeFileSync(join(folder, name), content);
write('model.onnx', g.build());
write('vocabulary.json', JSON.stringify(Object.fromEntries(columnOf)));
write('idf.json', JSON.stringify(idf.map((value) => Number(value.toPrecision(7)))));
const manifest = {
  model: 'model.onnx',
  labels: ['benign', 'attack'],
  input: {
    kind: 'tfidf',
    name: 'terms',
    tokenPattern: "[\\w']+|[^\\w\\s]",
    ngrams: [1, 2],
    vocabulary: 'vocabulary.json',
    idf: 'idf.json',
    sublinear: true,
  },
  output: { name: 'logits', activation: 'softmax' },
  decision: { kind: 'threshold', positive: ['attack'], at: 0.5 },
};
write('robust.json', `${JSON.stringify(manifest, null, 2)}\n`);
console.error(
  `${rows.length} texts, ${vocabulary.length} terms; largest slope ${Math.max(...gradient(w).map(Math.abs))}`,
);
