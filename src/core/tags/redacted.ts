/**
 * @file Where a redacted text differs from what was given: the spans that the output no longer holds, whether they became placeholders, masks
 * or nothing. Found by an alignment that keeps what letters it can: a gap costs as much as three letters, so that no lone letter of a placeholder
 * counts as one of the text.
 */

import { must } from '../errors.js';

/** A part of the text that is gone, in UTF-16 code units, and what stands in its place. */
interface RedactedSpan {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

export interface Redaction {
  readonly spans: readonly RedactedSpan[];
  /** Another alignment is as good and says other places: "a" of "a, a" may be either. */
  readonly ambiguous: boolean;
}

/** Cells of one alignment. */
const MOST_CELLS = 1 << 22;
/** In letters. */
const GAP = 3;

const MASK = /^[*#xX_.\-\u2022\u2588\u25CF\u25A0]$/u;

/** `output`: what a redactor made of `text`. Undefined where what they do not share at both ends is too long to align. */
export function redaction(text: string, output: string): Redaction | undefined {
  const masked = maskedSpans(text, output);
  if (masked !== undefined) return { spans: masked, ambiguous: false };
  let start = 0;
  while (start < Math.min(text.length, output.length) && text[start] === output[start]) start++;
  let tail = 0;
  const most = Math.min(text.length, output.length) - start;
  while (tail < most && text[text.length - 1 - tail] === output[output.length - 1 - tail]) tail++;
  // What a beginning took may belong to the end: "5, 5" without a number is "5" from either.
  const shared = Math.max(0, start + tail - Math.min(text.length, output.length) + 1);
  start = Math.max(0, start - shared - 1);
  tail = Math.max(0, tail - shared - 1);
  const [before, after] = [text.slice(start, text.length - tail), output.slice(start, output.length - tail)];
  if (before === after) return { spans: [], ambiguous: false };
  if ((before.length + 1) * (after.length + 1) > MOST_CELLS) return undefined;
  const [first, last] = [aligned(before, after, false), aligned(before, after, true)];
  const moved = first.map((span) => ({ ...span, start: span.start + start, end: span.end + start }));
  return { spans: moved, ambiguous: visibly(before, first) !== visibly(before, last) };
}

/** Spans without the blanks around them, to compare. */
const visibly = (text: string, spans: readonly RedactedSpan[]): string =>
  spans
    .map(({ start, end }) => [
      end - text.slice(start, end).trimStart().length,
      start + text.slice(start, end).trimEnd().length,
    ])
    .join(' ');

/** Of an output in which single letters became marks; undefined for another. */
function maskedSpans(text: string, output: string): RedactedSpan[] | undefined {
  if (text.length !== output.length) return undefined;
  const spans: RedactedSpan[] = [];
  for (let at = 0; at < text.length; at++) {
    const mark = output.charAt(at);
    if (mark === text[at]) continue;
    if (!MASK.test(mark)) return undefined;
    const before = spans.at(-1);
    if (before?.end === at) spans[spans.length - 1] = { ...before, end: at + 1, by: before.by + mark };
    else spans.push({ start: at, end: at + 1, by: mark });
  }
  return spans;
}

/** The least cost of aligning what follows each place of both texts: with a letter next, or within a gap. */
function costsOf(text: string, output: string) {
  const columns = output.length + 1;
  const size = (text.length + 1) * columns;
  const free = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  const inGap = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  const at = (costs: Float64Array, row: number, column: number): number =>
    row <= text.length && column < columns ? must(costs[row * columns + column]) : Number.POSITIVE_INFINITY;
  const isSame = (row: number, column: number): boolean => row < text.length && text[row] === output[column];
  for (let row = text.length; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--) {
      const ended = row === text.length && column === columns - 1;
      const kept = isSame(row, column) ? at(free, row + 1, column + 1) : ended ? 0 : Number.POSITIVE_INFINITY;
      const within = 1 + Math.min(at(inGap, row + 1, column), at(inGap, row, column + 1));
      inGap[row * columns + column] = Math.min(kept, within);
      free[row * columns + column] = Math.min(kept, GAP + within);
    }
  return { free, inGap, at, isSame };
}

/**
 * The gaps of the best alignment; of several, those that lie first, or with `late` last. A gap takes any letters of both sides, and at
 * least one of the text's.
 */
function aligned(text: string, output: string, late: boolean): RedactedSpan[] {
  const { free, inGap, at, isSame } = costsOf(text, output);
  const spans: RedactedSpan[] = [];
  let [row, column] = [0, 0];
  let gap: readonly [row: number, column: number] | undefined;
  while (row < text.length || column < output.length) {
    const cost = at(gap ? inGap : free, row, column);
    const next = cost - (gap ? 1 : GAP + 1);
    const drop = at(inGap, row + 1, column) === next;
    const keep = isSame(row, column) && at(free, row + 1, column + 1) === cost;
    // Letters are kept as early as may be, or as late.
    if (keep && (late !== (gap !== undefined) || !(drop || at(inGap, row, column + 1) === next))) {
      if (gap) spans.push({ start: gap[0], end: row, by: output.slice(gap[1], column) });
      gap = undefined;
      row++;
      column++;
    } else {
      gap ??= [row, column];
      if (drop) row++;
      else column++;
    }
  }
  if (gap) spans.push({ start: gap[0], end: row, by: output.slice(gap[1]) });
  return spans.filter(({ start, end }) => end > start);
}
