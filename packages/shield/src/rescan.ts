/** @file Encoded texts inside a text: candidates that a guard reads as well. Nothing is replaced. */
import { asWords, isEnglish } from './common-words.js';
import { countOf, fromDigits, hasWord, PAYLOADS, readsAsText, textOf } from './payload.js';
import { withoutSpacedCapitals } from './spelled.js';
import { MORSE_CODE, NATO_WORDS, rot13, TURNED } from './spelling-alphabets.js';

/** An encoded range and what it says. */
export interface HiddenText {
  /** Offsets in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** The encodings, the outer one first: "base64", "hex>rot13". */
  readonly kind: string;
  readonly text: string;
}

export interface RescanOptions {
  /** How many encodings inside one another are read. @default 3 */
  readonly depth?: number;
}

/** An encoding: where it may stand, and how it is read; undefined where it says nothing. */
interface Encoding {
  readonly kind: string;
  readonly pattern: RegExp;
  decode(code: string): string | undefined;
}

/** Longest range that is decoded at once. */
const MOST_CHARACTERS = 20_000;

function fromBase64(code: string): string | undefined {
  const plain = code.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  if (plain.length % 4 === 1 || plain.includes('=')) return undefined;
  return textOf(Array.from(atob(plain), (letter) => letter.charCodeAt(0)));
}

/** RFC 4648, section 6. */
function fromBase32(code: string): string | undefined {
  const bytes: number[] = [];
  let [bits, count] = [0, 0];
  for (const letter of code.replace(/[=\s]/g, '').toUpperCase()) {
    bits = (bits << 5) | 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter);
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 255);
    bits &= (1 << count) - 1;
  }
  return textOf(bytes);
}

