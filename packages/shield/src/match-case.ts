/** @file Capitals. */

/** A word with the capitalisation of another: FILM or Film or film. A name keeps its own capitals. */
export function matchCase(word: string, like: string): string {
  const letters = like.replace(/[^\p{L}]/gu, '');
  if (letters.length > 1 && letters === letters.toUpperCase() && letters !== letters.toLowerCase())
    return word.toUpperCase();
  const first = letters.charAt(0);
  return first !== first.toLowerCase() ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}
