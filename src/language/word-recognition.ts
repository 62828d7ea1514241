/**
 * @file Decides whether readers recognise a word at a glance. They use the first and last letter and read the letters between in nearly any
 * order. A swap within a word slows reading by a tenth, one at its beginning by a third (Rayner, White, Johnson and Liversedge 2006,
 * "Raeding wrods with jubmled lettres: there is a cost", Psychological Science 17(3)).
 */
import type { Language } from '../core/language.js';
import { latinOf, letterOf } from './confusables.js';

/** The visible outline of a text: without look-alikes, accents, case, invisible characters and separators. */
export function skeleton(text: string): string {
  // Letters that are their own outline.
  if (/^[a-z]*$/i.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '');
  const letters = Array.from(bare, latinOf).join('');
  // "10/10" is a number.
  const spelt = /\p{L}/u.test(letters) ? Array.from(letters, letterOf).join('') : letters;
  return spelt.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Number of letters of `a` that `b` lacks, with multiplicity. */
function lacking(a: readonly string[], b: readonly string[]): number {
  const left = [...b];
  return a.filter((letter) => {
    const at = left.indexOf(letter);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  }).length;
}

/**
 * Whether `now` is readable as `original`. Either they look alike, or first and last letter agree and, of at least two letters between, all
 * remain in any order except one that was added, lost or replaced. A different dictionary word is read as that word.
 */
export function recognisable(original: string, now: string, { dictionary }: Pick<Language, 'dictionary'>): boolean {
  const [before, after] = [Array.from(skeleton(original)), Array.from(skeleton(now))];
  if (before.join('') === after.join('')) return true;
  if (before.length < 4 || before[0] !== after[0] || before.at(-1) !== after.at(-1) || after.length < 3) return false;
  const [inner, changed] = [before.slice(1, -1), after.slice(1, -1)];
  return lacking(inner, changed) <= 1 && lacking(changed, inner) <= 1 && dictionary?.has(now) !== true;
}

/** Letters from which on a name differs from others by more than one. */
const LONG_NAME = 6;

/**
 * The same of a word of an entity, as it is displayed: a right-to-left override (UAX 9) reverses what is stored.
 * Other letters make another name of a short one ("Trivo", "Tivo"), and another code of one in capitals.
 */
export function recognisableName(original: string, now: string, language: Pick<Language, 'dictionary'>): boolean {
  const shown = now.replaceAll(/\u202E([^\u202C\n]*)\u202C?/gu, (_, run: string) =>
    [...run.normalize('NFC')].reverse().join(''),
  );
  const [before, after] = [skeleton(original), skeleton(shown)];
  const sorted = (text: string): string => [...text].sort().join('');
  if (before === after) return true;
  if (/^\p{Lu}{2,5}$/u.test(original) || (before.length < LONG_NAME && sorted(before) !== sorted(after))) return false;
  return recognisable(original, shown, language);
}
