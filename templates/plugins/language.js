/** A language and its resources. Attacks that need more are left out by name; none falls back on English. */
// @ts-check

const stopWords = new Set(['en', 'et', 'den', 'det', 'de', 'og', 'i', 'ikke', 'som', 'er', 'var']);

/** Adjacent keys, as a thumb hits them by mistake. @type {Readonly<Record<string, readonly string[]>>} */
const keys = {
  a: ['q', 'w', 's', 'z'],
  e: ['w', 'r', 'd', 's'],
  i: ['u', 'o', 'k', 'j'],
  o: ['i', 'p', 'l', 'k'],
  ø: ['æ', 'l', 'p'],
  å: ['p', '¨'],
};

/** @type {import('robust-text/plugin').Language} */
export default {
  code: 'nb',
  name: 'Norwegian',
  // Words and punctuation, in the order of the text.
  tokenize: (text) => text.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [],
  letters: [...'abcdefghijklmnopqrstuvwxyzæøåABCDEFGHIJKLMNOPQRSTUVWXYZÆØÅ'],
  stopWords: { has: (word) => stopWords.has(word.toLowerCase()) },
  keyboard: { neighbours: (letter) => keys[letter.toLowerCase()] ?? [] },
};
