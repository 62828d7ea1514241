/** @file Offsets of spans in code points, as data and services write them; within the product they are in UTF-16 code units. */
import { must } from '../errors.js';
import type { TagSpan } from './span.js';

/** The offset of each code point in UTF-16 code units, and the length. */
export function codePointOffsets(text: string): number[] {
  const offsets = [0];
  for (const character of text) offsets.push(must(offsets.at(-1)) + character.length);
  return offsets;
}

/** Spans that begin and end between code points, with offsets in those. */
export function inCodePoints<S extends Pick<TagSpan, 'start' | 'end'>>(text: string, spans: readonly S[]): S[] {
  const points = new Map(codePointOffsets(text).map((offset, at) => [offset, at]));
  return spans.map((span) => ({ ...span, start: must(points.get(span.start)), end: must(points.get(span.end)) }));
}
