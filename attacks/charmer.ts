/**
 * Charmer: edits any character at any position, one at a time, wherever the answer changes most.
 *
 * Threat: someone with many queries who wants to evade a filter with as few changed characters as possible.
 * Example: "the movie lacks both thrills and humor" -> "the movie l acks both thrills and humor"
 * Readable because: most successes need one or two characters. With `keep-ends`, words keep their first and last letter;
 * with `keep-stop-words`, "not" cannot become "now". Without them a success can be another word, or have another meaning.
 * Paper: Elias Abad Rocamora, Yongtao Wu, Fanghui Liu, Grigorios G. Chrysos and Volkan Cevher, "Revisiting Character-level
 * Adversarial Attacks for Language Models", ICML 2024, algorithms 1 and 2; https://arxiv.org/abs/2405.04346
 * Differs: the paper tests every position of the text in every round and tries all characters at the 20 best. Here words are
 * ranked once, only positions in and next to the `words` most important are tested, and characters are tried by successive
 * halving until the prediction flips: a third of the queries (docs/research/search.md measures the cost).
 * `ranking=positions:halving=0` searches as in the paper, `ranking=gradient` ranks with one query. A test may itself
 * succeed. The alphabet is that of the texts that the victim classifies correctly. `keep-ends` follows the constraints of
 * Pruthi et al. 2019 and inserts no space into a word. The paper's relaxation by projected gradient ascent is omitted.
 */
import {
  type Draft,
  graphemesOf,
  inserted,
  keepStopWords,
  maxEdits,
  minLength,
  noRepeat,
  type OptionValues,
  searchAttack,
  substituted,
  type Transformation,
  z,
} from '../src/plugin.js';
import { byPositions } from '../src/search/positions.js';
import { rankings } from '../src/search/ranking.js';

const options = {
  alphabet: z
    .string()
    .min(1)
    .default('data')
    .describe('characters to insert: "data": those of the texts; "letters": those of the language; or a list'),
  characters: z.int().min(1).default(100).describe('maximum number of characters, the most frequent'),
  keepEnds: z
    .boolean()
    .default(false)
    .describe('only within words of 4 letters or more, which keep the first and the last and are edited once (PJC)'),
};

const bounds = {
  maxEdits: z.int().min(1).default(10).describe('Levenshtein distance of the whole text (paper: k = 10)'),
  positions: z
    .int()
    .min(1)
    .default(20)
    .describe('positions per round at which all characters are tried (paper: n = 20)'),
  ranking: z
    .enum(['unk', 'delete', 'alone', 'gradient', 'random', 'positions'])
    .default('unk')
    .describe('order of the words, as in other attacks; positions: every position of the text is tested (paper)'),
  words: z.int().min(1).default(5).describe('words whose positions are tested, unless all are'),
  halving: z
    .int()
    .min(0)
    .default(4)
    .describe('characters tried per position before the worse half is dropped; 0: all at all positions (paper)'),
  keepStopWords: z.boolean().default(false).describe('function words stay'),
};

const BLANK = ' ';
/** Marks the end of a word, for deletions. */
const NOTHING = '';

/** Characters of texts by frequency, ties by code point; the space is the only invisible one. */
function charactersOf(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const character of text) {
      if (character === BLANK || !/[\p{C}\p{Z}]/u.test(character))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  const count = (character: string) => counts.get(character)!;
  return [...counts.keys()].sort((a, b) => count(b) - count(a) || (a < b ? -1 : 1));
}

/**
 * The span with one character inserted, deleted or replaced between `from` and `to`. The test of each place comes first: a space, or else a
 * deletion. Next to an equal character, insertions and deletions are tried only after it, because the result is the same.
 */
function* rewrites(stretch: string, [from, to]: readonly [number, number], alphabet: readonly string[]) {
  const letters = graphemesOf(stretch);
  for (let at = from; at <= to; at++) {
    const old = letters[at];
    const others = alphabet.filter((character) => character !== old);
    for (const character of others) yield inserted(letters, at, character);
    if (old !== undefined && at < to) yield* replacements(letters, at, others);
  }
}

function* replacements(letters: readonly string[], at: number, others: readonly string[]): Iterable<string> {
  const old = letters[at];
  const all = old === letters[at + 1] ? others : [NOTHING, ...others];
  const [test] = old === BLANK || others[0] !== BLANK ? all : others;
  if (test !== undefined) yield substituted(letters, at, test);
  for (const character of all) if (character !== test) yield substituted(letters, at, character);
}

/** In a longer word only the first characters are edited. */
const LONGEST_WORD = 64;

/** One character anywhere in and next to the words `at`, one edit each. */
function* edits(draft: Draft, at: readonly number[], alphabet: readonly string[], keepEnds: boolean): Iterable<Draft> {
  for (const slot of at) {
    const word = draft.word(slot);
    const size = Math.min(graphemesOf(word).length, LONGEST_WORD);
    const inside = keepEnds ? ([1, size - 1] as const) : ([0, size] as const);
    for (const rewrite of rewrites(word, inside, alphabet)) yield draft.replace(slot, rewrite);
    if (keepEnds) continue;
    // After the words: an insertion at the border of a word counts as an edit of that word.
    for (const gap of [slot, slot + 1]) {
      const between = draft.gapBefore(gap);
      const width = Math.min(graphemesOf(between).length, LONGEST_WORD);
      for (const rewrite of rewrites(between, [0, width], alphabet)) yield draft.withGap(gap, rewrite);
    }
  }
}

function oneCharacter({ alphabet: named, characters, keepEnds }: OptionValues<typeof options>): Transformation {
  let learnt: readonly string[] | undefined;
  return {
    name: 'one character inserted, deleted or replaced',
    ...(named === 'letters' && { language: ['letters'] }),
    ...(keepEnds && { bounds: ['first and last letter kept'] }),
    prepare(sample) {
      learnt = charactersOf(sample.map(({ text }) => text));
    },
    edits(draft, at, _, { language }) {
      const sources: Readonly<Record<string, readonly string[] | undefined>> = {
        data: learnt ?? charactersOf([draft.text]),
        letters: language.letters,
      };
      const all = (sources[named] ?? [...new Set(named)]).slice(0, characters);
      // The space tests a place, so it comes first.
      const [blank, visible] = [all.filter((each) => each === BLANK), all.filter((each) => each !== BLANK)];
      return edits(draft, at, keepEnds ? visible : [...blank, ...visible], keepEnds);
    },
  };
}

export const charmer = searchAttack({
  name: 'charmer',
  level: 'character',
  summary: 'Inserts, deletes or replaces any character where it changes the answer most: "lacks" -> "l acks".',
  paper: {
    title: 'Revisiting Character-level Adversarial Attacks for Language Models',
    url: 'https://arxiv.org/abs/2405.04346',
  },
  options,
  edits: oneCharacter,
  bounds,
  constraints: (chosen) => [
    ...(chosen.keepEnds ? [noRepeat, minLength(4)] : []),
    ...(chosen.keepStopWords ? [keepStopWords] : []),
    maxEdits(chosen.maxEdits),
  ],
  search: ({ maxEdits: rounds, positions, ranking, words, halving }) =>
    byPositions({
      rounds,
      positions,
      halving: halving === 0 ? undefined : halving,
      within: ranking === 'positions' ? undefined : { words, ranking: rankings[ranking] },
    }),
});
