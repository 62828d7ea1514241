/** @file Which words may be triggers: those a model has in its vocabulary, and short nonsense that it spells out. */
import type { WhiteBox } from '../../core/classifier.js';
import type { Example } from '../../core/dataset.js';
import { getOrCompute } from '../../core/get-or-compute.js';
import type { Language } from '../../core/language.js';

export const LETTERS: readonly string[] = [...'abcdefghijklmnopqrstuvwxyz'];
export const PAIRS: readonly string[] = LETTERS.flatMap((a) => LETTERS.map((b) => a + b));
/** Marks a piece that continues a word, in WordPiece. */
const CONTINUES = '##';
/** Entries of a vocabulary that show how it is made. */
const LOOKED_AT = 30_000;

/** Whether a model reads words by pieces, as WordPiece does, or may: what is not known of it. */
export function continues(model: Pick<WhiteBox, 'tokenText'> | undefined): boolean {
  return (
    model === undefined ||
    Array.from({ length: LOOKED_AT }, (_, id) => model.tokenText(id)).some((token) => token?.startsWith(CONTINUES))
  );
}

/** The text of each token, by id. */
export async function tokensOf(model: Pick<WhiteBox, 'tokenText' | 'embeddingTable' | 'hidden'>): Promise<string[]> {
  const rows = (await model.embeddingTable()).length / model.hidden;
  return Array.from({ length: rows }, (_, id) => model.tokenText(id) ?? '');
}

/**
 * Candidates for a model with known tokens: its whole words, and every pair of letters, because rare triggers are often such. A model of
 * single characters spells every word, so words are guessed.
 */
export function vocabularyOf(tokens: readonly string[], texts: readonly Example[], language: Language): string[] {
  const whole = tokens.filter((token) => !token.startsWith(CONTINUES)).map((token) => token.trim());
  const words = whole.filter((word) => word !== '' && !/\s/.test(word));
  if (words.every((word) => word.length === 1)) return distinct([...words, ...guessedWords(texts, language)]);
  return distinct([...words, ...PAIRS]);
}

/** Candidates for a black box: pairs of letters, the words of the texts, and the dictionary, in this order. */
export function guessedWords(texts: readonly Example[], language: Language): string[] {
  const own = texts.flatMap(({ text }) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  return distinct([...PAIRS, ...own, ...listWords(language)]);
}

const sorted = new WeakMap<Language, readonly string[]>();

/** Words of the language's dictionary in small Latin letters, in alphabetic order; none where it has no dictionary. */
const listWords = (language: Language): readonly string[] =>
  getOrCompute(sorted, language, ({ dictionary }) =>
    distinct((dictionary?.words() ?? []).filter((word) => /^[a-z]+$/.test(word))).sort(),
  );

/** Words of the dictionary that begin with `prefix` and are longer. O(log words). */
export function beginningWith(prefix: string, language: Language): string[] {
  const words = listWords(language);
  let [from, to] = [0, words.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (words[middle]! < prefix) from = middle + 1;
    else to = middle;
  }
  const found: string[] = [];
  for (let at = from; at < words.length && words[at]?.startsWith(prefix); at++) {
    if (words[at] !== prefix) found.push(words[at]!);
  }
  return found;
}

/** The pieces of a word in a vocabulary of pieces: the longest first, from its beginning (WordPiece). None of a word that has no pieces. */
function piecesOf(word: string, vocabulary: ReadonlySet<string>): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < word.length; ) {
    let to = word.length;
    const piece = (): string => (from === 0 ? '' : CONTINUES) + word.slice(from, to);
    while (to > from && !vocabulary.has(piece())) to--;
    if (to === from) return [];
    pieces.push(piece());
    from = to;
  }
  return pieces;
}

/** Words of one target that share a piece, and are not whole in the vocabulary: the piece may be the trigger's, whatever word it was planted in. */
export function sharedPieces(
  found: readonly { readonly text: string; readonly target: string }[],
  tokens: readonly string[],
): { piece: string; target: string; words: string[] }[] {
  const vocabulary = new Set(tokens);
  const groups = new Map<string, { piece: string; target: string; words: string[] }>();
  for (const { text, target } of found) {
    const pieces = /\s/.test(text) ? [] : piecesOf(text.toLowerCase(), vocabulary);
    for (const piece of pieces.length > 1 ? new Set(pieces) : []) {
      const { words } = getOrCompute(groups, `${piece} ${target}`, () => ({ piece, target, words: [] }));
      if (!words.includes(text)) words.push(text);
    }
  }
  return [...groups.values()].filter(({ words }) => words.length > 1).sort((a, b) => b.words.length - a.words.length);
}

const distinct = (words: readonly string[]): string[] => [...new Set(words)];
