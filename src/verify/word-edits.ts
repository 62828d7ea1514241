/** @file Edits of one word or of the blanks between words: a typo, a look-alike, another layout. */
import type { Language } from '../core/language.js';
import {
  caseOf,
  dropped,
  graphemesOf,
  insertText,
  staysHidden,
  substituted,
  swapLetters,
} from '../language/character-edits.js';
import { homoglyph, leetSigns, presentationForms } from '../language/confusables.js';

/** The typos of a word: known misspellings, spellings by ear, letters swapped, dropped or doubled, and keys beside the right one. */
export function* typosOf(word: string, { dictionary, keyboard, misspellings }: Language): Generator<string> {
  for (const typo of allTypos()) if (dictionary?.has(typo) !== true) yield typo;

  function* allTypos(): Generator<string> {
    yield* misspellings?.known(word) ?? [];
    yield* misspellings?.bySound(word) ?? [];
    const letters = graphemesOf(word);
    for (let at = 0; at + 1 < letters.length; at++) yield swapLetters(letters, at);
    for (const [at, letter] of letters.entries()) {
      if (letters.length > 1) yield dropped(letters, at);
      yield insertText(letters, at, letter);
      for (const key of keyboard?.neighbours(letter, 'near') ?? []) yield substituted(letters, at, key);
      for (const key of keyboard?.neighbours(letter, 'touching') ?? []) {
        yield substituted(letters, at, key);
        yield insertText(letters, at, key);
        yield insertText(letters, at + 1, key);
      }
    }
  }
}

/** The word with one letter, or all that have one, replaced by a letter or a sign that looks alike. */
export function* lookAlikesOf(word: string): Generator<string> {
  const letters = graphemesOf(word);
  for (const [at, letter] of letters.entries()) {
    const double = homoglyph(letter);
    if (double !== undefined) yield substituted(letters, at, double);
    for (const sign of leetSigns(letter)) yield substituted(letters, at, sign);
  }
  yield letters.map((letter) => homoglyph(letter) ?? letter).join('');
  const forms = presentationForms(word);
  if (forms !== undefined) yield forms;
}

/** Zero-width space, non-joiner and joiner, word joiner, soft hyphen. */
const INVISIBLE = ['\u200b', '\u200c', '\u200d', '\u2060', '\u00ad'];
const MARKS = [' ', '.', '-', "'"];

/** The word with its letters set apart, with a mark or an invisible character inside, and in another case. */
export function* layoutsOf(word: string, language: Language): Generator<string> {
  const letters = graphemesOf(word);
  const upper = letters.map(caseOf(language).upper);
  const lower = letters.map(caseOf(language).lower);
  const unseen = INVISIBLE.filter((hidden) => staysHidden(hidden, word));
  const flipped = letters.map((letter, at) => (letter === upper[at] ? lower[at] : upper[at]) as string);
  for (let at = 1; at < letters.length; at++) {
    for (const mark of MARKS) yield insertText(letters, at, mark);
    for (const hidden of unseen) yield insertText(letters, at, hidden);
  }
  for (const mark of MARKS) yield letters.join(mark);
  for (const hidden of unseen) yield letters.join(hidden);
  yield upper.join('');
  yield lower.join('');
  yield upper.slice(0, 1).concat(lower.slice(1)).join('');
  for (const [first, second] of [
    [upper, lower],
    [lower, upper],
  ] as const)
    yield letters.map((_, at) => (at % 2 === 0 ? first : second)[at]).join('');
  for (const at of letters.keys()) yield substituted(letters, at, flipped[at] as string);
}

/** Replacements of the blanks between two words. */
export const GAPS: readonly string[] = ['', ' ', '  ', '\t', '\n', '\u00a0'];
