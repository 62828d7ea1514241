/**
 * Homoglyphs: replaces Latin letters by look-alikes from other alphabets.
 *
 * Threat: spam and abuse that must look unchanged: a person sees the word, the model receives other characters.
 * Example: "good" -> "gооd" (both o are Cyrillic)
 * Readable because: look-alikes have the same shape in common fonts, so readers notice nothing.
 * Paper: Nicholas Boucher, Ilia Shumailov, Ross Anderson and Nicolas Papernot, "Bad Characters: Imperceptible NLP Attacks",
 * IEEE S&P 2022; https://arxiv.org/abs/2106.09898
 * Differs: the paper searches positions by differential evolution over the whole text. Here words are taken by importance,
 * with one letter or all of them at once, which takes tens instead of hundreds of queries. Its budgets are up to 5 edits;
 * ours is 5 words. Its look-alikes come from the whole confusables list; ours are the closest one per letter, in Arabic the
 * presentation forms of a word, in Devanagari vowels written as a letter with a sign.
 */
import { presentationForms } from '../src/language/confusables.js';
import { graphemesOf, homoglyph, letterAttack, substituted } from '../src/plugin.js';

function* rewrites(word: string): Iterable<string> {
  const letters = graphemesOf(word);
  for (const [at, letter] of letters.entries()) {
    const double = homoglyph(letter);
    if (double !== undefined) yield substituted(letters, at, double);
  }
  yield letters.map((letter) => homoglyph(letter) ?? letter).join('');
  const drawn = presentationForms(word);
  if (drawn !== undefined) yield drawn;
}

export const homoglyphs = letterAttack({
  name: 'homoglyphs',
  summary: 'Replaces letters by look-alikes from other alphabets: "good" with a Cyrillic o.',
  paper: { title: 'Bad Characters: Imperceptible NLP Attacks', url: 'https://arxiv.org/abs/2106.09898' },
  readers: ['person', 'language model'],
  edit: 'letters of another alphabet',
  rewrites,
  fiveWords: 'contain a look-alike (paper: budgets of up to 5 edits)',
});
