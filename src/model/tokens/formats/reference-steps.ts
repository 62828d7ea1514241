/**
 * @file Tokenizer steps by the rules of the reference, the `tokenizers` package in Rust. The library in JavaScript differs from them. It
 * reads ideographs beyond the BMP as two characters, and lower-cases a sigma by its place in the word. U+FEFF is a space for it, U+0085 is
 * not. It knows characters that are newer than the reference's tables, and splits at matches in one way only.
 */
import { charsmap } from '../charsmap.js';
import { BYTE_CHARACTERS } from '../locate-word.js';
import { CLASS } from './reference-classes.js';

/** A step as tokenizer.json writes it. */
export interface WrittenStep {
  readonly type?: unknown;
  readonly clean_text?: unknown;
  readonly handle_chinese_chars?: unknown;
  readonly strip_accents?: unknown;
  readonly lowercase?: unknown;
  readonly strip_left?: unknown;
  readonly strip_right?: unknown;
  readonly add_prefix_space?: unknown;
  readonly use_regex?: unknown;
  readonly behavior?: unknown;
  readonly individual_digits?: unknown;
  readonly invert?: unknown;
  readonly length?: unknown;
  readonly split?: unknown;
  readonly replacement?: unknown;
  readonly precompiled_charsmap?: unknown;
}

export type Normalise = (text: string) => string;
export type Cut = (text: string, options?: object) => string[];

const { space, letter, number, word, accent, mark, punctuation, control, ideograph, unnormalised } = CLASS;
const every = (pattern: string): RegExp => new RegExp(pattern, 'gv');

const CONTROL = every(`${control}+`);
const SPACE = every(space);
const IDEOGRAPH = every(ideograph);
const ACCENTS = every(`${accent}+`);
const MARKS = every(`${mark}+`);
const UNNORMALISED = new RegExp(`(${unnormalised}+)`, 'v');

/** A normaliser step, if the library's differs from the reference. */
export function referenceNormaliser(step: WrittenStep): Normalise | undefined {
  switch (step.type) {
    case 'BertNormalizer':
      return bertNormaliser(step);
    case 'Lowercase':
      return lowerCased;
    case 'StripAccents':
      return (text) => text.replace(MARKS, '');
    case 'Strip':
      return (text) => strip(text, step.strip_left === true, step.strip_right === true);
    case 'NFC':
    case 'NFD':
    case 'NFKC':
    case 'NFKD':
      return inForm(step.type);
    case 'Precompiled':
      return charsmap(String(step.precompiled_charsmap ?? ''));
    default:
      return undefined;
  }
}

function bertNormaliser(step: WrittenStep): Normalise {
  const lowers = step.lowercase === true;
  const strips = step.strip_accents === true || (lowers && step.strip_accents !== false);
  return (text) => {
    if (/^[ -~]*$/.test(text)) return lowers ? text.toLowerCase() : text;
    let made = text;
    if (step.clean_text === true) made = made.replace(CONTROL, '').replace(SPACE, ' ');
    if (step.handle_chinese_chars === true) made = made.replace(IDEOGRAPH, ' $& ');
    if (strips) made = decomposed(made).replace(ACCENTS, '');
    return lowers ? lowerCased(made) : made;
  };
}

/** Character by character: a sigma at the end of a word is lower-cased as any other. */
const lowerCased: Normalise = (text) => text.replaceAll('Σ', 'σ').toLowerCase();

/** Normalisation around characters that the reference does not know, which stay as they are and where they are. */
const inForm =
  (form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): Normalise =>
  (text) =>
    text
      .split(UNNORMALISED)
      .map((part, at) => (at % 2 === 0 ? part.normalize(form) : part))
      .join('');

const decomposed = inForm('NFD');

const ONE_SPACE = new RegExp(space, 'v');

