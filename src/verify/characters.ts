/** @file The space of one character: inserted, deleted, replaced by another, or swapped with the next. */
import type { TextEdit } from '../core/text-edit.js';
import { graphemesOf } from '../language/character-edits.js';
import type { EditPlace } from './edits.js';

const BLANK = ' ';

/**
 * The positions of a text, each with its edits. A character is a letter with its combining marks. The first edits of a position, its deletion
 * and an inserted blank, show how much the model's answer depends on it. Each resulting text is listed once; with `repeats` each edit is,
 * which pairs of edits need: of two equal letters either one may be deleted beside another edit.
 */
export function* characterPlaces(text: string, alphabet: readonly string[], repeats = false): Generator<EditPlace> {
  const letters = graphemesOf(text);
  const ordered = [...alphabet.filter((each) => each === BLANK), ...alphabet.filter((each) => each !== BLANK)];
  let start = 0;
  for (let at = 0; at <= letters.length; at++) {
    const [letter = '', next] = [letters[at], letters[at + 1]];
    const end = start + letter.length;
    const place = { start, end };
    yield { ...place, edits: () => editsAt(place, letter, next, ordered, repeats) };
    start = end;
  }
}

function* editsAt(
  { start, end }: Pick<EditPlace, 'start' | 'end'>,
  letter: string,
  next: string | undefined,
  alphabet: readonly string[],
  repeats: boolean,
): Generator<TextEdit> {
  // Beside its like a character is inserted behind it and deleted last: the text is the same.
  if (letter !== '' && (repeats || letter !== next)) yield { start, end, text: '' };
  for (const character of alphabet) if (repeats || character !== letter) yield { start, end: start, text: character };
  if (letter === '') return;
  for (const character of alphabet) if (character !== letter) yield { start, end, text: character };
  if (next !== undefined && next !== letter) yield { start, end: end + next.length, text: next + letter };
}

/** The characters that texts are written in, in the order of their code points; of those that a reader cannot see only the blank. */
export function charactersOf(texts: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const text of texts)
    for (const character of text) if (character === BLANK || !/[\p{C}\p{Z}]/u.test(character)) found.add(character);
  return [...found].sort((a, b) => (a < b ? -1 : 1));
}
