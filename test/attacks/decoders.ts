/**
 * Decoders of disguised texts, by attack. They share no code with the attacks: each knows its disguise from the standard that defines it, or
 * from a table of its own.
 */
import { isEnglish } from '../../packages/shield/src/common-words.js';

/** Letters alone, in lower case, "l" as "i" because the digit 1 stands for both: what a comparison looks at. */
export const plain = (text: string): string => text.toLowerCase().replaceAll(/\P{L}/gu, '').replaceAll('l', 'i');

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const utf8 = (bytes: readonly number[]): string => new TextDecoder().decode(Uint8Array.from(bytes));
const backwards = (text: string): string => text.split('').reverse().join('');
const points = (text: string, change: (point: number) => string | undefined): string =>
  Array.from(text, (sign) => change(sign.codePointAt(0) ?? 0) ?? sign).join('');

/** Bytes of a code with 2^width digits. */
function bytesOf(code: string, digits: string, width: number): number[] {
  const bits = Array.from(code.replace(/=+$/, ''), (digit) =>
    (digits.indexOf(digit) + (1 << width)).toString(2).slice(1),
  ).join('');
  return Array.from({ length: Math.floor(bits.length / 8) }, (_, at) => Number(`0b${bits.slice(8 * at, 8 * at + 8)}`));
}

/** Letters of Morse code in the order of its tree: a dot leads to twice the place and one more, a dash to twice the place and two. */
const MORSE_TREE = '*etianmsurwdkgohvf*l*pjbxcyzq';

const CODES: Readonly<Record<string, (code: string) => string>> = {
  base64: (code) => utf8(bytesOf(code, `${UPPER}${LOWER}0123456789+/`, 6)),
  'base64-twice': (code) => CODES.base64!(CODES.base64!(code)),
  binary: (code) => utf8(code.split(' ').map((byte) => Number(`0b${byte}`))),
  decimal: (code) => utf8(code.split(' ').map(Number)),
  json: (code) => String(JSON.parse(`"${code}"`)),
  'quoted-printable': (code) => CODES.url!(code.replaceAll('=', '%')),
  'zero-width': (code) => utf8(bytesOf(code, '\u200b\u200c', 1)),
  'invisible-operators': (code) => utf8(bytesOf(code, '\u2062\u2064', 1)),
  dotted: (code) => code.replaceAll(/(\S)\./g, '$1'),
  spaced: (code) => code.replaceAll(/(\S) /g, '$1'),
  // From the alphabet written upside down.
  'upside-down': (code) =>
    backwards(code.replaceAll(/[^ ]/gu, (sign) => LOWER.charAt('ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz'.indexOf(sign)))),
  base32: (code) => utf8(bytesOf(code, `${UPPER}234567`, 5)),
  hex: (code) => utf8(bytesOf(code, '0123456789abcdef', 4)),
  rot13: (code) =>
    Array.from(code, (letter) => {
      const letters = UPPER.includes(letter) ? UPPER : LOWER;
      return letters.charAt((letters.indexOf(letter) + 13) % 26).repeat(Number(letters.includes(letter))) || letter;
    }).join(''),
  url: (code) => utf8(code.split('%').flatMap((byte) => (byte === '' ? [] : [Number(`0x${byte}`)]))),
  html: (code) => Array.from(code.matchAll(/\d+/g), ([point]) => String.fromCodePoint(Number(point))).join(''),
  // A word of the alphabet begins with the letter that it stands for.
  nato: (code) => code.replaceAll(/([a-z])[a-z-]+/g, '$1'),
  morse: (code) =>
    code
      .split(/[ /]+/)
      .map((signs) => MORSE_TREE.charAt([...signs].reduce((at, sign) => 2 * at + (sign === '.' ? 1 : 2), 0)))
      .join(''),
  reversed: backwards,
  'reversed-words': (code) => code.replaceAll(/[a-z]+/gi, backwards),
};

/** Each "name: code" decoded in its place, also inside what was decoded. */
function decoded(text: string): string {
  return Object.entries(CODES).reduce(
    (left, [name, decode]) => left.replaceAll(new RegExp(`^${name}: (.*)$`, 'gm'), (_, code: string) => decode(code)),
    text,
  );
}

