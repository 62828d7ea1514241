/** @file Counts in which direction the answers of two models to the same texts differ. */
import { type Decision, isDetector, isLabeller } from '../../core/decision.js';
import { mcnemarExact, pairedDifference } from '../../core/paired.js';
import { wilson } from '../../core/stats.js';
import type { DifferenceDirection } from '../../core/unlabelled-comparison.js';

/** Message of a comparison that was stopped. */
export const INTERRUPTED = 'the comparison was interrupted';

/** A model's answer to a text. */
export interface LogAnswer {
  readonly text: string;
  /** Undefined for models of the most probable label, which have no label to flag. */
  readonly flagged: boolean | undefined;
}

/** A different text of the log with both answers. */
export interface AnsweredText {
  readonly id: string;
  readonly text: string;
  readonly copies: number;
  readonly rows: readonly [Float32Array, Float32Array];
  readonly a: LogAnswer;
  readonly b: LogAnswer;
  /** Undefined if the answers agree. */
  readonly direction: DifferenceDirection | undefined;
}

/** The answer of a row. */
export function logAnswer(decision: Decision, labels: readonly string[], row: Float32Array): LogAnswer {
  if (isDetector(decision)) {
    const flagged = decision.detects(row);
    return { text: flagged ? 'detected' : 'not detected', flagged };
  }
  const names = decision.labels(row).map((label) => labels[label]!);
  if (isLabeller(decision)) return { text: names.join(', ') || 'no label', flagged: names.length > 0 };
  return { text: names[0] ?? 'tied', flagged: undefined };
}

export function directionOf(a: LogAnswer, b: LogAnswer): DifferenceDirection | undefined {
  if (a.flagged !== b.flagged) return a.flagged ? 'laxer' : 'stricter';
  return a.text === b.text ? undefined : 'other';
}

/** The figures of some texts. */
export function disagreementOf(texts: readonly Pick<AnsweredText, 'a' | 'b' | 'direction'>[]) {
  const n = texts.length;
  const counted = (direction: DifferenceDirection): number =>
    texts.filter((text) => text.direction === direction).length;
  const [laxer, stricter, other] = [counted('laxer'), counted('stricter'), counted('other')];
  const both = texts.filter(({ a, b }) => a.flagged && b.flagged).length;
  const flagging = texts.some(({ a }) => a.flagged !== undefined);
  const counts = { both, onlyA: laxer, onlyB: stricter, neither: n - both - laxer - stricter };
  return {
    disagreement: wilson(laxer + stricter + other, n),
    laxer: wilson(laxer, n),
    stricter: wilson(stricter, n),
    other: wilson(other, n),
    difference: flagging ? pairedDifference(counts) : { value: null, low: null, high: null, n: 0 },
    mcnemarP: flagging ? mcnemarExact(laxer, stricter) : null,
  };
}
