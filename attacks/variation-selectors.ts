/**
 * Variation selectors: hides words, byte by byte, in variation selectors after an emoji.
 *
 * Threat: data that passes a filter in what displays as one emoji, for a reader who knows where to look.
 * Example: "ignore this" -> a smiley and U+E0159 U+E0157 ..., which displays as the smiley alone
 * Readable because: there are 256 variation selectors, one for each byte, and copying preserves them. Only a decoder, or a
 * model with tools, can read them; neither a person nor a language model without instructions can.
 * Paper: none; the encoding is that of Paul Butler, "Smuggling arbitrary data through an emoji", 2025;
 * https://paulbutler.org/2025/smuggling-arbitrary-data-through-an-emoji/
 * Differs: word by word, by importance, instead of the whole text after one emoji.
 */
import { letterAttack, z } from '../src/plugin.js';

const options = { carrier: z.string().min(1).default('🙂').describe('displayed instead of a word') };

/** Selectors 1 to 16, and 17 to 256 in another block. */
const selector = (byte: number) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16);

export const variationSelectors = letterAttack({
  name: 'variation-selectors',
  summary: 'Hides words in variation selectors after an emoji, one selector per byte.',
  options,
  readers: ['decoder'],
  edit: 'words in variation selectors',
  rewrites: (word, { carrier }) => [carrier + Array.from(new TextEncoder().encode(word), selector).join('')],
});
