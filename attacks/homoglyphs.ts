/**
 * Homoglyphs: Latin letters replaced by their doubles from other alphabets.
 *
 * Threat: spam and abuse that must look untouched: what a person sees is the word, what the model gets is not.
 * Example: "good" -> "gооd" (both o are Cyrillic)
 * Readable because: the doubles are drawn alike in common fonts, so the reading does not change at all.
 * Paper: Nicholas Boucher, Ilia Shumailov, Ross Anderson and Nicolas Papernot, "Bad Characters: Imperceptible NLP Attacks", IEEE
 * S&P 2022; https://arxiv.org/abs/2106.09898
 * Differs: the paper searches positions by differential evolution over the whole text; here words are taken by importance, one
 * letter or all of them at once, which asks tens of queries where it asks hundreds. Its budgets are up to 5 edits; ours is 5
 * words. Its doubles come from the whole confusables list; ours are the closest one a letter.
 */
import {
  compose,
  type EvasionPlugin,
  greedy,
  homoglyph,
  lettersOf,
  maxWords,
  noRepeat,
  rankingOption,
  rankings,
  substituted,
  swapWords,
  z,
} from '../src/index.js';

const options = z.strictObject({
  maxWords: z.int().min(1).default(5).describe('words that may hold a double (paper: budgets of up to 5 edits)'),
  ranking: rankingOption(),
});

function* rewrites(word: string): Iterable<string> {
  const letters = lettersOf(word);
  for (const [at, letter] of letters.entries()) {
    const double = homoglyph(letter);
    if (double !== undefined) yield substituted(letters, at, double);
  }
  yield letters.map((letter) => homoglyph(letter) ?? letter).join('');
}

export const homoglyphs: EvasionPlugin<z.infer<typeof options>> = {
  kind: 'evasion',
  name: 'homoglyphs',
  level: 'character',
  needs: 'scores',
  summary: 'Replaces letters by their doubles from other alphabets: "good" with a Cyrillic o.',
  paper: {
    title: 'Bad Characters: Imperceptible NLP Attacks',
    url: 'https://arxiv.org/abs/2106.09898',
  },
  options,
  create: (chosen) =>
    compose({
      transformation: swapWords('letters of another alphabet', rewrites),
      constraints: [noRepeat, maxWords(chosen.maxWords)],
      search: greedy(rankings[chosen.ranking]),
    }),
};
