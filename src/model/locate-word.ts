/** @file Finding a pre-token, which may be spelled in bytes or with visible spaces, in the text it was cut from. */

/** Gives the text's range [start, end) of the word's characters [from, to). */
export type SpanOf = (from: number, to: number) => readonly [number, number];

/** The next occurrence of `word` in `text` from `cursor` on, or undefined where it is not there. */
export function locateWord(text: string, cursor: number, word: string, bytes: boolean): SpanOf | undefined {
  const spelled = bytes ? decode(word) : word;
  const haystack = bytes ? text.replace(/\p{Surrogate}/gu, '\uFFFD') : text;
  for (const plain of [spelled, spelled.replaceAll('\u2581', ' ')]) {
    // A pre-tokeniser may put a space before the first word that the text does not have.
    for (const inserted of /^[ \u2581]/.test(plain) ? [0, 1] : [0]) {
      const start = find(haystack, plain.slice(inserted), cursor);
      if (start === undefined) continue;
      const unit = bytes ? byteUnits(plain) : undefined;
      return (from, to) => {
        const first = unit ? (unit.starts[from] ?? plain.length) : from;
        const last = unit ? (to > from ? (unit.ends[to - 1] as number) : first) : to;
        return [start + Math.max(0, first - inserted), start + Math.max(0, last - inserted)];
      };
    }
  }
  return undefined;
}

/** At the cursor, after spaces, or (for pre-tokenisers that drop characters) further on. */
function find(text: string, word: string, cursor: number): number | undefined {
  for (let at = cursor; at <= text.length; at++) {
    if (text.startsWith(word, at)) return at;
    if (!/\s/.test(text[at] ?? '')) break;
  }
  const later = text.indexOf(word, cursor);
  return later < 0 ? undefined : later;
}

/** GPT-2's alphabet: printable Latin-1 stands for itself, the other 68 bytes for U+0100 and on, in order. */
const BYTE_OF = (() => {
  const own = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  const table = new Map<number, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte++) table.set(own(byte) ? byte : next++, byte);
  return table;
})();

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
