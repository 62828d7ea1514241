/**
 * Pruthi: one typo inside one word, tried everywhere; the most effective one is kept.
 *
 * Threat: the weakest adversary, a writer who makes one typo; its effect bounds what careless users can cause.
 * Example: "bleak and desperate" -> "bleak and deeperate"
 * Readable because: the first and the last letter stay, and readers rely on these (Rawlinson 1976, as cited in the paper).
 * Paper: Danish Pruthi, Bhuwan Dhingra and Zachary C. Lipton, "Combating Adversarial Misspellings with Robust Word Recognition", ACL 2019;
 * https://arxiv.org/abs/1905.11268
 * Differs: as in TextAttack's recipe, a word needs four letters for any edit (the authors' code requires five for a swap and three for the
 * rest), the inserted letter is one random letter per place (they try the alphabet: `insert=alphabet`), and each word is edited once.
 * `max-words=2` is the paper's stronger setting. `keys=touching` uses only keys that touch on a real keyboard.
 */
import {
  beam,
  dropped,
  graphemesOf,
  keepStopWords,
  type Language,
  languagePart,
  maxWords,
  minLength,
  noRepeat,
  type OptionValues,
  type Random,
  searchAttack,
  substituted,
  swapped,
  swapWords,
  typedBefore,
  z,
} from '../src/plugin.js';

const options = {
  insert: z
    .enum(['random', 'alphabet'])
    .default('random')
    .describe('letters inserted per place: one, or each of a to z'),
  keys: z
    .enum(['near', 'touching'])
    .default('near')
    .describe("near: TextAttack's neighbours; touching: keys side by side"),
};

const bounds = {
  maxWords: z.int().min(1).default(1).describe('words that may contain a typo (paper: 1 and 2)'),
  minLength: z.int().min(3).default(4).describe('minimum number of letters of an edited word'),
};

/** Every swap, drop, insertion and neighbouring key inside the word. */
const rewrites = ({ insert, keys }: OptionValues<typeof options>) =>
  function* (word: string, random: Random, language: Language): Iterable<string> {
    const [alphabet, { neighbours }] = [languagePart(language, 'letters'), languagePart(language, 'keyboard')];
    const letters = graphemesOf(word);
    const last = letters.length - 1;
    for (let at = 1; at < last - 1; at++) yield swapped(letters, at);
    for (let at = 1; at < last; at++) yield dropped(letters, at);
    for (let at = 1; at < last; at++) {
      const added =
        insert === 'random' ? [random.pick(alphabet)] : alphabet.filter((letter) => letter === letter.toLowerCase());
      yield* added.map((letter) => typedBefore(letters, at, letter));
    }
    for (let at = 1; at < last; at++) yield* neighbours(letters[at]!, keys).map((key) => substituted(letters, at, key));
  };

export const pruthi = searchAttack({
  name: 'pruthi',
  level: 'character',
  summary: 'Makes the most effective typo inside one word: "desperate" -> "deeperate".',
  paper: {
    title: 'Combating Adversarial Misspellings with Robust Word Recognition',
    url: 'https://arxiv.org/abs/1905.11268',
  },
  options,
  bounds,
  edits: (chosen) => swapWords('one typo inside a word', rewrites(chosen), ['letters', 'keyboard']),
  constraints: (chosen) => [noRepeat, keepStopWords, minLength(chosen.minLength), maxWords(chosen.maxWords)],
  search: () => beam(1),
});
