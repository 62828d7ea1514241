/**
 * @file The answers for a search that queries an approximation of the victim. Every answer that flips the prediction is the victim's own: the
 * search ends only if the victim itself is fooled, and continues if only the approximation is.
 */
import type { Approximation, Classifier } from '../core/classifier.js';
import type { Decision } from '../core/decision.js';
import { must } from '../core/errors.js';
import type { Attempt, Confirmations } from '../core/outcome.js';
import { sameDecision } from './approximation.js';

export class ConfirmedAnswers {
  readonly #victim: Classifier;
  readonly #approximation: Approximation;
  readonly #decision: Decision;
  readonly #turned: (row: Float32Array) => boolean;
  readonly #known = new Map<string, Float32Array>();
  #refuted = 0;

  /** `turned`: does a row reach the search's goal, or change the decision? */
  constructor(
    victim: Classifier,
    approximation: Approximation,
    decision: Decision,
    turned: (row: Float32Array) => boolean,
  ) {
    this.#victim = victim;
    this.#approximation = approximation;
    this.#decision = decision;
    this.#turned = turned;
  }

  /** Queries of the victim itself, besides the search's own count, and how often it was not fooled although the approximation was. */
  get confirmations(): Confirmations {
    return { asked: this.#known.size, refuted: this.#refuted };
  }

  async classify(texts: readonly string[]): Promise<Float32Array[]> {
    const rows = await this.#approximation.classify(texts);
    return Promise.all(rows.map((row, at) => (this.#turned(row) ? this.#confirmed(must(texts[at])) : row)));
  }

  /** The attempt with the victim's answer to its text, whose query `queryOf` builds; a success that the victim does not confirm becomes a failure. */
  async confirm(attempt: Attempt, queryOf: (text: string) => string): Promise<Attempt> {
    const { succeeded, probabilities } = attempt;
    if (!succeeded || attempt.text === undefined) return attempt;
    const text = queryOf(attempt.text);
    const row = this.#known.get(text) ?? (await this.#ask(text));
    if (sameDecision(this.#decision, row, probabilities)) return { ...attempt, probabilities: row };
    this.#refuted++;
    return { ...attempt, succeeded: false, probabilities: row, reason: 'the model itself does not confirm it' };
  }

  async #confirmed(text: string): Promise<Float32Array> {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const row = await this.#ask(text);
    if (!this.#turned(row)) this.#refuted++;
    return row;
  }

  async #ask(text: string): Promise<Float32Array> {
    const [row] = await this.#victim.classify([text]);
    this.#known.set(text, must(row));
    return must(row);
  }
}
