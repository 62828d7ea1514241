/** @file Compares tokenizers with the native library over Unicode: every character alone and in pairs with others, ids and offsets. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/package-root.js';
import { tokenizerEncoder } from '../../src/model/tokens/tokenizer.js';

type Definition = Readonly<Record<string, unknown>>;

const BYTES = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
/** Its ids show the output of a normaliser. */
const SPELLING = {
  type: 'Unigram',
  unk_id: 0,
  vocab: ['<unk>', ...BYTES].map((piece) => [piece, 0]),
  byte_fallback: true,
};
/** Its offsets show the cuts of a pre-tokeniser. */
const ONE_WORD = { type: 'WordLevel', unk_token: '<unk>', vocab: { '<unk>': 0 } };

const tokenizer = (normalizer: object | null, preTokenizer: object | null): Definition => ({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer,
  pre_tokenizer: preTokenizer,
  post_processor: null,
  decoder: null,
  model: preTokenizer === null ? SPELLING : ONE_WORD,
});

const bert = { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true };
const split = (behavior: string, more: object = {}) => ({ type: 'Split', pattern: { String: 'a' }, behavior, ...more });
/** Pattern of GPT-4, Llama 3 and Qwen. */
const WORDS =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

const normalisers: Readonly<Record<string, object>> = {
  'BERT, uncased': { ...bert, strip_accents: null, lowercase: true },
  'BERT, cased': { ...bert, strip_accents: null, lowercase: false },
  'BERT, uncased with accents': { ...bert, strip_accents: false, lowercase: true },
  'BERT, cased without accents': { ...bert, strip_accents: true, lowercase: false },
  Lowercase: { type: 'Lowercase' },
  StripAccents: { type: 'StripAccents' },
  Strip: { type: 'Strip', strip_left: true, strip_right: true },
  'Strip, left': { type: 'Strip', strip_left: true, strip_right: false },
  NFC: { type: 'NFC' },
  NFD: { type: 'NFD' },
  NFKC: { type: 'NFKC' },
  NFKD: { type: 'NFKD' },
  'Replace, a pattern': { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
};

const preTokenisers: Readonly<Record<string, object>> = {
  BERT: { type: 'BertPreTokenizer' },
  ByteLevel: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  Whitespace: { type: 'Whitespace' },
  WhitespaceSplit: { type: 'WhitespaceSplit' },
  Digits: { type: 'Digits', individual_digits: false },
  'Digits, each': { type: 'Digits', individual_digits: true },
  ...Object.fromEntries(
    ['Isolated', 'Removed', 'Contiguous', 'MergedWithPrevious', 'MergedWithNext'].flatMap((behavior) => [
      [`Punctuation, ${behavior}`, { type: 'Punctuation', behavior }],
      [`Split, ${behavior}`, split(behavior, { invert: false })],
      [`Split, ${behavior}, inverted`, split(behavior, { invert: true })],
    ]),
  ),
  'Split, a pattern': { type: 'Split', pattern: { Regex: WORDS }, behavior: 'Isolated', invert: false },
};

/** Steps of tokenizers, each with a model that shows what the step does. */
export const steps: readonly (readonly [name: string, Definition])[] = [
  ...Object.entries(normalisers).map(([name, step]) => [`normaliser ${name}`, tokenizer(step, null)] as const),
  ...Object.entries(preTokenisers).map(([name, step]) => [`pre-tokeniser ${name}`, tokenizer(null, step)] as const),
];

/** The tokenizers of real and of tiny models, each once; those of ../shared where it is there. */
export const models: readonly (readonly [name: string, Definition])[] = (() => {
  const found = new Map<string, readonly [string, Definition]>();
  const shared = join(packageRoot, '..', 'shared');
  const roots = [
    join(packageRoot, 'models'),
    join(shared, 'models'),
    join(shared, 'goldens', 'transformers'),
    join(shared, 'goldens', 'transformers-2'),
  ];
  for (const root of roots.filter(existsSync)) {
    for (const name of readdirSync(root)) {
      const path = join(root, name, 'tokenizer.json');
      if (!existsSync(path)) continue;
      const json = readFileSync(path, 'utf8');
      const hash = createHash('sha256').update(json).digest('hex');
      if (!found.has(hash)) found.set(hash, [name, JSON.parse(json) as Definition]);
    }
  }
  return [...found.values()];
})();

/** Letters, marks, digits, blanks, punctuation and what joins them: each makes a pair with every character. */
export const PARTNERS = [
  ..."a1!'ΣÉİßﬁⅧか한中𠀀👍▁_²\n\u00a0\u0301\u0327\u0345\u0085\ufeff\u200d\u200b\u2028\u0378\u0e33",
  "'s",
];

/** The character alone, and in pairs in both orders. */
const textOf = (character: string, partners: readonly string[]): string =>
  [character, ...partners.flatMap((partner) => [partner + character, character + partner])].join(' ');

/** Every `step`-th code point, and those that tokenizers treat specially. */
export function codePoints(step: number): string[] {
  const special = [0, 0x85, 0xa0, 0x130, 0x3a3, 0x3c2, 0x1680, 0x180e, 0x200b, 0x2028, 0x3000, 0xfeff, 0xfffd];
  const edges = [0x3400, 0x4e00, 0x9fff, 0xac00, 0xf900, 0x20000, 0x2a6df, 0x2b81f, 0x2b820, 0x2b920, 0x2ceaf, 0x2fa1f];
  const made = new Set([...special, ...edges]);
  for (let point = 0; point < 0x110000; point += step) made.add(point);
  return [...made].filter((point) => point < 0xd800 || point > 0xdfff).map((point) => String.fromCodePoint(point));
}

/** Runs of characters that no table distinguishes: ideographs, syllables, private use, unassigned. */
const ALIKE = /[\p{Cn}\p{Co}㐀-䶿一-鿿가-힣\u{17000}-\u{18CFF}\u{20000}-\u{33479}]/u;

/** Every `step`-th character, but of those that are alike every 97th. */
export const distinct = (step: number): string[] =>
  codePoints(step).filter((character, at) => at % 97 === 0 || !ALIKE.test(character));

/** A text that the two read differently, and how. */
export interface Difference {
  readonly text: string;
  readonly native: string;
  readonly ours: string;
}

/** The characters whose texts the two read differently; each with its first difference. */
export async function differences(
  native: typeof import('tokenizers'),
  definition: Definition,
  characters: readonly string[],
  partners: readonly string[],
): Promise<Difference[]> {
  const folder = mkdtempSync(join(tmpdir(), 'robust-unicode-'));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(definition));
  const oracle = native.Tokenizer.fromString(JSON.stringify(definition));
  oracle.disablePadding();
  oracle.disableTruncation();
  const encoder = await tokenizerEncoder(folder, { maximum: 2 ** 20, padId: 0, length: undefined });
  const spelled = (definition.model as { type?: string }) === SPELLING;
  const compare = (text: string, { ids, spans, pieces }: Encoding): Difference | undefined => {
    const own = [...encoder.encode(text).ids];
    const tokens = spelled ? [] : encoder.tokens(text);
    // One token stands for a text without any.
    if (ids.length === 0 && own.length === 1) return undefined;
    const whole = characterAt(text);
    const theirs = spelled ? [] : spans.map(([start = 0, end = 0]) => whole(start, end));
    const points = codePointsBefore(text);
    const ours = tokens.map(({ start, end }) => whole(points[start] as number, points[end] as number));
    const same =
      String(own) === String(ids) &&
      (spelled || String(tokens.map(({ id }) => id)) === String(ids)) &&
      // The two assign a space that a step inserted to different letters.
      theirs.every((span, at) => span === ours[at] || span === '' || ours[at] === '' || pieces[at] === '\u2581');
    return same ? undefined : { text, native: `${ids} ${theirs.join('|')}`, ours: `${own} ${ours.join('|')}` };
  };
  const encoded = async (texts: readonly string[]): Promise<Encoding[]> =>
    (await oracle.encodeBatch([...texts], { addSpecialTokens: true })).map((encoding) => ({
      ids: encoding.getIds(),
      spans: encoding.getOffsets(),
      pieces: encoding.getTokens(),
    }));
  const found: Difference[] = [];
  for (let from = 0; from < characters.length; from += 2000) {
    const texts = characters.slice(from, from + 2000).map((character) => textOf(character, partners));
    for (const [at, encoding] of (await encoded(texts)).entries()) {
      const text = texts[at] as string;
      const whole = compare(text, encoding);
      if (whole === undefined) continue;
      // The pair alone says more than the text.
      const pairs = [...new Set(text.split(' '))];
      const apart = (await encoded(pairs)).map((one, which) => compare(pairs[which] as string, one));
      found.push(apart.find((each) => each !== undefined) ?? clipped(whole));
    }
  }
  return found;
}

