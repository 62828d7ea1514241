/**
 * Pruthi: one typo inside one word, tried everywhere; the one that hurts most is kept.
 *
 * Threat: the weakest adversary there is, a writer who slips once; what one typo can do bounds what careless users do.
 * Example: "bleak and desperate" -> "bleak and deeperate"
 * Readable because: the first and the last letter stay, and readers lean on these (Rawlinson 1976, as the paper cites).
 * Paper: Danish Pruthi, Bhuwan Dhingra and Zachary C. Lipton, "Combating Adversarial Misspellings with Robust Word Recognition",
 * ACL 2019; https://arxiv.org/abs/1905.11268
 * Differs: as in TextAttack's recipe a word must have four letters for any edit (the authors' code asks five for a swap and
 * three for the rest), the inserted letter is one random letter a place (they try the alphabet), and each word is edited
 * once. `max-words=2` is the paper's stronger setting. `keys=touching` keeps to keys that touch on a real keyboard.
 */
import {
  beam,
  compose,
  dropped,
  type EvasionPlugin,
  inserted,
  keepStopWords,
  LETTERS,
  lettersOf,
  maxWords,
  minLength,
  neighbourKeys,
  noRepeat,
  type Random,
  type Reach,
  substituted,
  swapped,
  swapWords,
  z,
} from '../src/index.js';

const options = z.strictObject({
  maxWords: z.int().min(1).default(1).describe('words that may hold a typo (paper: 1 and 2)'),
  minLength: z.int().min(3).default(4).describe('letters a word must have to be edited'),
  keys: z
    .enum(['near', 'touching'])
    .default('near')
    .describe("near: TextAttack's neighbours; touching: keys side by side"),
});

/** Every swap, drop, insertion and neighbouring key inside the word. */
const rewrites = (reach: Reach) =>
  function* (word: string, random: Random): Iterable<string> {
    const letters = lettersOf(word);
    const last = letters.length - 1;
    for (let at = 1; at < last - 1; at++) yield swapped(letters, at);
    for (let at = 1; at < last; at++) yield dropped(letters, at);
    for (let at = 1; at < last; at++) yield inserted(letters, at, random.pick(LETTERS));
    for (let at = 1; at < last; at++) {
      for (const key of neighbourKeys(letters[at] as string, reach)) yield substituted(letters, at, key);
    }
  };

export const pruthi: EvasionPlugin<z.infer<typeof options>> = {
  kind: 'evasion',
  name: 'pruthi',
  level: 'character',
  needs: 'scores',
  summary: 'Puts the one typo that hurts most inside one word: "desperate" -> "deeperate".',
  paper: {
    title: 'Combating Adversarial Misspellings with Robust Word Recognition',
    url: 'https://arxiv.org/abs/1905.11268',
  },
  options,
  create: (chosen) =>
    compose({
      transformation: swapWords('one typo inside a word', rewrites(chosen.keys)),
      constraints: [noRepeat, keepStopWords, minLength(chosen.minLength), maxWords(chosen.maxWords)],
      search: beam(1),
    }),
};
