/**
 * A text as the readers of an attack read it, by the attack's name: the reading of a rewritten text contains that of its original, and plain
 * texts that differ read differently.
 */

import { VOWELS } from '../../packages/shield/src/letters.js';
import {
  MORSE_CODE,
  NATO_WORDS,
  rot13,
  TURNED as TURNED_LETTERS,
} from '../../packages/shield/src/spelling-alphabets.js';
import type { Language } from '../../src/core/language.js';
import { latinOf, letterOf } from '../../src/language/confusables.js';
import { graphemesOf, languagePart } from '../../src/plugin.js';

type Reading = (text: string, language: Language) => string;

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
const words = /[\p{L}\p{M}]+/gu;
const plain: Reading = (text) => text;

function fromBase32(code: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = Array.from(code.replaceAll('=', ''), (digit) => digits.indexOf(digit).toString(2).padStart(5, '0'));
  const whole = bits.join('').match(/.{8}/g) ?? [];
  return Buffer.from(whole.map((byte) => Number.parseInt(byte, 2))).toString();
}

const fromEntities = (code: string) =>
  code.replaceAll(/&#(\d+);/g, (_, point: string) => String.fromCodePoint(Number(point)));

const fromCodeWords = (codes: Iterable<readonly [letter: string, code: string]>) => {
  const letters = new Map(Array.from(codes, ([letter, code]) => [code, letter]));
  const word = (signs: string) =>
    signs
      .split(' ')
      .map((sign) => letters.get(sign) ?? sign)
      .join('');
  return (code: string) => code.split(' / ').map(word).join(' ');
};

const NATO = new Map([...[...NATO_WORDS].map(([letter, [word = letter]]) => [letter, word] as const), ['/', 'slash']]);
const reversed = (text: string) => graphemesOf(text).reverse().join('');

const fromBytes = (radix: number) => (code: string) =>
  Buffer.from(
    code
      .trim()
      .split(' ')
      .map((byte) => Number.parseInt(byte, radix)),
  ).toString();
const fromBits = (zero: string) => (code: string) =>
  fromBytes(2)(Array.from(code, (sign, at) => `${at % 8 === 0 ? ' ' : ''}${sign === zero ? 0 : 1}`).join(''));
const everySecond = (word: string) =>
  Array.from(word)
    .filter((_, at) => at % 2 === 0)
    .join('');
const TURNED = new Map([...TURNED_LETTERS].map(([letter, sign]) => [sign, letter]));

/** What stands behind the name of a code, and what it says. */
const DECODERS: readonly (readonly [pattern: RegExp, decode: (code: string) => string])[] = [
  [/base64: ([A-Za-z0-9+/=]+)/g, (code) => Buffer.from(code, 'base64').toString()],
  [/rot13: ([^\n]*)/g, rot13],
  [/hex: ([0-9a-f]+)/g, (code) => Buffer.from(code, 'hex').toString()],
  [/base32: ([A-Z2-7]+=*)/g, fromBase32],
  [
    /base64-twice: ([A-Za-z0-9+/=]+)/g,
    (code) => Buffer.from(Buffer.from(code, 'base64').toString(), 'base64').toString(),
  ],
  [/binary: ([01 ]+)/g, fromBytes(2)],
  [/decimal: ([\d ]+)/g, fromBytes(10)],
  [/json: ((?:\\u[0-9a-f]{4})+)/g, (code) => JSON.parse(`"${code}"`)],
  [/quoted-printable: ((?:=[0-9A-F]{2})+)/g, (code) => decodeURIComponent(code.replaceAll('=', '%'))],
  [/zero-width: ([\u200b\u200c]+)/g, fromBits('\u200b')],
  [/invisible-operators: ([\u2062\u2064]+)/g, fromBits('\u2062')],
  [/dotted: ([^\n]*)/g, (code) => code.split(' ').map(everySecond).join(' ')],
  [/(?<!\S)spaced: ([^\n]*)/g, (code) => code.split('  ').map(everySecond).join(' ')],
  [
    /upside-down: ([^\n]*)/g,
    (code) =>
      Array.from(code, (sign) => TURNED.get(sign) ?? sign)
        .reverse()
        .join(''),
  ],
  [/url: ((?:%[0-9A-F]{2})+)/g, decodeURIComponent],
  [/html: ((?:&#\d+;)+)/g, fromEntities],
  [/nato: ([^\n]*)/g, fromCodeWords(NATO)],
  [/morse: ([^\n]*)/g, fromCodeWords(MORSE_CODE)],
  [/reversed: ([^\n]*)/g, reversed],
  [/reversed-words: ([^\n]*)/g, (code) => code.replaceAll(words, reversed)],
];

/** In lower case, because NATO and Morse have no capitals. */
const decoded: Reading = (text) =>
  inOneLine(
    DECODERS.reduce((left, [pattern, decode]) => left.replaceAll(pattern, (_, code: string) => decode(code)), text),
  ).toLowerCase();

const byteOf = (selector: string): number => {
  const code = selector.codePointAt(0)!;
  return code < 0xe0100 ? code - 0xfe00 : code - 0xe0100 + 16;
};

/** The word that a reader takes an unknown word for: without its first letter, or without one of a pair; otherwise the word itself. */
function meantBy(word: string, language: Language): string {
  const lower = word.toLowerCase();
  const isKnown = (each: string) => languagePart(language, 'dictionary').has(each);
  if (isKnown(lower)) return lower;
  const letters = graphemesOf(lower);
  const shorter = [
    letters.slice(1).join(''),
    ...letters.flatMap((letter, at) => (letter === letters[at - 1] ? [letters.toSpliced(at, 1).join('')] : [])),
  ];
  return shorter.find((each) => each.length > 2 && isKnown(each)) ?? lower;
}

/** The numbered parts joined, of a text that has some. */
function joined(text: string): string {
  const parts = Array.from(
    text.matchAll(/\[part \d+ of \d+\] ([\s\S]*?)(?=\n[^\n]*\n\[part \d+ of \d+\] |$)/g),
    ([, part]) => part,
  );
  return inOneLine(parts.length > 0 ? parts.join(' ') : text);
}

/** Presentation forms, radicals, letters with a sign and look-alikes of Latin letters as ordinary letters. */
export const withoutDoubles = (text: string): string => {
  const composed = text.normalize('NFKC');
  const vowels = /\p{Script=Devanagari}/u.test(composed) ? [...VOWELS] : [];
  const plain = vowels.reduce((left, [drawn, vowel]) => left.replaceAll(drawn, vowel), composed);
  return Array.from(plain, latinOf).join('');
};

const withoutHidden: Reading = (text) => text.replaceAll(/\p{Cf}/gu, '');
const inPlainLetters: Reading = (text) => text.normalize('NFKC');
const withoutMarks: Reading = (text) => text.normalize('NFD').replaceAll(/\p{M}/gu, '');
const unspaced: Reading = (text) => text.replaceAll(/[\s.-]+/g, '');
/** Signs as letters, with i and l as one letter because "1" represents either. */
const signsAsLetters: Reading = (text) => Array.from(text, letterOf).join('').toLowerCase().replaceAll('l', 'i');
/** Unescapes quotation marks and line ends of JSON. */
const unescaped: Reading = (text) => inOneLine(text.replaceAll(/\\+"/g, '"').replaceAll(/\\+[nrt]?/g, ' '));
const withoutBullets: Reading = (text) =>
  text
    .split(/\s+/)
    .filter((word) => word !== '' && !/^(?:[>#-]|\d+\.)$/.test(word))
    .join(' ');

/** The readers of the layers, the outermost first; letters of other alphabets before any reader that ignores case. */
const LAYERS = [
  withoutHidden,
  withoutDoubles,
  inPlainLetters,
  decoded,
  unescaped,
  withoutBullets,
  withoutMarks,
  unspaced,
  signsAsLetters,
];

export const readings: Readonly<Record<string, Reading>> = {
  'benign-filler': plain,
  'beyond-length': plain,
  bidi: (text) => text.replaceAll(/\u202e([^\u202c]*)\u202c/g, (_, letters: string) => reversed(letters)),
  'case-flip': (text) => text.toLowerCase(),
  'code-switching': (text, language) =>
    text.replaceAll(words, (word) => languagePart(language, 'codeSwitching').meaning(word) ?? word).toLowerCase(),
  diacritics: withoutMarks,
  encoded: decoded,
  'flip-suffix': plain,
  homoglyphs: withoutDoubles,
  leet: signsAsLetters,
  'letter-styles': inPlainLetters,
  'line-breaks': withoutBullets,
  quoted: unescaped,
  'split-words': unspaced,
  stacked: (text, language) => LAYERS.reduce((left, read) => read(left, language), text).replaceAll(/\s+/g, ''),
  'token-break': (text, language) => text.replaceAll(words, (word) => meantBy(word, language)).toLowerCase(),
  'unicode-tags': (text) =>
    text.replaceAll(/[\u{e0020}-\u{e007e}]/gu, (tag) => String.fromCodePoint(tag.codePointAt(0)! - 0xe0000)),
  'variation-selectors': (text) =>
    text.replaceAll(/\P{Variation_Selector}([\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+)/gu, (_, hidden: string) =>
      new TextDecoder().decode(Uint8Array.from(Array.from(hidden, byteOf))),
    ),
  'window-seam': joined,
  'zero-width': withoutHidden,
};
