/**
 * TextBugger's character bugs: a space, a missing letter, a swap, a look-alike or an adjacent key, whichever is most effective.
 *
 * Threat: someone who sees scores and disguises important words by hand, as spammers and trolls do.
 * Example: "a tedious plot" -> "a tediuos pl ot", "a t3dious plot"
 * Readable because: one bug per word, where readers tolerate it: inside the word, or with a sign that looks like the letter.
 * Paper: Jinfeng Li, Shouling Ji, Tianyu Du, Bo Li and Ting Wang, "TextBugger: Generating Adversarial Text Against Real-world
 * Applications", NDSS 2019, section III; https://arxiv.org/abs/1812.05271
 * Differs: its fifth bug, Sub-W, swaps in a neighbour in word-vector space; that is a synonym and not a typo, so the synonym attacks cover
 * it, and the sentence encoder that controlled it is not needed. Words are ranked over the whole text by deleting each, as in TextAttack's
 * recipe; the paper ranks sentences first. Lengths are the paper's: only words of fewer than six letters are split (longer ones might give
 * two real words), only words of five or more are swapped. Its Sub-C uses "visually similar" signs and neighbouring keys: one of each is
 * tried. `look=unicode` tries TextAttack's variant instead, a letter of another alphabet at every place.
 */
import {
  dropped,
  graphemesOf,
  homoglyph,
  inserted,
  keepStopWords,
  type Language,
  languagePart,
  leetSigns,
  noRepeat,
  type OptionValues,
  type Random,
  searchAttack,
  substituted,
  swapped,
  swapWords,
  z,
} from '../src/plugin.js';

const options = {
  look: z
    .enum(['ascii', 'unicode'])
    .default('ascii')
    .describe('look-alikes: signs and keys, or letters of other alphabets'),
  splitBelow: z
    .int()
    .min(0)
    .default(6)
    .describe('words are split only if they have fewer letters (paper: 6; TextAttack splits any)'),
  swapFrom: z
    .int()
    .min(4)
    .default(5)
    .describe('minimum letters of a word whose letters are swapped (paper: 5; TextAttack: 4)'),
};

const rewrites = ({ look, splitBelow, swapFrom }: OptionValues<typeof options>) =>
  function* (word: string, random: Random, language: Language): Iterable<string> {
    const letters = graphemesOf(word);
    const inner = letters.length - 2;
    if (inner > 0 && letters.length < splitBelow) yield inserted(letters, 1 + random.int(letters.length - 1), ' ');
    if (inner > 0) yield dropped(letters, 1 + random.int(inner));
    if (letters.length >= swapFrom) yield swapped(letters, 1 + random.int(inner - 1));
    if (look === 'unicode') {
      for (const [at, letter] of letters.entries()) yield substituted(letters, at, homoglyph(letter) ?? letter);
    } else {
      yield* somewhere(letters, leetSigns, random);
      yield* somewhere(letters, (letter) => languagePart(language, 'keyboard').neighbours(letter, 'touching'), random);
    }
  };

/** Replaces one random letter that has substitutes by one of them. */
function* somewhere(letters: string[], standIns: (letter: string) => readonly string[], random: Random) {
  const places = letters.flatMap((letter, at) => (standIns(letter).length > 0 ? [at] : []));
  if (places.length === 0) return;
  const at = random.pick(places);
  yield substituted(letters, at, random.pick(standIns(letters[at]!)));
}

export const textbugger = searchAttack({
  name: 'textbugger',
  level: 'character',
  summary: 'Splits, drops, swaps or disguises one letter in the words that matter most: "tedious" -> "t3dious".',
  paper: {
    title: 'TextBugger: Generating Adversarial Text Against Real-world Applications',
    url: 'https://arxiv.org/abs/1812.05271',
  },
  options,
  ranking: 'delete',
  edits: (chosen) =>
    swapWords(
      'a space, a missing letter, a swap, a look-alike or an adjacent key',
      rewrites(chosen),
      chosen.look === 'ascii' ? ['keyboard'] : [],
    ),
  constraints: () => [noRepeat, keepStopWords],
});
