/** @file False defences: each makes attacks fail without making the victim robust. */
import { distance } from 'fastest-levenshtein';
import type { Classifier, WhiteBox } from '../../src/core/classifier.js';
import { wordsOf } from '../../src/core/draft.js';
import { random } from '../../src/core/random.js';

const mapped = (victim: Classifier, map: (row: Float32Array, text: string) => Float32Array): Classifier => ({
  labels: victim.labels,
  classify: async (texts) => (await victim.classify(texts)).map((row, at) => map(row, texts[at] as string)),
});

/** Scores rounded to tenths. */
export const rounded = (victim: Classifier): Classifier =>
  mapped(victim, (row) => row.map((score) => Math.round(10 * score) / 10));

/** Logits multiplied by a thousand: probabilities become 0 or 1 in single precision. */
export const saturated = (victim: Classifier): Classifier =>
  mapped(victim, (row) => {
    const logits = row.map((score) => 1000 * Math.log(Math.max(score, 1e-30)));
    const most = Math.max(...logits);
    const powers = logits.map((logit) => Math.exp(logit - most));
    const sum = powers.reduce((total, power) => total + power, 0);
    return powers.map((power) => power / sum);
  });

/** Random noise on every answer. */
export function noisy(victim: Classifier, seed = 1): Classifier {
  const stream = random(seed, 'noise');
  return mapped(victim, ([negative = 0]) => {
    const score = Math.min(1, Math.max(0, negative + 0.2 * stream.normal()));
    return Float32Array.of(score, 1 - score);
  });
}

/** The vocabulary of some texts. */
const wordsIn = (texts: readonly string[]): Set<string> =>
  new Set(texts.flatMap((text) => wordsOf(text).map(({ text: word }) => word)));

/** A tokenizer that fails at the first word outside its vocabulary; a handler then answers by what came before the failure. */
export function stumbling(victim: Classifier, texts: readonly string[]): Classifier {
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
export const stumblingSilently = (victim: Classifier, texts: readonly string[]): Classifier => {
  const known = wordsIn(texts);
  return {
    labels: victim.labels,
    classify: (batch) =>
      victim.classify(batch.map((text) => (wordsOf(text).every(({ text: word }) => known.has(word)) ? text : ''))),
  };
};

/** Answers a text as the first one within an edit distance of a tenth of its length. */
export function cachedByDistance(victim: Classifier): Classifier {
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
export const refusingLong = (victim: Classifier, most: number): Classifier =>
  mapped(victim, (row, text) => (text.length > most ? Float32Array.of(0.5, 0.5) : row));

/** Undoes what our attacks do: a word that is one edit of letters a-z away from a known word becomes that word. */
export function typoDetector(victim: Classifier, texts: readonly string[]): Classifier {
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