function strip(text: string, left: boolean, right: boolean): string {
  let [from, to] = [0, text.length];
  while (left && from < to && ONE_SPACE.test(text.charAt(from))) from++;
  while (right && to > from && ONE_SPACE.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

/** A pre-tokeniser step, if the library's differs from the reference. `own`: the library's step. Throws Error for an unknown behavior. */
export function referenceCut(
  step: WrittenStep,
  own: { readonly pattern?: RegExp | null; pre_tokenize_text?(text: string, options?: object): string[] },
): Cut | undefined {
  const { pattern } = own;
  switch (step.type) {
    case 'BertPreTokenizer':
      return matches(every(`[[^${space}]--${punctuation}]+|${punctuation}`));
    case 'Whitespace':
      return matches(every(`${word}+|[[^${space}]--${word}]+`));
    case 'WhitespaceSplit':
      return matches(every(`[^${space}]+`));
    case 'ByteLevel':
      return byteLevel(step);
    case 'Punctuation':
      return splitter(every(punctuation), step.behavior ?? 'Isolated');
    case 'Digits':
      return splitter(every(number), step.individual_digits === true ? 'Isolated' : 'Contiguous');
    case 'Split':
      return pattern ? splitter(pattern, step.behavior, step.invert === true) : undefined;
    case 'Metaspace': {
      const whole = own.pre_tokenize_text?.bind(own);
      if (whole === undefined || step.split === false) return undefined;
      const cut = splitter(new RegExp(escapePattern(String(step.replacement ?? '\u2581')), 'gu'), 'MergedWithNext');
      return (text, options) => whole(text, options).flatMap((word) => cut(word));
    }
    case 'FixedLength':
      return fixedLength(Number(step.length));
    default:
      return undefined;
  }
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const matches =
  (pattern: RegExp): Cut =>
  (text) =>
    text.match(pattern) ?? [];

/** GPT-2's words, spelled in bytes. */
function byteLevel({ add_prefix_space: prefix, use_regex: words }: WrittenStep): Cut {
  const pattern = every(
    `'s|'t|'re|'ve|'m|'ll|'d| ?${letter}+| ?${number}+| ?[[^${space}]--${letter}--${number}]+|${space}+(?![^${space}])|${space}+`,
  );
  const cut = words === false ? (text: string) => [text] : matches(pattern);
  return (text) => cut(prefix === true && !text.startsWith(' ') ? ` ${text}` : text).map(spelledInBytes);
}

const spelledInBytes = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => BYTE_CHARACTERS[byte]!).join('');

interface CutPart {
  text: string;
  readonly matched: boolean;
}

/** A text cut at the matches of a pattern, and what becomes of them. */
function splitter(pattern: RegExp, behaviour: unknown, invert = false): Cut {
  const join = JOINS[String(behaviour).toLowerCase()];
  if (join === undefined) throw new Error(`a step splits with the behavior ${JSON.stringify(behaviour)}`);
  return (text) => {
    const parts: CutPart[] = [];
    const add = (from: number, to: number, matched: boolean) => {
      if (to > from) parts.push({ text: text.slice(from, to), matched: matched !== invert });
    };
    let cursor = 0;
    for (const match of text.matchAll(pattern)) {
      add(cursor, match.index, false);
      cursor = match.index + match[0].length;
      add(match.index, cursor, true);
    }
    add(cursor, text.length, false);
    return join(parts);
  };
}

const texts = (parts: readonly CutPart[]): string[] => parts.map(({ text }) => text);

/** Joins each part to the one before it where `joins` says so. */
function joinParts(parts: readonly CutPart[], joins: (part: CutPart, before: CutPart) => boolean): string[] {
  const made: string[] = [];
  parts.forEach((part, at) => {
    const before = parts[at - 1];
    if (before !== undefined && joins(part, before)) made[made.length - 1] += part.text;
    else made.push(part.text);
  });
  return made;
}

const JOINS: Readonly<Record<string, (parts: readonly CutPart[]) => string[]>> = {
  isolated: texts,
  removed: (parts) => texts(parts.filter(({ matched }) => !matched)),
  contiguous: (parts) => joinParts(parts, (part, before) => part.matched === before.matched),
  mergedwithprevious: (parts) => joinParts(parts, (part, before) => part.matched && !before.matched),
  mergedwithnext: (parts) => joinParts(parts, (part, before) => !part.matched && before.matched),
};

function fixedLength(length: number): Cut {
  return (text) => {
    const characters = Array.from(text);
    return Array.from({ length: Math.ceil(characters.length / length) }, (_, at) =>
      characters.slice(at * length, (at + 1) * length).join(''),
    );
  };
}
