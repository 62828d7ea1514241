/** @file Finding a pre-token, which may be spelled in bytes or with visible spaces, in the text it was cut from. */

/** Gives the text's range [start, end) of the word's characters [from, to). */
export type SpanOf = (from: number, to: number) => readonly [number, number];

/** How a pre-tokeniser spells a word: as it stands, in bytes, or with a sign for each space. */
export type Spelling = 'plain' | 'bytes' | 'spaces';

/** The next occurrence of `word` in `text` from `cursor` on, or undefined where it is not there. */
export function locateWord(text: string, cursor: number, word: string, spelling: Spelling): SpanOf | undefined {
  const plain = { plain: (all: string) => all, bytes: decode, spaces: withSpaces }[spelling](word);
  const written = spelling === 'bytes' ? text.replace(/\p{Surrogate}/gu, '\uFFFD') : text;
  const haystack = spelling === 'spaces' ? withSpaces(written) : written;
  for (const find of [next, later]) {
    // A pre-tokeniser may put a space before the first word that the text does not have.
    for (const inserted of plain.startsWith(' ') ? [0, 1] : [0]) {
      const start = find(haystack, plain.slice(inserted), cursor);
      if (start === undefined) continue;
      return spanOf(start - inserted, start, spelling === 'bytes' ? byteUnits(plain) : undefined);
    }
  }
  return undefined;
}

/** `begin`: where the word begins; `start`: what of it is in the text. `units`: of the characters behind its bytes. */
const spanOf =
  (begin: number, start: number, units: ReturnType<typeof byteUnits> | undefined): SpanOf =>
  (from, to) => {
    const first = units ? (units.starts[from] ?? units.ends.at(-1) ?? 0) : from;
    const last = units ? (to > from ? units.ends[to - 1]! : first) : to;
    return [Math.max(start, begin + first), Math.max(start, begin + last)];
  };

const withSpaces = (text: string): string => text.replaceAll('\u2581', ' ');

/** At the cursor, or behind spaces. */
function next(text: string, word: string, cursor: number): number | undefined {
  for (let at = cursor; at <= text.length; at++) {
    if (text.startsWith(word, at)) return at;
    if (!/\p{White_Space}/u.test(text.charAt(at))) return undefined;
  }
  return undefined;
}

/** Further on, for pre-tokenisers that drop characters. */
function later(text: string, word: string, cursor: number): number | undefined {
  const at = text.indexOf(word, cursor);
  return at < 0 ? undefined : at;
}

/**
 * Characters that represent bytes, GPT-2's alphabet: printable Latin-1 characters represent themselves, the other 68 bytes are U+0100 and
 * following, in order.
 */
export const BYTE_CHARACTERS: readonly string[] = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const own = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCharCode(own ? byte : next++);
  });
})();

const BYTE_OF = new Map(BYTE_CHARACTERS.map((character, byte) => [character.charCodeAt(0), byte]));

const decode = (word: string): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    Uint8Array.from(word, (character) => BYTE_OF.get(character.charCodeAt(0)) ?? 0xff),
  );

/** For each byte of the text in UTF-8: the UTF-16 range of the character it belongs to. */
function byteUnits(text: string): { starts: number[]; ends: number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of text) {
    for (let byte = Buffer.byteLength(character); byte > 0; byte--) {
      starts.push(at);
      ends.push(at + character.length);
    }
    at += character.length;
  }
  return { starts, ends };
}
