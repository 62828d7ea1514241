/** @file Which edits the constraints of a run allow: those on attacks hold for the exhaustive check too. */
import { Draft } from '../core/draft.js';
import type { Language } from '../core/language.js';
import type { Constraint } from '../core/search.js';
import { applyEdits, type TextEdit } from '../core/text-edit.js';
import type { EditedText } from './check.js';

/** A filter of the candidates of one text. An edit that touches a word which may not be edited, or its borders, is not allowed. */
export function allowedEdits(
  text: string,
  constraints: readonly Constraint[],
  language: Language,
): (candidates: readonly EditedText[]) => Promise<readonly EditedText[]> {
  if (constraints.length === 0) return async (candidates) => candidates;
  const original = Draft.of(text);
  const { spans, size } = original;
  const kept = Array.from({ length: size }, (_, slot) => slot)
    .filter((slot) => constraints.some(({ editable }) => editable?.(original, slot, language) === false))
    .map((slot) => [spans[2 * slot] as number, spans[2 * slot + 1] as number] as const);
  const isFree = ({ start, end }: TextEdit): boolean => kept.every(([from, to]) => end < from || start > to);
  return async (candidates) => {
    let allowed = candidates.filter(({ edits }) => edits.every(isFree));
    for (const { accepts } of constraints) {
      if (accepts === undefined || allowed.length === 0) continue;
      const drafts = allowed.map(({ edits }) => draftOf(original, edits));
      const accepted = await accepts(drafts, original, language);
      allowed = allowed.filter((_, at) => accepted[at]);
    }
    return allowed;
  };
}

/** The draft of the original with these edits: what is inserted beside a word belongs to the word, unless it is a blank. */
export function draftOf(original: Draft, edits: readonly TextEdit[]): Draft {
  const { spans, size, text } = original;
  const edited = applyEdits(text, edits);
  /** The offset, in the edited text, of a border between pieces; `left`: an insertion there belongs to the piece before it. */
  const move = (border: number, left: (put: string) => boolean): number => {
    let to = border;
    for (const { start, end, text: put } of edits) {
      if (start === end ? start < border || (start === border && left(put)) : end <= border)
        to += put.length - (end - start);
      else if (start < border) to += start + put.length - border;
    }
    return to;
  };
  const isBlank = (put: string): boolean => /^\s*$/.test(put);
  const bounds = Array.from(spans, (border, at) => move(border, at % 2 === 0 ? isBlank : (put) => !isBlank(put)));
  let draft = original;
  let from = 0;
  for (let slot = 0; slot <= size; slot++) {
    const [start = edited.length, end = edited.length] = bounds.slice(2 * slot, 2 * slot + 2);
    const gap = edited.slice(from, start);
    if (gap !== original.gapBefore(slot)) draft = draft.withGap(slot, gap);
    if (slot === size) break;
    const word = edited.slice(start, end);
    if (word !== original.word(slot)) draft = draft.replace(slot, word);
    from = end;
  }
  return draft;
}
