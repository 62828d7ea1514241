/** @file Ordinary small classifiers, trained in memory within a second, for the diagnostics: none of them hides anything from an attack. */
import type { Classifier } from '../../src/core/classifier.js';
import { type Random, random } from '../../src/core/random.js';

export interface LabelledText {
  readonly text: string;
  /** 0 or 1; `trained` learns further labels too. */
  readonly label: number;
}

/** Features of a text: words, or sequences of three letters. */
const FEATURES = {
  words: (text: string) => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [],
  letters: (text: string) => {
    const padded = ` ${text.toLowerCase()} `;
    return Array.from({ length: Math.max(0, padded.length - 2) }, (_, at) => padded.slice(at, at + 3));
  },
} as const;

export const KINDS = ['logistic-words', 'logistic-letters', 'bayes-words', 'network-words', 'network-letters'] as const;
export type Kind = (typeof KINDS)[number];

/** A classifier of this kind; the seed decides the order of the texts, the sample of them, and initial weights. */
export function trained(kind: Kind, texts: readonly LabelledText[], seed: number): Classifier {
  const classes = 1 + Math.max(...texts.map(({ label }) => label));
  if (classes > 2) return oneAgainstAll(kind, texts, seed, classes);
  const stream = random(seed, kind);
  const sample = stream.shuffle(texts).slice(0, Math.ceil(0.8 * texts.length));
  const [method, unit] = kind.split('-') as ['logistic' | 'bayes' | 'network', keyof typeof FEATURES];
  const idsOf = vocabularyOf(sample, FEATURES[unit]);
  const scoreOf = { logistic, bayes, network }[method](sample, idsOf, stream);
  return {
    labels: ['negative', 'positive'],
    classify: async (batch) =>
      batch.map((text) => {
        const positive = 1 / (1 + Math.exp(-scoreOf(text)));
        return Float32Array.of(1 - positive, positive);
      }),
  };
}

/** A classifier for each label against all others; their odds, made to sum to 1. */
function oneAgainstAll(kind: Kind, texts: readonly LabelledText[], seed: number, classes: number): Classifier {
  const parts = Array.from({ length: classes }, (_, of) =>
    trained(
      kind,
      texts.map(({ text, label }) => ({ text, label: Number(label === of) })),
      seed,
    ),
  );
  return {
    labels: parts.map((_, of) => `label ${of}`),
    async classify(batch) {
      const rows = await Promise.all(parts.map((part) => part.classify(batch)));
      return batch.map((_, at) => {
        const odds = rows.map((row) => ((row[at]?.[1] ?? 0) + 1e-9) / ((row[at]?.[0] ?? 0) + 1e-9));
        const sum = odds.reduce((total, each) => total + each, 0);
        return Float32Array.from(odds, (each) => each / sum);
      });
    },
  };
}

type IdsOf = (text: string) => number[];
/** The log-odds of the label 1. */
type ScoreOf = (text: string) => number;

/** Ids of the features that two texts or more have. */
function vocabularyOf(texts: readonly LabelledText[], featuresOf: (text: string) => readonly string[]): IdsOf {
  const counts = new Map<string, number>();
  for (const { text } of texts) {
    for (const feature of new Set(featuresOf(text))) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  }
  const ids = new Map<string, number>();
  for (const [feature, count] of counts) if (count > 1) ids.set(feature, ids.size);
  return (text) => featuresOf(text).flatMap((feature) => ids.get(feature) ?? []);
}

const EPOCHS = 12;

/** Logistic regression on counts of features, by stochastic gradient descent. */
function logistic(texts: readonly LabelledText[], idsOf: IdsOf, stream: Random): ScoreOf {
  const weights = new Map<number, number>();
  let bias = 0;
  const scoreOf = (ids: readonly number[]) =>
    bias + ids.reduce((sum, id) => sum + (weights.get(id) ?? 0), 0) / Math.sqrt(ids.length + 1);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (const { text, label } of stream.shuffle(texts)) {
      const ids = idsOf(text);
      const error = label - 1 / (1 + Math.exp(-scoreOf(ids)));
      bias += 0.05 * error;
      for (const id of ids) weights.set(id, (weights.get(id) ?? 0) + (0.5 * error) / Math.sqrt(ids.length + 1));
    }
  }
  return (text) => scoreOf(idsOf(text));
}

/** Multinomial naive Bayes with add-one smoothing. */
function bayes(texts: readonly LabelledText[], idsOf: IdsOf): ScoreOf {
  const counts = [new Map<number, number>(), new Map<number, number>()] as const;
  const totals = [1, 1];
  for (const { text, label } of texts) {
    for (const id of idsOf(text)) {
      counts[label as 0 | 1].set(id, (counts[label as 0 | 1].get(id) ?? 0) + 1);
      totals[label] = (totals[label] as number) + 1;
    }
  }
  const logOf = (label: 0 | 1, id: number) => Math.log(((counts[label].get(id) ?? 0) + 1) / (totals[label] as number));
  return (text) => idsOf(text).reduce((sum, id) => sum + logOf(1, id) - logOf(0, id), 0);
}

const HIDDEN = 32;

/** Tanh units over the sum of embeddings, with an output layer; both are trained. */
function network(texts: readonly LabelledText[], idsOf: IdsOf, stream: Random): ScoreOf {
  const rows = new Map<number, Float64Array>();
  const rowOf = (id: number): Float64Array => {
    const known = rows.get(id);
    if (known !== undefined) return known;
    const normals = stream.split(`row ${id}`);
    const row = Float64Array.from({ length: HIDDEN }, () => 0.5 * normals.normal());
    rows.set(id, row);
    return row;
  };
  const hiddenOf = (ids: readonly number[]): Float64Array => {
    const sum = new Float64Array(HIDDEN);
    for (const id of ids) for (const [at, value] of rowOf(id).entries()) sum[at] = (sum[at] as number) + value;
    return sum.map((value) => Math.tanh(value / Math.sqrt(ids.length + 1)));
  };
  const weights = new Float64Array(HIDDEN);
  let bias = 0;
  const scoreOf = (hidden: Float64Array) =>
    hidden.reduce((sum, value, at) => sum + value * (weights[at] as number), bias);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (const { text, label } of stream.shuffle(texts)) {
      const ids = idsOf(text);
      const hidden = hiddenOf(ids);
      const error = label - 1 / (1 + Math.exp(-scoreOf(hidden)));
      bias += 0.05 * error;
      for (let at = 0; at < HIDDEN; at++) weights[at] = (weights[at] as number) + 0.05 * error * (hidden[at] as number);
      // The embeddings follow the output layer.
      for (const id of ids) {
        const row = rowOf(id);
        for (let at = 0; at < HIDDEN; at++)
          row[at] = (row[at] as number) + (0.2 * error * (weights[at] as number)) / Math.sqrt(ids.length + 1);
      }
    }
  }
  return (text) => scoreOf(hiddenOf(idsOf(text)));
}
