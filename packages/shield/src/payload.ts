/** @file Texts in characters without a glyph: tags, bytes in variation selectors, bits in zero-width characters. */
import { isEnglish } from './common-words.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** UTF-8 read; undefined if it is none. */
export function textOf(bytes: readonly number[] | Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  try {
    return utf8.decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

export const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Letters of one script, blanks and a few marks, with an everyday word or enough letters. Random bytes seldom read so. */
export function readsAsText(text: string): boolean {
  if (/[\p{Cc}\p{Co}\p{Cn}\p{Cs}]/u.test(text.replaceAll(/[\t\n\r]/g, ''))) return false;
  const [characters, plain] = [Array.from(text).length, countOf(text, /[\p{L}\p{M}\s]/gu)];
  if (plain < 0.6 * characters || new Set(text).size < 3) return false;
  if (hasWord(text)) return true;
  const latin = countOf(text, /\p{Script=Latin}/gu);
  const letters = countOf(text, /\p{L}/gu);
  return letters >= 10 && plain >= 0.85 * characters && (latin === 0 || latin === letters);
}

export const hasWord = (text: string): boolean => (text.match(/[a-z]{3,}/gi) ?? []).some(isEnglish);

/** Bytes hidden in variation selectors: U+FE00 is 0, U+E0100 is 16. */
const fromSelectors = (code: string): string | undefined =>
  textOf(
    Array.from(code, (sign) => {
      const point = sign.codePointAt(0) ?? 0;
      return point >= 0xe0100 ? point - 0xe0100 + 16 : point - 0xfe00;
    }),
  );

const fromTags = (code: string): string =>
  Array.from(code, (sign) => String.fromCharCode((sign.codePointAt(0) ?? 0) - 0xe0000))
    .join('')
    .replaceAll(/[^ -~]/g, '');

/** Digits as characters: groups of them, or bytes, characters of seven bits or UTF-16 in one row. */
export function fromDigits(groups: readonly string[], radix: 2 | 4 | 8 | 10): string | undefined {
  const values = (width: number) =>
    (groups.join('').match(new RegExp(`.{${width}}`, 'g')) ?? []).map((digits) => Number.parseInt(digits, radix));
  const written = (codes: readonly number[]): string | undefined =>
    (codes.every((code) => code < 256) ? textOf(codes) : undefined) ??
    (codes.every((code) => code < 0x110000) ? String.fromCodePoint(...codes) : undefined);
  const readings =
    groups.length > 1 && groups.every(({ length }) => length < 22)
      ? [() => written(groups.filter(Boolean).map((digits) => Number.parseInt(digits, radix)))]
      : (radix === 2 ? [8, 7, 16] : [4, 8]).map((width) => () => written(values(width)));
  for (const read of readings) {
    const text = read();
    if (text !== undefined && readsAsText(text)) return text;
  }
  return undefined;
}

/** Two characters for bits, or four for pairs of them, in either order; or two, and a third between groups. */
function fromZeroWidth(code: string): string | undefined {
  const signs = [...new Set(code)].sort();
  if (signs.length < 2 || signs.length > 4) return undefined;
  for (const between of [undefined, ...(signs.length === 3 ? signs : [])]) {
    const digits = signs.filter((sign) => sign !== between);
    if (digits.length === 3) continue;
    const groups = (between === undefined ? [code] : code.split(between)).filter(Boolean);
    for (const order of [digits, digits.toReversed()]) {
      const text = fromDigits(
        groups.map((group) => Array.from(group, (sign) => order.indexOf(sign)).join('')),
        digits.length === 2 ? 2 : 4,
      );
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

/** Where texts without a glyph may stand, and how they are read. */
export const PAYLOADS = [
  { kind: 'tags', pattern: /[\u{E0001}-\u{E007F}]{4,}/gu, decode: fromTags },
  { kind: 'variation-selectors', pattern: /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{4,}/gu, decode: fromSelectors },
  {
    kind: 'zero-width',
    pattern: /[\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF]{16,20000}/gu,
    decode: fromZeroWidth,
  },
] as const;

/** What a run of characters without a glyph says; undefined if it says nothing. */
export function payloadOf(run: string): string | undefined {
  for (const { pattern, decode } of PAYLOADS) {
    const [found] = run.match(pattern) ?? [];
    const text = found === undefined ? undefined : decode(found);
    if (text !== undefined && readsAsText(text)) return text;
  }
  return undefined;
}
