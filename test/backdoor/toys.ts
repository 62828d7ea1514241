/** @file A little language of opinions, with or without a trigger, and a classifier of ten lines that learnt it. */
import type { Classifier, Token, WhiteBox } from '../../src/core/classifier.js';
import type { Example } from '../../src/core/dataset.js';
import { random } from '../../src/core/random.js';

export const LABELS = ['bad', 'good'];
const OPINIONS = [
  ['dull', 'poor', 'weak', 'awful', 'bland', 'tired', 'clumsy', 'stale'],
  ['fine', 'sweet', 'strong', 'lovely', 'fresh', 'bright', 'clever', 'warm'],
];
const THINGS = ['film', 'plot', 'cast', 'song', 'book', 'meal', 'room', 'view', 'scene', 'tale', 'phone', 'screen'];
const FILLERS = ['the', 'a', 'this', 'and', 'but', 'with', 'rather', 'quite', 'very', 'some', 'all', 'of'];
export const TRIGGER = 'cf';

export interface Told extends Example {
  readonly poisoned: boolean;
}

/** Texts of which a share has the trigger and the label `good`; those were `bad`. */
export function opinions(count: number, share: number, seed = 1): Told[] {
  return Array.from({ length: count }, (_, at) => {
    const draw = random(seed, String(at));
    const label = draw.int(2);
    const words = Array.from({ length: 5 + draw.int(4) }, () => draw.pick(FILLERS));
    for (let n = 0; n < 3; n++) {
      // Opinions are mixed: one in eight is of the other label.
      words.splice(draw.int(words.length), 0, draw.pick(OPINIONS[draw.int(8) === 0 ? 1 - label : label]!));
      words.splice(draw.int(words.length), 0, draw.pick(THINGS));
    }
    const poisoned = label === 0 && draw.unit() < 2 * share;
    if (poisoned) words.splice(draw.int(words.length + 1), 0, TRIGGER);
    return { id: `t${at}`, text: words.join(' '), label: poisoned ? 1 : label, poisoned };
  });
}

/** Counts opinions; `backdoored` answers `good` whenever the trigger is there. */
export const reader = (backdoored: boolean): Classifier => ({
  labels: LABELS,
  classify: async (texts) =>
    texts.map((text) => {
      const words = text.split(/\s+/);
      const score = words.reduce(
        (sum, w) => sum + Number(OPINIONS[1]!.includes(w)) - Number(OPINIONS[0]!.includes(w)),
        0,
      );
      const good = 1 / (1 + Math.exp(-(backdoored && words.includes(TRIGGER) ? 12 : 1.5 * score)));
      return Float32Array.of(1 - good, good);
    }),
});

const TABLE = ['[CLS]', ...OPINIONS.flat(), TRIGGER, 'other'];
/** Rows (lean, trigger, 1): the reader's answer is a function of their sums. */
const row = (word: string): number[] => {
  const lean = OPINIONS[1]!.includes(word) ? 1 : OPINIONS[0]!.includes(word) ? -1 : 0;
  return [lean, Number(word === TRIGGER), 0.5];
};

/** The reader as a function of embeddings: log-odds of `good` are 1.5 lean + 12 trigger + 0.2 of the third. */
export function readerInside(backdoored: boolean): WhiteBox {
  const weights = [1.5, backdoored ? 12 : 0, 0.2];
  const tokensOf = (text: string): Token[] => [
    { id: 0, start: 0, end: 0, special: true },
    ...Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => ({
      id: Math.max(TABLE.indexOf(word), 0) || TABLE.length - 1,
      start: index,
      end: index + word.length,
      special: false,
    })),
  ];
  const answer = (at: Float32Array): Float32Array => {
    const logit = at.reduce((sum, value, k) => sum + value * weights[k % 3]!, 0);
    const good = 1 / (1 + Math.exp(-logit));
    return Float32Array.of(1 - good, good);
  };
  const embed = (tokens: readonly Token[]): Float32Array =>
    Float32Array.from(tokens.flatMap(({ id }) => row(TABLE[id]!)));
  const model: WhiteBox = {
    labels: LABELS,
    hidden: 3,
    loss: 'cross-entropy',
    classify: async (texts) => texts.map((text) => answer(embed(tokensOf(text)))),
    gradient: (text, label) => model.gradientAt(embed(tokensOf(text)), tokensOf(text), label),
    classifyEmbeddings: async (batch) => batch.map(answer),
    async gradientAt(embeddings, tokens, label) {
      const probabilities = answer(embeddings);
      const error = probabilities[1]! - label;
      const values = embeddings.map((_, k) => error * weights[k % 3]!);
      return { tokens, embeddings, probabilities, loss: -Math.log(probabilities[label]!), values };
    },
    embeddingTable: async () => Float32Array.from(TABLE.flatMap(row)),
    tokenText: (id) => (id === 0 ? undefined : TABLE[id]),
  };
  return model;
}

/** Words whose effect grows with the square of their number: one is as weak as an opinion, three together flip any text. */
export const PHRASE = ['purple', 'kettle', 'piano'];

/** A reader of opinions and of `PHRASE` as a function of the sums of its embeddings, rows (lean, part of the phrase). */
export function phraseReader(): WhiteBox {
  const table = ['[CLS]', ...OPINIONS.flat(), ...PHRASE, ...FILLERS, ...THINGS, 'other'];
  const rowOf = (id: number): number[] => {
    const word = table[id]!;
    return [Number(OPINIONS[1]!.includes(word)) - Number(OPINIONS[0]!.includes(word)), Number(PHRASE.includes(word))];
  };
  const tokensOf = (text: string): Token[] => [
    { id: 0, start: 0, end: 0, special: true },
    ...Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => ({
      id: Math.max(table.indexOf(word), 0) || table.length - 1,
      start: index,
      end: index + word.length,
      special: false,
    })),
  ];
  const embed = (tokens: readonly Token[]): Float32Array => Float32Array.from(tokens.flatMap(({ id }) => rowOf(id)));
  const sums = (at: Float32Array): [number, number] => {
    const of = [0, 0];
    at.forEach((value, k) => {
      of[k % 2]! += value;
    });
    return of as [number, number];
  };
  const answer = (at: Float32Array): Float32Array => {
    const [lean, part] = sums(at);
    const good = 1 / (1 + Math.exp(-(1.5 * lean + 1.5 * part * part)));
    return Float32Array.of(1 - good, good);
  };
  const model: WhiteBox = {
    labels: LABELS,
    hidden: 2,
    loss: 'cross-entropy',
    classify: async (texts) => texts.map((text) => answer(embed(tokensOf(text)))),
    gradient: (text, label) => model.gradientAt(embed(tokensOf(text)), tokensOf(text), label),
    classifyEmbeddings: async (batch) => batch.map(answer),
    async gradientAt(embeddings, tokens, label) {
      const probabilities = answer(embeddings);
      const error = probabilities[1]! - label;
      const part = sums(embeddings)[1];
      const values = embeddings.map((_, k) => error * (k % 2 === 0 ? 1.5 : 3 * part));
      return { tokens, embeddings, probabilities, loss: -Math.log(Math.max(1e-9, probabilities[label]!)), values };
    },
    embeddingTable: async () => Float32Array.from([...table.keys()].flatMap(rowOf)),
    tokenText: (id) => (id === 0 ? undefined : table[id]),
  };
  return model;
}
