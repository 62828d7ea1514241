import { z } from 'zod';
import type { DefencePlugin } from '../core/defence.js';
import { mapWords } from '../core/draft.js';
import { languagePart, type WordFrequency } from '../core/language.js';
import { matchCase } from '../language/match-case.js';
import { type SlipCosts, WordTrie } from '../language/word-trie.js';

/** Slips inside a word, all alike: the first letter stands, as in RobEn's attack surface. */
const INNER: SlipCosts = {
  transposition: 1,
  substitution: (_meant, _written, at) => (at === 0 ? 9 : 1),
  insertion: (_written, _before, at) => (at === 0 ? 9 : 1),
  omission: () => 1,
};
/** Shorter words are taken for one another too easily to share a code. */
const MIN_WORD_LETTERS = 4;

const options = z.strictObject({
  words: z.int().min(100).default(5000).describe('how many of the most frequent words have a code of their own'),
});

/** Words that typos turn into one another become one word. */
export const roben: DefencePlugin<z.infer<typeof options>> = {
  kind: 'defence',
  name: 'roben',
  summary:
    'Reads every word as the commonest of those a typo may have made it from: "flim" and "firm" may both be read as "film".',
  paper: {
    title: 'Jones, Jia, Raghunathan, Liang: Robust Encodings: A Framework for Combating Adversarial Typos, ACL 2020',
    url: 'https://arxiv.org/abs/2005.01229',
  },
  options,
  language: ['dictionary'],
  create: ({ words }, { vocabulary, texts, language }) => {
    const frequency = languagePart(language, 'dictionary').frequency(vocabulary, texts);
    let table: { readonly codes: ReadonlyMap<string, string>; readonly trie: WordTrie } | undefined;
    const known = new Map<string, string>();
    const codeOf = (word: string): string => {
      let code = known.get(word);
      if (code !== undefined) return code;
      table ??= clusters(frequency, words);
      code = table.codes.get(word);
      if (code === undefined && word.length >= MIN_WORD_LETTERS) {
        const near = table.trie.near(word, 1, INNER).map((found) => found.word);
        const best = mostFrequent(near, frequency);
        code = best === undefined ? word : table.codes.get(best);
      }
      known.set(word, code ?? word);
      return code ?? word;
    };
    return {
      conditions: `typo clusters of the ${words} most frequent words (connected components), the model not retrained on them`,
      rewrite: (text) =>
        mapWords(text, (word) => {
          const lower = word.toLowerCase();
          const code = /^[a-z]+$/.test(lower) ? codeOf(lower) : lower;
          return code === lower ? word : matchCase(code, word);
        }),
    };
  },
};

/** The commonest; of equally common ones the first by the alphabet. */
function mostFrequent(words: readonly string[], frequency: WordFrequency): string | undefined {
  return words.toSorted((a, b) => frequency.of(b) - frequency.of(a) || (a < b ? -1 : 1))[0];
}

/** Each frequent word -> the commonest word it is joined with by typos of one slip. */
function clusters(frequency: WordFrequency, count: number) {
  const frequent = [...frequency.everyday()]
    .filter((word) => /^[a-z]+$/.test(word) && frequency.isCommon(word))
    .sort((a, b) => frequency.of(b) - frequency.of(a) || (a < b ? -1 : 1))
    .slice(0, count);
  const trie = new WordTrie(frequent.filter((word) => word.length >= MIN_WORD_LETTERS));
  // Commonest first, so that the root of a component is its commonest word.
  const codes = new Map<string, string>();
  for (const root of frequent) {
    if (codes.has(root)) continue;
    codes.set(root, root);
    const queue = root.length >= MIN_WORD_LETTERS ? [root] : [];
    for (let word = queue.pop(); word !== undefined; word = queue.pop()) {
      for (const { word: near } of trie.near(word, 1, INNER)) {
        if (codes.has(near)) continue;
        codes.set(near, root);
        queue.push(near);
      }
    }
  }
  return { codes, trie };
}
