/** @file Which words may be triggers: those a model has in its vocabulary, and short nonsense that it spells out. */
import type { WhiteBox } from '../../core/classifier.js';
import type { Example } from '../../core/dataset.js';
import { WORD_CLASSES, wordnet } from '../../language/english/wordnet.js';

export const LETTERS: readonly string[] = [...'abcdefghijklmnopqrstuvwxyz'];
export const PAIRS: readonly string[] = LETTERS.flatMap((a) => LETTERS.map((b) => a + b));
/** Marks a piece that continues a word, in WordPiece. */
const CONTINUES = '##';

/** Of a model whose tokens are known: its whole words, and every pair of letters, as rare triggers are often such. */
export function vocabularyOf(model: Pick<WhiteBox, 'tokenText'>, rows: number): string[] {
  const tokens = Array.from({ length: rows }, (_, id) => model.tokenText(id) ?? '');
  const whole = tokens.filter((token) => !token.startsWith(CONTINUES)).map((token) => token.trim());
  return distinct([...whole.filter((word) => word !== '' && !/\s/.test(word)), ...PAIRS]);
}

/** Of a black box: pairs of letters, the words of the texts, and the dictionary, in this order. */
export function guessedWords(texts: readonly Example[]): string[] {
  const own = texts.flatMap(({ text }) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  return distinct([...PAIRS, ...own, ...dictionary()]);
}

let lemmas: readonly string[] | undefined;

/** Words of WordNet, without spaces, in alphabetic order. */
export function dictionary(): readonly string[] {
  lemmas ??= distinct(
    WORD_CLASSES.flatMap((of) => [...wordnet.lemmas(of)]).filter((word) => /^[a-z]+$/.test(word)),
  ).sort();
  return lemmas;
}

/** Words of the dictionary that begin with `prefix` and are longer. O(log words). */
export function beginningWith(prefix: string): string[] {
  const words = dictionary();
  let [from, to] = [0, words.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((words[middle] as string) < prefix) from = middle + 1;
    else to = middle;
  }
  const found: string[] = [];
  for (let at = from; at < words.length && words[at]?.startsWith(prefix); at++) {
    if (words[at] !== prefix) found.push(words[at] as string);
  }
  return found;
}

const distinct = (words: readonly string[]): string[] => [...new Set(words)];
