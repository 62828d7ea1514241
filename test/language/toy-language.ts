/** @file A language of ten lines: words and a keyboard, in letters that English has no key for. */
import type { Language } from '../../src/plugin.js';

export const toyLanguage: Language = {
  code: 'x-toy',
  name: 'Toy',
  tokenize: (text) => text.split(/\s+/).filter((word) => word !== ''),
  keyboard: { neighbours: (letter) => (/\p{L}/u.test(letter) ? ['ø'] : []) },
};
