/**
 * @file A prediction as a cooperative game: the players are the words, and a coalition's value is the model's answer to these words alone.
 */
import { setImmediate } from 'node:timers/promises';
import type { Classifier } from '../core/classifier.js';
import { must } from '../core/errors.js';
import type { WeightScale } from '../results/report/explanation.js';
import type { Coalition, MaskedText } from './masked-text.js';

export type { Coalition } from './masked-text.js';

export interface CoalitionGame {
  /** Number of players. */
  readonly size: number;
  /** One value per coalition. Equal coalitions are computed once. */
  values(coalitions: readonly Coalition[]): Promise<Float64Array>;
}

/** Texts per call: while workers compute them, the next ones are encoded. */
const TEXTS_PER_CALL = 256;
/** Log-odds stay within +-27.6, beyond which single precision carries no information. */
const MIN_PROBABILITY = 1e-12;

/**
 * The explained value of a row of probabilities: p, or ln(p / (1 - p)) with 1 - p as the sum of the other columns, which avoids rounding
 * errors.
 */
export function valueFrom(probabilities: ArrayLike<number>, label: number, scale: WeightScale): number {
  const p = must(probabilities[label]);
  if (scale === 'probability') return p;
  let others = 0;
  for (let at = 0; at < probabilities.length; at++) if (at !== label) others += must(probabilities[at]);
  // Rows of independent sigmoids do not sum to 1.
  if (Math.abs(others + p - 1) > 1e-3) others = 1 - p;
  return Math.log(Math.max(p, MIN_PROBABILITY) / Math.max(others, MIN_PROBABILITY));
}

/** The explained quantity: a label, or a score of several labels. */
export interface ExplainedValue {
  /** Index of the label. */
  readonly label: number;
  readonly scale: WeightScale;
  /** From 0 to 1; explained instead of the label's probability. */
  readonly score?: { of(probabilities: ArrayLike<number>): number } | undefined;
}

const explainedValue = ({ label, scale, score }: ExplainedValue): ((probabilities: Float32Array) => number) =>
  score === undefined
    ? (probabilities) => valueFrom(probabilities, label, scale)
    : (probabilities) => {
        const value = score.of(probabilities);
        return valueFrom([value, 1 - value], 0, scale);
      };

export const fullCoalition = (size: number): Coalition => new Uint8Array(size).fill(1);
export const emptyCoalition = (size: number): Coalition => new Uint8Array(size);

export class WordGame implements CoalitionGame {
  readonly size: number;
  readonly #classifier: Classifier;
  readonly #masked: MaskedText;
  readonly #value: (probabilities: Float32Array) => number;
  /** By text, because two coalitions may give the same text. */
  readonly #known = new Map<string, number>();

  constructor(classifier: Classifier, masked: MaskedText, explained: ExplainedValue) {
    this.size = masked.words.length;
    this.#classifier = classifier;
    this.#masked = masked;
    this.#value = explainedValue(explained);
  }

  /** Number of distinct texts sent so far. */
  get queries(): number {
    return this.#known.size;
  }

  async values(coalitions: readonly Coalition[]): Promise<Float64Array> {
    const texts = coalitions.map((kept) => this.#masked.keep(kept));
    const unknown = [...new Set(texts)].filter((text) => !this.#known.has(text));
    // Long texts first, so that the last batches, which may leave a worker idle, are short.
    unknown.sort((a, b) => b.length - a.length);
    const answers: Promise<void>[] = [];
    for (let from = 0; from < unknown.length; from += TEXTS_PER_CALL) {
      const step = unknown.slice(from, from + TEXTS_PER_CALL);
      answers.push(this.#ask(step));
      if (from + TEXTS_PER_CALL < unknown.length) await setImmediate();
    }
    await Promise.all(answers);
    return Float64Array.from(texts, (text) => must(this.#known.get(text)));
  }

  async #ask(texts: readonly string[]): Promise<void> {
    const rows = await this.#classifier.classify(texts);
    texts.forEach((text, at) => void this.#known.set(text, this.#value(must(rows[at]))));
  }
}
