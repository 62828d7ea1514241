/**
 * @file Much data for a script of the page, deflated: half of a page of texts or less. Bytes are written as Ascii85 writes them (four as five
 * characters, base 85, the highest digit first), with digits that HTML leaves alone; base64 would take 7 % more.
 */
import { constants, deflateRawSync } from 'node:zlib';
import { json } from '../json.js';
import { dataElement, Markup } from './markup.js';

/**
 * Printable ASCII without the characters with a meaning in HTML, JavaScript or a shell. The element contains them, for the script that
 * reads it.
 */
const DIGITS = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at))
  .filter((sign) => !`"&'<>\\\``.includes(sign))
  .slice(0, 85);

/** Characters of data from which on packing is worth that nobody can read the page's source. */
const MUCH = 100_000;

export function base85(bytes: Uint8Array): string {
  const view = new DataView(new ArrayBuffer(4));
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const some = bytes.subarray(at, at + 4);
    view.setUint32(0, 0);
    some.forEach((byte, i) => {
      view.setUint8(i, byte);
    });
    let value = view.getUint32(0);
    let five = '';
    for (let digit = 0; digit < 5; digit++) {
      five = (DIGITS[value % 85] as string) + five;
      value = Math.floor(value / 85);
    }
    // As many characters more as there are bytes in the last group.
    text += five.slice(0, some.length + 1);
  }
  return text;
}

/** As `dataElement`; much data is packed, and the element's type says so. */
export function packedElement(id: 'outcomes', value: unknown): Markup {
  const plain = json(value);
  if (plain.length < MUCH) return dataElement(id, value);
  // The better strategy depends on the texts: the filtered one ignores most short repetitions (RFC 1951 leaves the choice).
  const [usual, filtered] = [constants.Z_DEFAULT_STRATEGY, constants.Z_FILTERED].map((strategy) =>
    deflateRawSync(plain, { level: 9, strategy }),
  ) as [Buffer, Buffer];
  const packed = base85(filtered.length < usual.length ? filtered : usual);
  return new Markup(`<script type="text/plain" data-digits="${DIGITS.join('')}" id="${id}">${packed}</script>\n`);
}
