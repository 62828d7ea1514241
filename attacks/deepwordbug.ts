/**
 * DeepWordBug: misspells the most important words by one letter each until the prediction flips.
 *
 * Threat: someone who sees scores and wants to evade a filter with text that is still readable.
 * Example: "an affecting journey" -> "an affecitng ojurney"
 * Readable because: a reader recovers a word from its other letters and from the sentence; one edit per word, at most 30 in the text.
 * Paper: Ji Gao, Jack Lanchantin, Mary Lou Soffa and Yanjun Qi, "Black-box Generation of Adversarial Text Sequences to Evade Deep Learning
 * Classifiers", IEEE SPW 2018, section III; https://arxiv.org/abs/1801.04354
 * Differs: words are ranked by replacing each with the unknown token, as in TextAttack's recipe: one query per word. The paper scores a
 * word by how the answer changes as the text grows up to it and from it, which suits recurrent models and costs two. `ranking=delete` ranks
 * by deletion, `ranking=random` randomly. As in TextAttack, the first and the last letter may change; unlike there, a typed letter takes
 * the case of its place.
 */
import {
  dropped,
  graphemesOf,
  keepStopWords,
  type Language,
  languagePart,
  maxEdits,
  mistyped,
  noRepeat,
  type Random,
  searchAttack,
  swapped,
  swapWords,
  typedBefore,
  z,
} from '../src/plugin.js';

const bounds = {
  maxEdits: z.int().min(1).default(30).describe('Levenshtein distance of the whole text (paper: epsilon = 30)'),
};

/** One random edit of each kind: swap, substitution, deletion, insertion. */
function* rewrites(word: string, random: Random, language: Language): Iterable<string> {
  const alphabet = languagePart(language, 'letters');
  const letters = graphemesOf(word);
  const many = letters.length > 1;
  if (many) yield swapped(letters, random.int(letters.length - 1));
  if (many) yield mistyped(letters, random.int(letters.length), random.pick(alphabet));
  if (many) yield dropped(letters, random.int(letters.length));
  if (many) yield typedBefore(letters, random.int(letters.length), random.pick(alphabet));
}

export const deepwordbug = searchAttack({
  name: 'deepwordbug',
  level: 'character',
  summary: 'Swaps, replaces, drops or adds one letter in the words that matter most: "journey" -> "ojurney".',
  paper: {
    title: 'Black-box Generation of Adversarial Text Sequences to Evade Deep Learning Classifiers',
    url: 'https://arxiv.org/abs/1801.04354',
  },
  bounds,
  edits: () => swapWords('one letter swapped, replaced, dropped or added', rewrites, ['letters']),
  constraints: ({ maxEdits: edits }) => [noRepeat, keepStopWords, maxEdits(edits)],
});
