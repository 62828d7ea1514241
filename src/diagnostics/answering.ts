/** @file Answers to the queries of diagnostics: a text that the victim cannot answer is part of the evidence, not an error. */
import type { Classifier } from '../core/classifier.js';
import { ModelGone } from '../core/errors.js';
import { isRefusal } from '../core/refusal.js';

/** Counts the texts that a victim is queried with. */
export class Answering {
  queries = 0;
  /** Every answer to a text. */
  readonly rows: Float32Array[] = [];
  readonly #victim: Pick<Classifier, 'classify'>;

  constructor(victim: Pick<Classifier, 'classify'>) {
    this.#victim = victim;
  }

  /** One answer per text; undefined for errors, refusals and scores that are not finite. Throws ModelGone. */
  async ask(texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    this.queries += texts.length;
    const rows = await this.#rows(texts);
    const answers = texts.map((_, at) => {
      const row = rows[at];
      return row !== undefined && !isRefusal(row) && row.every(Number.isFinite) ? row : undefined;
    });
    this.rows.push(...answers.filter((row) => row !== undefined));
    return answers;
  }

  async #rows(texts: readonly string[]): Promise<readonly (Float32Array | undefined)[]> {
    try {
      return texts.length === 0 ? [] : await this.#victim.classify(texts);
    } catch (error) {
      if (error instanceof ModelGone) throw error;
      if (texts.length === 1) return [undefined];
      // One text must not cost its batch.
      const rows: (Float32Array | undefined)[] = [];
      for (const text of texts) rows.push(...(await this.#rows([text])));
      return rows;
    }
  }
}

/** Key of an answer: equal for answers that are equal to the bit. */
export const keyOf = (row: Float32Array): string => row.join(' ');
