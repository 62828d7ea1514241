/** @file False defences: each makes attacks fail without making the victim robust. */
import { distance } from 'fastest-levenshtein';
import { argmax } from '../../src/core/argmax.js';
import type { Classifier, WhiteBox } from '../../src/core/classifier.js';
import { wordsOf } from '../../src/core/draft.js';
import { random } from '../../src/core/random.js';

const mapped = (victim: Classifier, map: (row: Float32Array, text: string) => Float32Array): Classifier => ({
  labels: victim.labels,
  classify: async (texts) => (await victim.classify(texts)).map((row, at) => map(row, texts[at] as string)),
});

/** Scores rounded to tenths. */
const rounded = (victim: Classifier): Classifier =>
  mapped(victim, (row) => row.map((score) => Math.round(10 * score) / 10));

/** The label stays; its score becomes `confidence`, above a half, and the other labels share the rest as before. */
const withConfidence = (victim: Classifier, confidence: (text: string, score: number) => number): Classifier =>
  mapped(victim, (row, text) => {
    const label = argmax(row);
    const score = row[label] as number;
    const least = confidence(text, score);
    return row.map((each, at) => (at === label ? least : ((1 - least) * each) / Math.max(1e-30, 1 - score)));
  });

const logit = (score: number): number => Math.log(Math.max(score, 1e-30)) - Math.log(Math.max(1 - score, 1e-30));
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
/** A number in [0, 1) that only the text decides. */
const hashOf = (text: string): number => random(1, 'hash', text).unit();

/** Logits in steps. */
const stepped = (victim: Classifier, step = 2): Classifier =>
  withConfidence(victim, (_, score) => sigmoid(Math.max(step / 2, step * Math.round(logit(score) / step))));

/** Confidences in quarters, with a little of a hash added. */
const jittered = (victim: Classifier, width = 0.02): Classifier =>
  withConfidence(victim, (text, score) =>
    Math.min(1 - 1e-6, Math.max(0.51, Math.round(4 * score) / 4 + width * (hashOf(text) - 0.5))),
  );

/** Logits multiplied, then squeezed into [edge, 1 - edge]: no score is 0 or 1. */
const squeezed = (victim: Classifier, by = 40, edge = 1e-4): Classifier =>
  withConfidence(victim, (_, score) => edge + (1 - 2 * edge) * sigmoid(by * Math.max(logit(score), 1e-3)));

/** The confidence is a hash of the text. */
const hashed = (victim: Classifier): Classifier => withConfidence(victim, (text) => 0.51 + 0.48 * hashOf(text));

/** Surest at the boundary. */
const reversed = (victim: Classifier): Classifier =>
  withConfidence(victim, (_, score) => Math.max(0.5001, 1.5 - score));

/** One confidence for all texts. */
const constant = (victim: Classifier): Classifier => withConfidence(victim, () => 0.9);

/** Labels without scores. */
const labelsOnly = (victim: Classifier): Classifier => withConfidence(victim, () => 1);

/** The confidence grows with the length of the text. */
const byLength = (victim: Classifier): Classifier =>
  withConfidence(victim, (text) => 1 - 0.49 * Math.exp(-text.length / 100));

/** The confidence of another model. */
const borrowed = (victim: Classifier, other: Classifier): Classifier => ({
  labels: victim.labels,
  async classify(texts) {
    const rows = await other.classify(texts);
    const scores = new Map(texts.map((text, at) => [text, Math.max(...(rows[at] as Float32Array))]));
    return withConfidence(victim, (text) => Math.max(0.501, scores.get(text) ?? 0.5)).classify(texts);
  },
});

/** Votes of copies with words left out: a label and a share of eleven votes. */
const voting = (victim: Classifier, votes = 11): Classifier => ({
  labels: victim.labels,
  async classify(texts) {
    const rows: Float32Array[] = [];
    for (const text of texts) {
      const stream = random(1, 'votes', text);
      const words = text.split(' ');
      const copies = Array.from({ length: votes }, () => words.filter(() => stream.unit() < 0.8).join(' '));
      const counts = new Float32Array(victim.labels.length);
      for (const row of await victim.classify(copies))
        counts[argmax(row)] = (counts[argmax(row)] as number) + 1 / votes;
      rows.push(counts);
    }
    return rows;
  },
});

/** Logits multiplied by a thousand: probabilities become 0 or 1 in single precision. */
const saturated = (victim: Classifier): Classifier =>
  mapped(victim, (row) => {
    const logits = row.map((score) => 1000 * Math.log(Math.max(score, 1e-30)));
    const most = Math.max(...logits);
    const powers = logits.map((logit) => Math.exp(logit - most));
    const sum = powers.reduce((total, power) => total + power, 0);
    return powers.map((power) => power / sum);
  });

