/** @file Does the victim repeat its answers? Some of the first texts are queried again, past every cache, and the answers compared. */
import type { Decision } from '../core/decision.js';
import { ModelGone, must } from '../core/errors.js';
import type { Repeatability } from '../results/clean/clean-metrics.js';
import { hasAnswer } from './answers.js';
import { sameDecision } from './approximation.js';
import type { Repeating } from './plan.js';

/** Texts that are queried again. */
export const CHECKED_TEXTS = 16;

export class AnswerCheck {
  readonly #victim: Repeating;
  readonly #decision: Decision;
  readonly #first: readonly (readonly [text: string, row: Float32Array])[];

  private constructor(victim: Repeating, decision: Decision, first: readonly (readonly [string, Float32Array])[]) {
    this.#victim = victim;
    this.#decision = decision;
    this.#first = first;
  }

  /** Asks the first of these texts together; texts that fail are left out. Throws ModelGone. */
  static async of(victim: Repeating, texts: readonly string[], decision: Decision): Promise<AnswerCheck> {
    const queries = [...new Set(texts.slice(0, CHECKED_TEXTS))];
    const rows = await Promise.all(queries.map((text) => answered(async () => (await victim.classify([text]))[0])));
    const first = queries.flatMap((text, at) => {
      const row = rows[at];
      return row === undefined ? [] : [[text, row] as const];
    });
    return new AnswerCheck(victim, decision, first);
  }

  /**
   * Asks each again twice, one by one: in reverse and in order, so that no rhythm of the answers fits both. Undefined where every answer is
   * the same to the bit. Throws ModelGone.
   */
  async measure(): Promise<Repeatability | undefined> {
    const [queries, changed] = [new Set<string>(), new Set<string>()];
    let difference = 0;
    for (const [text, before] of [...this.#first.toReversed(), ...this.#first]) {
      const row = await answered(() => this.#victim.again(text));
      if (row?.length !== before.length) continue;
      queries.add(text);
      if (!sameDecision(this.#decision, row, before)) changed.add(text);
      difference = Math.max(difference, ...row.map((score, at) => Math.abs(score - must(before[at]))));
    }
    return difference > 0 ? { asked: queries.size, changed: changed.size, difference } : undefined;
  }
}

/** The worse of two measurements of the same texts. */
export const worseOf = (
  one: Repeatability | undefined,
  other: Repeatability | undefined,
): Repeatability | undefined => {
  if (one === undefined || other === undefined) return one ?? other;
  const worse = other.changed === one.changed ? other.difference > one.difference : other.changed > one.changed;
  return worse ? other : one;
};

/** An error or a refusal is no answer that could differ. */
async function answered(ask: () => Promise<Float32Array | undefined>): Promise<Float32Array | undefined> {
  try {
    const row = await ask();
    return row !== undefined && hasAnswer(row) ? row : undefined;
  } catch (error) {
    if (error instanceof ModelGone) throw error;
    return undefined;
  }
}