/** From where the two differ. */
function clipped({ text, native, ours }: Difference): Difference {
  let at = 0;
  while (native[at] === ours[at]) at++;
  const near = (all: string) => all.slice(Math.max(0, at - 20), at + 60);
  return { text: text.slice(0, 100), native: near(native), ours: near(ours) };
}

interface Encoding {
  readonly ids: readonly number[];
  /** In code points. */
  readonly spans: readonly (readonly number[])[];
  readonly pieces: readonly string[];
}

/** For each UTF-16 unit, and the end, how many code points stand before it. */
function codePointsBefore(text: string): number[] {
  const made: number[] = [];
  let count = 0;
  for (const character of text) {
    for (let unit = 0; unit < character.length; unit++) made.push(count);
    count++;
  }
  return [...made, count];
}

/** A syllable of Hangul's letters, or a letter, with its marks. */
const LETTER = /(?:[\u1100-\u115F]+[\u1160-\u11A7]*[\u11A8-\u11FF]*|\P{M})[\p{M}\uFF9E\uFF9F]*|\p{M}+/gu;

/**
 * The part of a text in [start, end), given in code points. It consists of whole letters with their marks, because the two differ in parts
 * of letters, without blanks around it.
 */
function characterAt(text: string): (start: number, end: number) => string {
  const letters: string[] = [];
  const letterOf: number[] = [];
  for (const [letter] of text.matchAll(LETTER)) {
    for (const _ of letter) letterOf.push(letters.length);
    letters.push(letter);
  }
  return (start, end) =>
    end <= start
      ? ''
      : letters
          .slice(letterOf[start] as number, (letterOf[end - 1] as number) + 1)
          .join('')
          .replace(/^[\p{White_Space}\u2581]+|[\p{White_Space}\u2581]+$/gu, '');
}
