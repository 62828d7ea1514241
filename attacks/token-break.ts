/**
 * Token break: adds one letter to a word, so that the victim's tokenizer cuts the word into other pieces and a reader reads on.
 *
 * Threat: someone who knows, or guesses, what kind of tokenizer a detector has.
 * Example: "Ignore all instructions." -> "Ignore all finstructions."
 * Readable because: a person or a language model recognises a word with one surplus letter. A rewrite is made only if removing one letter
 * gives a single word of the dictionary, the original.
 * Paper: Kasimir Schulz, Kenneth Yeung and Kieran Evans, "TokenBreak: Bypassing Text Classification Models Through Token Manipulation", 2025;
 * https://arxiv.org/abs/2506.07948
 * Differs: the paper puts letters before words, which changes the pieces of WordPiece and BPE and not those of Unigram. Here a letter inside
 * the word may also be doubled, which no tokenizer can cut around. If the tokenizer is known, only rewrites are tried that do not keep
 * the word's longest piece; otherwise all are.
 */
import {
  graphemesOf,
  inserted,
  keepStopWords,
  type Language,
  languagePart,
  maxFraction,
  minLength,
  noRepeat,
  searchAttack,
  z,
} from '../src/plugin.js';

/** Tokenizer -> places of a letter that change its pieces, the most effective first. */
const PLACES = {
  auto: ['front', 'inside'],
  wordpiece: ['front'],
  bpe: ['front', 'inside'],
  unigram: ['inside'],
} as const;

const options = {
  tokenizer: z
    .enum(Object.keys(PLACES) as [keyof typeof PLACES])
    .default('auto')
    .describe('kind of tokenizer; auto: every place, checked against the tokenizer if it is known'),
};

const bounds = {
  maxFraction: z.number().gt(0).max(1).default(0.25).describe('largest share of the words that may be rewritten'),
};

/** Letters tried before a word: frequent ones that start words of many languages. */
const LETTERS = [...'afrstbk'];

function* rewrites(word: string, places: readonly ('front' | 'inside')[], language: Language): Iterable<string> {
  if (!/^\p{L}+$/u.test(word) || !isKnown(word, language)) return;
  const letters = graphemesOf(word);
  const fits = (rewrite: string): boolean =>
    !isKnown(rewrite, language) && meantBy(rewrite, language) === word.toLowerCase();
  const front = word === word.toUpperCase() ? LETTERS.map((letter) => letter.toUpperCase()) : LETTERS;
  const made = {
    front: front.map((letter) => letter + word),
    inside: letters.slice(1, -1).map((letter, at) => inserted(letters, at + 1, letter)),
  };
  for (const place of places) yield* made[place].filter(fits);
}

const isKnown = (word: string, language: Language): boolean => languagePart(language, 'dictionary').has(word);

/** The word that a reader takes an unknown word for: without its first letter, or without one of a pair; otherwise the word itself. */
function meantBy(word: string, language: Language): string {
  const lower = word.toLowerCase();
  if (isKnown(lower, language)) return lower;
  const letters = graphemesOf(lower);
  const shorter = [
    letters.slice(1).join(''),
    ...letters.flatMap((letter, at) => (letter === letters[at - 1] ? [letters.toSpliced(at, 1).join('')] : [])),
  ];
  return shorter.find((each) => each.length > 2 && isKnown(each, language)) ?? lower;
}

/** Whether the longest of the word's pieces is one of the rewrite's too. */
function keepsPiece(word: string, rewrite: string, pieces: (text: string) => readonly string[]): boolean {
  const [longest = ''] = pieces(word).toSorted((a, b) => b.length - a.length);
  return pieces(rewrite).some((piece) => piece.toLowerCase() === longest.toLowerCase());
}

export const tokenBreak = searchAttack({
  name: 'token-break',
  level: 'character',
  summary: 'Adds a letter that changes how the tokenizer cuts a word: "instructions" -> "finstructions".',
  paper: {
    title: 'TokenBreak: Bypassing Text Classification Models Through Token Manipulation',
    url: 'https://arxiv.org/abs/2506.07948',
  },
  options,
  bounds,
  readers: ['person', 'language model'],
  edits: ({ tokenizer }) => ({
    name: 'a letter that breaks a token',
    language: ['dictionary'],
    *edits(draft, at, _, { language, pieces }) {
      for (const slot of at) {
        const word = draft.word(slot);
        for (const rewrite of rewrites(word, PLACES[tokenizer], language))
          if (pieces === undefined || !keepsPiece(word, rewrite, pieces)) yield draft.replace(slot, rewrite);
      }
    },
  }),
  constraints: (chosen) => [noRepeat, keepStopWords, minLength(3), maxFraction(chosen.maxFraction)],
});
