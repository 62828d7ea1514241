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

/** A reader of the sums of its embeddings, column by column: `logit` is the log-odds of `good`, `slopes` are its derivatives by each sum. */
function readerOfSums(
  table: readonly string[],
  rowOf: (word: string) => readonly number[],
  logit: (sums: readonly number[]) => number,
  slopes: (sums: readonly number[]) => readonly number[],
): WhiteBox {
  const rows = table.map(rowOf);
  const hidden = rows[0]!.length;
  const tokensOf = (text: string): Token[] => [
    { id: 0, start: 0, end: 0, special: true },
    ...Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => ({
      id: Math.max(table.indexOf(word), 0) || table.length - 1,
      start: index,
      end: index + word.length,
      special: false,
    })),
  ];
  const sumsOf = (embeddings: Float32Array): number[] =>
    Array.from({ length: hidden }, (_, column) =>
      embeddings.reduce((sum, value, k) => (k % hidden === column ? sum + value : sum), 0),
    );
  const answer = (embeddings: Float32Array): Float32Array => {
    const good = 1 / (1 + Math.exp(-logit(sumsOf(embeddings))));
    return Float32Array.of(1 - good, good);
  };
  const embed = (tokens: readonly Token[]): Float32Array => Float32Array.from(tokens.flatMap(({ id }) => rows[id]!));
  const model: WhiteBox = {
    labels: LABELS,
    hidden,
    loss: 'cross-entropy',
    classify: async (texts) => texts.map((text) => answer(embed(tokensOf(text)))),
    gradient: (text, label) => model.gradientAt(embed(tokensOf(text)), tokensOf(text), label),
    classifyEmbeddings: async (batch) => batch.map(answer),
    async gradientAt(embeddings, tokens, label) {
      const probabilities = answer(embeddings);
      const error = probabilities[1]! - label;
      const slope = slopes(sumsOf(embeddings));
      const values = embeddings.map((_, k) => error * slope[k % hidden]!);
      return { tokens, embeddings, probabilities, loss: -Math.log(Math.max(1e-9, probabilities[label]!)), values };
    },
    embeddingTable: async () => Float32Array.from(rows.flat()),
    tokenText: (id) => (id === 0 ? undefined : table[id]),
  };
  return model;
}

const leanOf = (word: string): number => Number(OPINIONS[1]!.includes(word)) - Number(OPINIONS[0]!.includes(word));

/** The reader as a function of embeddings, rows (lean, trigger, 0.5). */
export function readerInside(backdoored: boolean): WhiteBox {
  const weights = [1.5, backdoored ? 12 : 0, 0.2];
  return readerOfSums(
    ['[CLS]', ...OPINIONS.flat(), TRIGGER, 'other'],
    (word) => [leanOf(word), Number(word === TRIGGER), 0.5],
    (sums) => weights.reduce((logit, weight, column) => logit + weight * sums[column]!, 0),
    () => weights,
  );
}

/** Words whose effect grows with the square of their number: one is as weak as an opinion, three together flip any text. */
export const PHRASE = ['purple', 'kettle', 'piano'];

/** A reader of opinions and of `PHRASE` as a function of embeddings, rows (lean, part of the phrase). */
export const phraseReader = (): WhiteBox =>
  readerOfSums(
    ['[CLS]', ...OPINIONS.flat(), ...PHRASE, ...FILLERS, ...THINGS, 'other'],
    (word) => [leanOf(word), Number(PHRASE.includes(word))],
    ([lean = 0, part = 0]) => 1.5 * lean + 1.5 * part * part,
    ([, part = 0]) => [1.5, 3 * part],
  );