/** Random noise on every answer. */
function noisy(victim: Classifier, seed = 1): Classifier {
  const stream = random(seed, 'noise');
  return mapped(victim, (row) => {
    const scores = row.map((score) => Math.max(1e-6, score + 0.2 * stream.normal()));
    const sum = scores.reduce((total, score) => total + score, 0);
    return scores.map((score) => score / sum);
  });
}

/** The vocabulary of some texts. */
const wordsIn = (texts: readonly string[]): Set<string> =>
  new Set(texts.flatMap((text) => wordsOf(text).map(({ text: word }) => word)));

/** A tokenizer that fails at the first word outside its vocabulary; a handler then answers by what came before the failure. */
function stumbling(victim: Classifier, texts: readonly string[]): Classifier {
  const known = wordsIn(texts);
  return {
    labels: victim.labels,
    classify: (batch) => {
      for (const text of batch) {
        const unknown = wordsOf(text).find(({ text: word }) => !known.has(word));
        if (unknown !== undefined) return Promise.reject(new Error(`unknown token "${unknown.text}"`));
      }
      return victim.classify(batch);
    },
  };
}

/** As `stumbling`, but the handler gives every such text the answer to an empty one. */
const stumblingSilently = (victim: Classifier, texts: readonly string[]): Classifier => {
  const known = wordsIn(texts);
  return {
    labels: victim.labels,
    classify: (batch) =>
      victim.classify(batch.map((text) => (wordsOf(text).every(({ text: word }) => known.has(word)) ? text : ''))),
  };
};

/** Answers a text as the first one within an edit distance of a tenth of its length. */
function cachedByDistance(victim: Classifier): Classifier {
  const known: { text: string; row: Float32Array }[] = [];
  return {
    labels: victim.labels,
    async classify(texts) {
      const rows: Float32Array[] = [];
      for (const text of texts) {
        const near = known.find((each) => distance(each.text, text) <= Math.max(8, 0.1 * text.length));
        const [row] = near ? [near.row] : await victim.classify([text]);
        if (near === undefined) known.push({ text, row: row as Float32Array });
        rows.push(row as Float32Array);
      }
      return rows;
    },
  };
}

/** Refuses texts longer than a limit: the answer is the same to all of them. */
const refusingLong = (victim: Classifier, most: number): Classifier =>
  mapped(victim, (row, text) => (text.length > most ? row.map(() => 1 / row.length) : row));

/** Undoes what our attacks do: a word that is one edit of letters a-z away from a known word becomes that word. */
function typoDetector(victim: Classifier, texts: readonly string[]): Classifier {
  const known = wordsIn(texts);
  const bySize = new Map<number, string[]>();
  for (const word of known) bySize.set(word.length, [...(bySize.get(word.length) ?? []), word]);
  const corrected = (word: string): string => {
    if (known.has(word) || !/^[a-zA-Z]+$/.test(word)) return word;
    const near = [-1, 0, 1].flatMap((more) => bySize.get(word.length + more) ?? []);
    const ofLetters = (other: string) => [...other].sort().join('');
    return (
      near.find((other) => distance(other, word) === 1) ??
      near.find((other) => distance(other, word) === 2 && ofLetters(other) === ofLetters(word)) ??
      word
    );
  };
  const clean = (text: string): string => {
    let [now, end] = ['', 0];
    for (const { text: word, start } of wordsOf(text)) {
      now += text.slice(end, start) + corrected(word);
      end = start + word.length;
    }
    return now + text.slice(end);
  };
  return { labels: victim.labels, classify: (batch) => victim.classify(batch.map(clean)) };
}

/** A white box whose gradients a layer cuts: zero, of the wrong sign, or not finite. */
export const gradientsCut = (victim: WhiteBox, to: 'zero' | 'wrong' | 'infinite'): WhiteBox => ({
  ...victim,
  gradient: async (text, label) => {
    const found = await victim.gradient(text, label);
    const values = found.values.map((value) => ({ zero: 0, wrong: -value, infinite: value / 0 })[to]);
    return { ...found, values };
  },
});

/** All of them before one victim, but for gradients. `clean`: the texts that are attacked; `other`: a victim of other labels. */
export const falseDefences = (
  victim: Classifier,
  other: Classifier,
  clean: readonly string[],
): Record<string, Classifier> => ({
  stepped: stepped(victim),
  jittered: jittered(victim),
  squeezed: squeezed(victim),
  hashed: hashed(victim),
  reversed: reversed(victim),
  constant: constant(victim),
  'labels only': labelsOnly(victim),
  voting: voting(victim),
  'confidence by length': byLength(victim),
  'confidence of another model': borrowed(victim, other),
  rounded: rounded(victim),
  saturated: saturated(victim),
  noisy: noisy(victim),
  stumbling: stumbling(victim, clean),
  'stumbling silently': stumblingSilently(victim, clean),
  'cached by distance': cachedByDistance(victim),
  'refusing long texts': refusingLong(victim, Math.max(...clean.map(({ length }) => length))),
  'typo detector': typoDetector(victim, clean),
});
