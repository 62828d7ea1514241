/**
 * Zero-width characters: inserts invisible characters into a word.
 *
 * Threat: spam and abuse that must look unchanged; also text copied from web pages and editors that contain such characters.
 * Example: "good" -> "go\u200bod", which displays as "good"
 * Readable because: zero-width space, non-joiner, joiner and word joiner have no glyph. In Arabic and Indic scripts, whose
 * letters joiners shape, only the other two are used.
 * Paper: Nicholas Boucher, Ilia Shumailov, Ross Anderson and Nicolas Papernot, "Bad Characters: Imperceptible NLP Attacks",
 * IEEE S&P 2022; https://arxiv.org/abs/2106.09898
 * Differs: words are taken by importance instead of by differential evolution, with one character at a place or at every
 * place; 5 words, like the paper's budgets of up to 5 edits. Many tokenizers (including BERT's) strip these characters:
 * against those the attack fails, which is the finding.
 */
import { staysHidden } from '../src/language/character-edits.js';
import { graphemesOf, inserted, letterAttack, type Random } from '../src/plugin.js';

/** Zero-width space, zero-width non-joiner, zero-width joiner, word joiner. */
const INVISIBLE = ['\u200b', '\u200c', '\u200d', '\u2060'];

function* rewrites(word: string, _: unknown, random: Random): Iterable<string> {
  const letters = graphemesOf(word);
  const hidden = INVISIBLE.filter((each) => staysHidden(each, word));
  for (let at = 1; at < letters.length; at++) yield inserted(letters, at, random.pick(hidden));
  yield letters.join(random.pick(hidden));
}

export const zeroWidth = letterAttack({
  name: 'zero-width',
  summary: 'Hides zero-width characters inside words: the text looks the same.',
  paper: { title: 'Bad Characters: Imperceptible NLP Attacks', url: 'https://arxiv.org/abs/2106.09898' },
  readers: ['person', 'language model'],
  edit: 'zero-width characters inside a word',
  rewrites,
  fiveWords: 'contain invisible characters (paper: budgets of up to 5 edits)',
});
