/**
 * @file Would a reader recognise a word at a glance? Readers go by a word's first and last letter and take the letters between
 * in nearly any order: a swap within a word slows reading by a tenth, one at its beginning by a third (Rayner, White, Johnson
 * and Liversedge 2006, "Raeding wrods with jubmled lettres: there is a cost", Psychological Science 17(3)).
 */
import type { Language } from '../core/language.js';
import { latinOf, letterOf } from './confusables.js';

/** The letters of a text as they look on paper: look-alikes, accents, case, what cannot be seen and what parts them aside. */
export function skeleton(text: string): string {
  const bare = text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '');
  const letters = Array.from(bare, latinOf).join('');
  // "10/10" is a number.
  const spelt = /\p{L}/u.test(letters) ? Array.from(letters, letterOf).join('') : letters;
  return spelt.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Letters of `a` that are not in `b`, each counted as often as it lacks. */
function lacking(a: readonly string[], b: readonly string[]): number {
  const left = [...b];
  return a.filter((letter) => {
    const at = left.indexOf(letter);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  }).length;
}

/**
 * Whether `now` looks like `original`: drawn alike; or the same first and last letter and, of at least two letters between,
 * all in whatever order but one that was added, lost or replaced. What spells another word of the language is read as that one.
 */
export function recognisable(original: string, now: string, { dictionary }: Pick<Language, 'dictionary'>): boolean {
  const [before, after] = [Array.from(skeleton(original)), Array.from(skeleton(now))];
  if (before.join('') === after.join('')) return true;
  if (before.length < 4 || before[0] !== after[0] || before.at(-1) !== after.at(-1) || after.length < 3) return false;
  const [inner, changed] = [before.slice(1, -1), after.slice(1, -1)];
  return lacking(inner, changed) <= 1 && lacking(changed, inner) <= 1 && dictionary?.has(now) !== true;
}