function fromHex(code: string): string | undefined {
  const digits = code.replace(/\\x|0x|[\s:,]/gi, '');
  return digits.length % 2 === 1
    ? undefined
    : textOf((digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

/** Five characters from "!" to "u" for four bytes, "z" for four zeros. */
function fromAscii85(code: string): string | undefined {
  const digits = code.replace(/^<~|~>$|\s/g, '').replaceAll('z', '!!!!!');
  const bytes: number[] = [];
  for (let at = 0; at < digits.length; at += 5) {
    const group = digits.slice(at, at + 5);
    if (group.length === 1) return undefined;
    const value = [...group.padEnd(5, 'u')].reduce((sum, digit) => 85 * sum + digit.charCodeAt(0) - 33, 0);
    if (value > 0xffff_ffff) return undefined;
    bytes.push(...[24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).slice(0, group.length - 1));
  }
  return textOf(bytes);
}

function fromPercent(code: string): string | undefined {
  try {
    return decodeURIComponent(code.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const fromEntities = (code: string): string =>
  code.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      const value = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      return value <= 0x10ffff ? String.fromCodePoint(value) : whole;
    },
  );

const natoLetters = new Map([...NATO_WORDS].flatMap(([letter, words]) => words.map((word) => [word, letter] as const)));
const NATO_WORD = [...natoLetters.keys()].join('|');
/** Signs without a word in the alphabet: a digit, or a single letter with an accent. */
const UNSPELLED = '\\d|(?![a-z])\\p{L}(?!\\p{L})';
/** A word of the alphabet, a sign without one, or the end of a word that it spells. */
const NATO_PART = new RegExp(`(${NATO_WORD})|(${UNSPELLED})|[/|;\\n]| {3,}`, 'giu');

const fromNato = (code: string): string =>
  spaced(
    Array.from(code.matchAll(NATO_PART), ([, word, digit = ' ']) =>
      word === undefined ? digit : natoLetters.get(word.toLowerCase()),
    ).join(''),
  );

/** Words of letters without spaces between them, where they are everyday words. */
const spaced = (text: string): string =>
  text.replaceAll(/[a-z]{2,}/g, (letters) => asWords(letters)?.join(' ') ?? letters);

const morseLetters = new Map([...MORSE_CODE].map(([letter, code]) => [code, letter]));

const fromMorse = (code: string): string =>
  code
    .replaceAll(/[·•]/g, '.')
    .replaceAll(/[−–—_]/g, '-')
    .split(/\s*[/|\n]\s*| {3,}/)
    .map((word) => Array.from(word.split(/\s+/), (signs) => morseLetters.get(signs) ?? '').join(''))
    .join(' ');

const reverse = (text: string): string => Array.from(text).reverse().join('');

/** Escapes of JSON, JavaScript and Python, and octal ones. */
const ESCAPE = String.raw`\\(?:u([\da-fA-F]{4})|[ux]\{([\da-fA-F]{1,6})\}|U([\da-fA-F]{8})|x([\da-fA-F]{2})|([0-3][0-7]{2}))`;

const fromEscapes = (code: string): string =>
  code
    .replaceAll(new RegExp(ESCAPE, 'g'), (whole, ...digits: (string | undefined)[]) => {
      const at = digits.findIndex((each) => each !== undefined);
      const value = Number.parseInt(digits[at] ?? '', at === 4 ? 8 : 16);
      return value <= 0xffff ? String.fromCharCode(value) : value <= 0x10ffff ? String.fromCodePoint(value) : whole;
    })
    .replaceAll(/\\(["\\/])/g, '$1');

/** RFC 2045, section 6.7. */
const fromQuotedPrintable = (code: string): string | undefined =>
  textOf(
    (code.replaceAll(/=\r?\n/g, '').match(/=[\dA-F]{2}|[^=]+/gu) ?? []).flatMap((part) =>
      part.startsWith('=') ? Number.parseInt(part.slice(1), 16) : [...new TextEncoder().encode(part)],
    ),
  );

const fromBinary = (code: string): string | undefined => fromDigits(code.split(/[^01]+/), 2);

const fromDecimal = (code: string): string | undefined => {
  const groups = code.match(/\d+/g) ?? [];
  return fromDigits(groups, 10) ?? fromDigits(groups, 8);
};

const turned = new Map([
  ...[...TURNED].map(([letter, sign]) => [sign, letter] as const),
  ...Array.from(
    'iıgɓlʃhɥrɹeəGפTꓕT┴KʞL˥YλQΌAɐ'.match(/../gu) ?? [],
    ([letter = '', sign = '']) => [sign, letter] as const,
  ),
]);

/** Letters turned upside down, from the end; undefined for a line with few of them. */
function fromUpsideDown(line: string): string | undefined {
  const signs = Array.from(line);
  const letters = signs.map((sign) => turned.get(sign) ?? sign);
  const changed = signs.filter((sign, at) => /[^\p{ASCII}]/u.test(sign) && sign !== letters[at]).length;
  return changed < 4 ? undefined : letters.toReversed().join('');
}

const ENCODINGS: readonly Encoding[] = [
  ...PAYLOADS,
  {
    kind: 'json',
    pattern: new RegExp(String.raw`[^\s\\]{0,40}${ESCAPE}(?:[^\\\n]{0,40}${ESCAPE}){2,}[^\s\\]{0,40}`, 'g'),
    decode: fromEscapes,
  },
  {
    kind: 'quoted-printable',
    pattern: /[^\s=]{0,40}=[\dA-F]{2}(?:[^=\n]{0,40}=(?:[\dA-F]{2}|\r?\n)){2,}[^\s=]{0,40}/g,
    decode: fromQuotedPrintable,
  },
  {
    kind: 'binary',
    pattern: /(?<!\d)(?:[01]{7,8}[ \n,;|_-]{1,2}){2,}[01]{7,8}(?!\d)|(?<!\d)[01]{24,}(?!\d)/g,
    decode: fromBinary,
  },
  { kind: 'decimal', pattern: /(?<![\d.])(?:\d{2,7}[ \n,;|_-]{1,2}){3,}\d{2,7}(?![\d.])/g, decode: fromDecimal },
  { kind: 'hex', pattern: /(?<![\da-z])(?:(?:\\x|0x)?[\da-f]{2}[\s:,]{0,2}){6,}(?![\da-z])/gi, decode: fromHex },
  { kind: 'base64', pattern: /(?<![\w+/])[\w+/-]{12,}={0,2}(?:\n[\w+/-]{4,}={0,2})*/g, decode: fromBase64 },
  { kind: 'base32', pattern: /(?<![A-Za-z\d])[A-Z2-7]{16,}={0,6}(?![a-z\d])/g, decode: fromBase32 },
  { kind: 'ascii85', pattern: /<~[!-uz\s]+~>|(?<!\S)[!-uz]{15,}(?!\S)/g, decode: fromAscii85 },
  { kind: 'url', pattern: /(?=[^\s%]{0,200}%[\da-f]{2})[^\s]*(?:%[\da-f]{2}[^\s%]*){3,}/gi, decode: fromPercent },
  { kind: 'html', pattern: /(?:[^\s&]{0,40}&(?:#x?[\da-f]{1,7}|[a-z]{2,8});\s?){3,}/gi, decode: fromEntities },
  {
    kind: 'nato',
    pattern: new RegExp(
      `(?<!\\p{L})(?:${NATO_WORD})(?:[\\s\\p{P}\\p{S}]{1,8}(?:${NATO_WORD}|${UNSPELLED})){3,}(?![\\p{L}\\d])`,
      'giu',
    ),
    decode: fromNato,
  },
  { kind: 'morse', pattern: /(?<!\S)[.\-·•−–—_]{1,6}(?:[ /|\n]{1,5}[.\-·•−–—_]{1,6}){3,}(?!\S)/g, decode: fromMorse },
  { kind: 'spaced-capitals', pattern: /[^\n]{8,}/g, decode: withoutSpacedCapitals },
  { kind: 'rot13', pattern: /[^\n:"“”]{8,}/g, decode: rot13 },
  { kind: 'upside-down', pattern: /[^\n"“”]{4,}/g, decode: fromUpsideDown },
  { kind: 'reversed', pattern: /[^\n"“”]{8,}/g, decode: reverse },
  {
    kind: 'reversed-words',
    pattern: /[^\n:"“”]{8,}/g,
    decode: (line) => line.replaceAll(/\p{L}+/gu, (word) => reverse(word)),
  },
];

/** Readings of lines that are not encoded read like nothing. */
const OF_LINES: ReadonlySet<string> = new Set(['rot13', 'upside-down', 'reversed', 'reversed-words']);

/**
 * Reads base64, base32, hexadecimal, binary and decimal bytes, ASCII85, quoted-printable, escapes of URLs, HTML and JSON, the NATO alphabet,
 * Morse code, tag characters, variation selectors, zero-width bits, headings in spaced capitals, rot13, turned and reversed texts. Only what reads as text is listed. Takes time linear in the text for each level of
 * `depth`.
 */
export function rescan(text: string, { depth = 3 }: RescanOptions = {}): HiddenText[] {
  return ENCODINGS.flatMap((encoding) =>
    Array.from(text.matchAll(encoding.pattern), ({ 0: found, index }) => {
      const together = candidatesOf(encoding, found, index, depth);
      // Lines that say nothing together may say something alone: the next line may be plain.
      return together.length > 0 || !found.trimEnd().includes('\n')
        ? together
        : Array.from(found.matchAll(/[^\n]+/g), (line) =>
            candidatesOf(encoding, line[0], index + line.index, depth),
          ).flat();
    }).flat(),
  ).sort((a, b) => a.start - b.start || b.end - a.end);
}

/** What may be an encoded text: few blanks, printable. */
const MAY_HIDE = /^(?:[!-~]{12,}|[\da-f]{2,8}(?:[ ,][\da-f]{2,8}){7,})\s*$/i;

/** The message of an encoded range, and those inside it. */
function candidatesOf({ kind, decode }: Encoding, found: string, start: number, depth: number): HiddenText[] {
  // Not trimEnd, which takes U+FEFF for a blank.
  const code = found.replace(/[ \t\r\n]+$/, '');
  const text = code.length > MOST_CHARACTERS ? undefined : decode(code)?.trim();
  if (text === undefined) return [];
  const isRead = isMessage(kind, text, code);
  if (!isRead && !MAY_HIDE.test(text)) return [];
  const end = start + code.length;
  // Twice the same encoding of a line gives the line back. In what does not read as text, all of it is encoded.
  const inner = (depth > 1 ? rescan(text, { depth: depth - 1 }) : []).filter(({ kind: first, ...range }) =>
    isRead
      ? !OF_LINES.has(first) || first !== kind
      : range.end - range.start > 0.8 * text.length && !(OF_LINES.has(kind) && OF_LINES.has(first.split('>')[0] ?? '')),
  );
  return [
    ...(isRead ? [{ start, end, kind, text }] : []),
    ...inner.map((each) => ({ start, end, kind: `${kind}>${each.kind}`, text: each.text })),
  ];
}

function isMessage(kind: string, read: string, code: string): boolean {
  if (OF_LINES.has(kind))
    return readsBetter(read, code) || (kind === 'rot13' ? isRotated(read, code) : isMirrored(code));
  if (kind === 'spaced-capitals') return true;
  // Numbers are often just numbers.
  if (kind === 'decimal' || kind === 'binary')
    return hasWord(read) || countOf(read, /\p{L}/gu) > countOf(read, /[a-z]/gi);
  if (kind !== 'morse' && kind !== 'nato') return readsAsText(read);
  const letters = read.match(/\p{L}/gu) ?? [];
  return (letters.length >= 10 && new Set(letters).size >= 6) || (read.match(/[a-z]{3,}/g) ?? []).some(isEnglish);
}

/** At least three everyday words, or four among many others, and twice as many of them as before. */
function readsBetter(read: string, before: string): boolean {
  const count = (text: string): [number, number] => {
    const words = text.match(/\p{L}{2,}/gu) ?? [];
    return [words.filter(isEnglish).length, words.length];
  };
  const [known, all] = count(read);
  const share = known / all;
  return ((known >= 3 && share >= 0.6) || (known >= 4 && share >= 0.5)) && known >= 2 * count(before)[0];
}

/** In whatever language with capitals: they end words, or marks precede them, and no word begins with one. */
function isMirrored(code: string): boolean {
  const capitals = countOf(code, /(?<![\p{L}\p{N}])\p{Ll}{2,}\p{Lu}(?![\p{L}\p{N}])/gu);
  const marks = countOf(code, /(?<![\p{L}\p{N}.?!])[.?!](?=\p{L})/gu);
  return capitals > 0 && capitals + marks > 1 && countOf(code, /(?<!\p{L})\p{Lu}/gu) === 0;
}

/** In whatever language of Latin letters: vowels are as frequent as in a text only after rotating. */
function isRotated(read: string, code: string): boolean {
  const letters = countOf(code, /[a-z]/gi);
  if (letters < 30 || letters < 0.9 * countOf(code, /[\p{L}\p{N}]/gu)) return false;
  const [after, before] = [read, code].map((text) => countOf(text, /[aeiou]/gi) / letters) as [number, number];
  return after >= 0.33 && after <= 0.5 && before <= 0.28 && 2 * countOf(code, /e/gi) <= countOf(read, /e/gi);
}