/** Pairs of a letter of another alphabet and the Latin letter that it looks like. */
const LOOKS = new Map(
  (
    'АAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSԌGԚQԜWаaсcеeоoрpхxуyіiјjѕsԁdһhԛqԝwӏlΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXοoνvυuιiτtσoα' +
    'aγyηnκkρpωwᴢzɡgոnսuցgոnհhօoսuꓓDꓝFꓡLꓣRꓤUꓦVꓴUᖴFᎠDᏞLɩiⅿmⅼlʟLᴠvᴡwᴋkᴍmғfбbƅbԵtеeԃdɓbʏyᏦKᏴBᎻHꜱsɴnɢgʀrʙbᴛtᴜuᴏoᴘpᴊjꞙfⅰiѵvɪi'
  )
    .match(/../gu)
    ?.map((pair) => [...pair] as [string, string]) ?? [],
);

/** The first code point of each style of letters that has A to Z and a to z in a row; letters in circles and wide ones have gaps. */
const unstyled = (text: string): string =>
  points(text, (point) => {
    if (point >= 0x1d400 && point < 0x1d6a4) return `${UPPER}${LOWER}`.charAt((point - 0x1d400) % 52);
    const row = [0xff21, 0xff41, 0x24b6, 0x24d0].findIndex((first) => point >= first && point < first + 26);
    return row < 0 ? undefined : [UPPER, LOWER][row % 2]?.charAt((point - [0xff21, 0xff41, 0x24b6, 0x24d0][row]!) % 65);
  });

/** Signs as the letters that they look like. */
const SIGNS: Readonly<Record<string, string>> = {
  ...{ '@': 'a', '4': 'a', '8': 'b', '(': 'c', '3': 'e', '€': 'e', '6': 'g', '9': 'g', '#': 'h', '1': 'i', '!': 'i' },
  ...{ '|': 'i', '0': 'o', $: 's', '5': 's', '7': 't', '+': 't', '2': 'z', '%': 'x', '^': 'a', '¥': 'y', '£': 'l' },
};

/** An unknown word without the letter that makes it one. */
function repaired(word: string): string {
  if (isEnglish(word)) return word;
  const all = Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1));
  return all.find(isEnglish) ?? word;
}

/** Function words of other languages. */
const FOREIGN: Readonly<Record<string, string>> = { alle: 'all', jeder: 'every' };

const DECODERS: Readonly<Record<string, (text: string) => string>> = {
  encoded: decoded,
  'unicode-tags': (text) => points(text, (point) => (point > 0xe0000 ? String.fromCharCode(point % 128) : undefined)),
  'variation-selectors': (text) =>
    text.replaceAll(/[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]+/gu, (hidden) =>
      utf8(
        Array.from(hidden, (sign) => sign.codePointAt(0) ?? 0).map((at) => (at < 0xe0100 ? at - 0xfe00 : at - 0xe00f0)),
      ),
    ),
  homoglyphs: (text) => Array.from(text, (letter) => LOOKS.get(letter) ?? letter).join(''),
  'letter-styles': unstyled,
  leet: (text) => Array.from(text, (sign) => SIGNS[sign] ?? sign).join(''),
  diacritics: (text) => text.normalize('NFD').replaceAll(/\p{M}/gu, ''),
  bidi: (text) => text.replaceAll(/\u202E(.*?)\u202C/g, (_, letters: string) => backwards(letters)),
  'token-break': (text) => text.replaceAll(/[a-z]+/gi, repaired),
  'window-seam': (text) => Array.from(text.matchAll(/part \d of \d\] (.*)/g), ([, part]) => part).join(' ') || text,
  'code-switching': (text) => text.replaceAll(/\p{L}+/gu, (word) => FOREIGN[word.toLowerCase()] ?? word),
};

/** The letters of a text as its reader reads them. Disguises without a decoder leave the letters as they are, in order. */
export function decode(attack: string, text: string): string {
  const name = attack.replace(/:.*/, '');
  const layers = name === 'stacked' ? ['homoglyphs', 'letter-styles', 'encoded', 'diacritics'] : [name];
  const read = layers.reduce((left, layer) => DECODERS[layer]?.(left) ?? left, text);
  const isLeet = name === 'stacked' && !/\{"id"|^\d+\./.test(read);
  return plain(isLeet ? (DECODERS.leet?.(read) ?? read) : read);
}
