/** @file Edits of single words for diagnostics: as the attacks make them, and of kinds that no attack of standard-characters uses. */
import { distance } from 'fastest-levenshtein';
import { wordsOf } from '../core/draft.js';
import type { Language } from '../core/language.js';
import type { Random } from '../core/random.js';
import { applyEdits, type TextEdit } from '../core/text-edit.js';
import { dropped, graphemesOf, insertText, substituted, swapLetters } from '../language/character-edits.js';
import { recognisable } from '../language/word-recognition.js';

/** An edit of a shorter word leaves nothing to recognise it by. */
const MIN_LETTERS = 4;
/** Words beyond this one may lie behind the end of what the victim reads. */
const MAX_WORDS = 100;

export interface EditableWord {
  readonly start: number;
  readonly end: number;
  readonly letters: readonly string[];
}

/** The first words of a text, with their letters. */
export const firstWords = (text: string): EditableWord[] =>
  wordsOf(text)
    .slice(0, MAX_WORDS)
    .map(({ text: word, start }) => ({ start, end: start + word.length, letters: graphemesOf(word) }));

export const isEditable = ({ letters }: EditableWord): boolean => letters.length >= MIN_LETTERS;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'.split('');
/** Digits that resemble no letter. */
const DIGITS = ['2', '6', '7', '9'];

export type EditKind = 'own' | 'foreign';

/** Draws of an edit until a reader still recognises the word. */
const DRAWS = 8;

/**
 * A word with one edited letter that a reader still recognises; undefined if no draw found such an edit. The first and the last letter stay.
 * `own`: two neighbours swapped, a letter dropped, inserted or replaced by one of a-z. `foreign`: a letter replaced by a digit, or an
 * apostrophe inserted.
 */
export function editWord(
  { start, end, letters }: EditableWord,
  kind: EditKind,
  language: Language,
  random: Random,
): TextEdit | undefined {
  for (let draw = 0; draw < DRAWS; draw++) {
    const inner = 1 + random.int(letters.length - 2);
    const text = kind === 'own' ? ownEdit(letters, inner, random) : foreignEdit(letters, inner, random);
    if (recognisable(letters.join(''), text, language)) return { start, end, text };
  }
  return undefined;
}

function ownEdit(letters: readonly string[], at: number, random: Random): string {
  const swappable = at + 1 < letters.length - 1 && letters[at] !== letters[at + 1];
  const replacing = random.pick(ALPHABET.filter((letter) => letter !== letters[at]?.toLowerCase()));
  switch (random.int(swappable ? 4 : 3)) {
    case 0:
      return dropped(letters, at);
    case 1:
      return insertText(letters, at, random.pick(ALPHABET));
    case 2:
      return substituted(letters, at, replacing);
    default:
      return swapLetters(letters, at);
  }
}

function foreignEdit(letters: readonly string[], at: number, random: Random): string {
  return random.int(2) === 0 ? substituted(letters, at, random.pick(DIGITS)) : insertText(letters, at, "'");
}

/**
 * A random number of words edited, within the limits of standard-characters: one edit in eight characters, every word recognisable. Undefined
 * if no word can be edited.
 */
export function randomRewrite(text: string, kind: EditKind, language: Language, random: Random): string | undefined {
  const words = random.shuffle(firstWords(text).filter(isEditable));
  const edits: TextEdit[] = [];
  let left = Math.ceil(text.length / 8);
  for (const word of words.slice(0, words.length === 0 ? 0 : 1 + random.int(words.length))) {
    const edit = editWord(word, kind, language, random);
    const cost = edit === undefined ? 0 : distance(word.letters.join(''), edit.text);
    if (edit === undefined || cost > left) continue;
    left -= cost;
    edits.push(edit);
  }
  return edits.length === 0
    ? undefined
    : applyEdits(
        text,
        edits.toSorted((a, b) => a.start - b.start),
      );
}
