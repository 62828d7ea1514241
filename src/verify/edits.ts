/** @file The places at which a space offers edits of a text. */
import type { TextEdit } from '../core/text-edit.js';

/** A stretch of a text and the edits that begin there. */
export interface EditPlace {
  readonly start: number;
  readonly end: number;
  /** The most informative edits come first. Each call lists the same ones. */
  edits(): Iterable<TextEdit>;
}

/** The smallest single edit that turns one text into another. */
export function editBetween(before: string, after: string): TextEdit {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < most - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

const isInsertion = ({ start, end }: TextEdit): boolean => start === end;

/** The two edits in ascending order, in each order that gives a text of its own; none where they overlap. */
export function pairsOf(a: TextEdit, b: TextEdit): (readonly [TextEdit, TextEdit])[] {
  if (isInsertion(a) && isInsertion(b) && a.start === b.start) {
    return [
      [a, b],
      [b, a],
    ];
  }
  if (a.end <= b.start) return [[a, b]];
  return b.end <= a.start ? [[b, a]] : [];
}
