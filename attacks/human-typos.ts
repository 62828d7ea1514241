/**
 * Human typos: makes the mistakes of fast typing and phonetic spelling where they affect the model most.
 *
 * Threat: no attacker is needed: how far can mistakes of ordinary writers, in the worst case, change the prediction?
 * Example: "What an idiot!" -> "What an idiit!"; "an enjoyable film" -> "an enjoyible film"
 * Readable because: each word keeps its first letter, has one mistake and does not become another English word. Four in five human
 * misspellings are one swap, one missing, one extra or one wrong letter (F. Damerau, "A technique for computer detection and correction of
 * spelling errors", CACM 7(3), 1964), and readers correct these without noticing. At most one word in five.
 * Paper: none; the error classes are those of K. Kukich, "Techniques for Automatically Correcting Words in Text", ACM Computing Surveys
 * 24(4), 1992, section 1.1; https://doi.org/10.1145/146370.146380
 * Differs: from deepwordbug and pruthi: no letter is random. Wrong letters are adjacent keys, doubled keys, confused sounds ("seperate") or
 * common misspellings ("definately"), so a user could type every success.
 */
import { must } from '../src/core/errors.js';
import {
  dropped,
  graphemesOf,
  inserted,
  keepStopWords,
  type Language,
  languagePart,
  maxFraction,
  minLength,
  noRepeat,
  type Random,
  searchAttack,
  substituted,
  swapped,
  swapWords,
  z,
} from '../src/plugin.js';

const bounds = {
  maxFraction: z.number().gt(0).max(1).default(0.2).describe('largest share of the words that may be misspelled'),
  minLength: z.int().min(3).default(4).describe('minimum number of letters of a misspelled word'),
};

/** Spelling errors before typing errors: if two rewrites fool the model equally well, the more probable one is kept. */
function* slips(word: string, language: Language): Iterable<string> {
  yield* language.misspellings?.known(word) ?? [];
  yield* language.misspellings?.bySound(word) ?? [];
  const letters = graphemesOf(word);
  // Each Han character has a meaning: typos do not delete, double or swap it, but select another one.
  if (/\p{Script=Han}/u.test(word)) return yield* touchingKeys(letters, letters.keys(), language);
  // Hyphens and apostrophes stay in place: nobody types "oscarw-inning".
  const typed = letters.map((letter) => /^[\p{L}\p{N}]/u.test(letter));
  const inner = letters.flatMap((_, at) => (at > 0 && at < letters.length - 1 && typed[at] ? [at] : []));
  for (const at of inner) if (at + 2 < letters.length && typed[at + 1]) yield swapped(letters, at);
  for (const at of inner) yield dropped(letters, at);
  for (const at of [...inner, letters.length - 1]) yield inserted(letters, at, must(letters[at]));
  yield* touchingKeys(letters, inner, language);
}

function* touchingKeys(letters: readonly string[], places: Iterable<number>, language: Language): Iterable<string> {
  const { neighbours } = languagePart(language, 'keyboard');
  for (const at of places) {
    for (const key of neighbours(must(letters[at]), 'touching')) yield substituted(letters, at, key);
  }
}

function* rewrites(word: string, _: Random, language: Language): Iterable<string> {
  // Another ending would be another form of the word: a case, a number, a person.
  const endings = language.endings?.lettersOf(word) ?? 0;
  const ending = word.slice(word.length - endings);
  for (const slip of slips(word, language))
    if (language.dictionary?.has(slip) !== true && slip.endsWith(ending)) yield slip;
}

export const humanTypos = searchAttack({
  name: 'human-typos',
  level: 'character',
  summary: 'Makes mistakes of fast typing and phonetic spelling: "idiot" -> "idiit".',
  bounds,
  edits: () => swapWords('a slip of the finger or of spelling', rewrites, ['keyboard']),
  constraints: (chosen) => [noRepeat, keepStopWords, minLength(chosen.minLength), maxFraction(chosen.maxFraction)],
});
