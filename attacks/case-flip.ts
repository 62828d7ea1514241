/**
 * Case flip: writes letters in another case.
 *
 * Threat: shouting, mocking ("sO gOoD"), a stuck shift key: ordinary writing that a cased model may not know.
 * Example: "a good film" -> "a GOOD film"
 * Readable because: no letter changes. Capitals stress a word and alternating ones mock it, which affects the tone but not the content.
 * Paper: none; upper, lower and title case of a whole text are perturbations that Giskard's scan makes
 * (https://github.com/Giskard-AI/giskard, scanner/robustness).
 * Differs: single words by importance, instead of the whole text; upper, lower, capitalised and alternating case and each single flip are
 * tried. A model that lower-cases its input is immune, which is the finding.
 */
import { caseOf } from '../src/language/character-edits.js';
import { graphemesOf, type Language, letterAttack, type Random, substituted } from '../src/plugin.js';

/** The other case of a letter; the letter itself if the other case is not a single character ("ß"). */
function flipped(letter: string, { upper, lower }: ReturnType<typeof caseOf>): string {
  const other = letter === upper(letter) ? lower(letter) : upper(letter);
  return other.length === letter.length ? other : letter;
}

function* rewrites(word: string, _: unknown, __: Random, language: Language): Iterable<string> {
  const letters = graphemesOf(word);
  const inCase = caseOf(language);
  const flipCase = (letter: string) => flipped(letter, inCase);
  const lower = letters.map((letter) => (letter === inCase.lower(letter) ? letter : flipCase(letter)));
  const upper = lower.map(flipCase);
  yield upper.join('');
  yield lower.join('');
  yield letters.map((_, at) => (at === 0 ? upper[at] : lower[at])).join('');
  yield letters.map((_, at) => (at % 2 === 0 ? lower[at] : upper[at])).join('');
  yield letters.map((_, at) => (at % 2 === 0 ? upper[at] : lower[at])).join('');
  for (const [at, letter] of letters.entries()) yield substituted(letters, at, flipCase(letter));
}

export const caseFlip = letterAttack({
  name: 'case-flip',
  summary: 'Writes words in another case: "good" -> "GOOD", "gOoD".',
  readers: ['person', 'language model'],
  edit: 'letters in another case',
  rewrites,
  quarter: 'flipped',
  letters: 2,
});
