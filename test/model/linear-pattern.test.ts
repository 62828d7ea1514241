/** Patterns of files: as V8 reads them, in linear time, or refused. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openTokenizer } from '../../src/model/tokens/hf-tokenizer.js';
import { linearPattern } from '../../src/model/tokens/linear-pattern.js';
import { wordIndexEncoder } from '../../src/model/tokens/word-index.js';
import { tries } from '../cover.js';
import { folder } from './toy.js';

/** Everything the methods of strings make of a pattern. */
const uses = (pattern: RegExp, text: string, captured = pattern.source.includes('(')) => ({
  all: Array.from(text.matchAll(pattern), (match) => [match.index, match[0]]),
  match: text.match(pattern),
  replaced: text.replace(pattern, '<$&>'),
  replacedAll: text.replaceAll(pattern, (part) => `(${part})`),
  split: captured ? [] : text.split(pattern),
  twoOfSplit: captured ? [] : text.split(pattern, 2),
});

const CL100K = String.raw`(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const GPT2 = String.raw`'s|'t| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+`;

const atoms = [
  ...['a', 'b', 'é', '文', '👍', ' ', '.', '[ab]', '[^a]', '[a-f👍]', '[]', '[^]', String.raw`[\]\\^-]`],
  ...['d', 'D', 's', 'S', 'w', 'W', 'p{L}', 'P{L}', 'p{Lu}', 'p{White_Space}', 'n', 't', '.', '/', '$'].map(
    (c) => `\\${c}`,
  ),
  ...['u0061', 'u{1F44D}', 'uD83D\\uDC4D', 'x62', 'b'].map((c) => `\\${c}`),
];
/** A generated pattern, and whether it can match the empty string: V8 and RE2 differ after an empty repetition. */
interface Generated {
  readonly source: string;
  readonly empty: boolean;
}

// Without \B, which V8 finds between the halves of a character.
const { pattern: generated } = fc.letrec<{ pattern: Generated; piece: Generated }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...atoms).map((source) => ({ source, empty: source === '\\b' })),
    tie('pattern').map(({ source, empty }) => ({ source: `(?:${source})`, empty })),
    tie('pattern').map(({ source, empty }) => ({ source: `(${source})`, empty })),
  ),
  pattern: fc
    .array(fc.tuple(tie('piece'), fc.constantFrom('', '', '', '|', '+', '?', '{1,2}', '+?')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => {
      let source = '';
      // Whether one of the alternatives can be empty, and whether the last one, as far as it was read, can.
      let [empty, rest] = [false, true];
      for (const [piece, wanted] of parts) {
        const sign = wanted === '|' || !piece.empty ? wanted : '';
        source += piece.source + sign;
        rest &&= piece.empty || sign === '?';
        if (sign !== '|') continue;
        [empty, rest] = [empty || rest, true];
      }
      return { source, empty: empty || rest };
    }),
}));
const pattern = generated.map(({ source }) => source);
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'a',
        'b',
        'A',
        'é',
        '文',
        '👍',
        ' ',
        '  ',
        '\n',
        '\u0085',
        '\uFEFF',
        '\u00A0',
        '1',
        '_',
        '.',
        '\uD83D',
        "'s",
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

test('a pattern means what it means to V8', () => {
  fc.assert(
    fc.property(pattern, text, (source, given) => {
      expect(uses(linearPattern(source), given)).toEqual(uses(new RegExp(source, 'gu'), given));
    }),
    { numRuns: tries(300) },
  );
});

test.each([CL100K, GPT2, String.raw`(?<=a)b|(?<!\s)c`, ' {2,}', '<[^>]*>'])('so does a published one: %j', (source) => {
  fc.assert(
    fc.property(text, (given) => {
      expect(uses(linearPattern(source), given)).toEqual(uses(new RegExp(source, 'gu'), given));
    }),
    { numRuns: tries(100) },
  );
});

const HOSTILE = ['(a+)+$', '(a|a)*$', '(a|aa)+$', '(?:a?){30}a{30}$', '(.*)*x', '([^a]|a)*?(?:a|a)+!'];

test.each(HOSTILE)('%j ends', (source) => {
  const given = `${'a'.repeat(20_000)}!`;
  expect(Array.from(given.matchAll(linearPattern(source))).length).toBeLessThan(20_002);
});

test.each([
  [String.raw`(a)\1`, /cannot be matched in time linear/],
  [String.raw`(?<x>a)\k<x>`, /cannot be matched in time linear/],
  ['a(?=b)', /cannot be matched in time linear/],
  ['a(?!b)', /cannot be matched in time linear/],
  ['(a', /Invalid regular expression/],
  ['a{5000}', /./],
  ['(?:(?:a{1000}){1000}){1000}', /./],
  ['a'.repeat(10_001), /more than 10000/],
])('%j is refused', (source, told) => expect(() => linearPattern(source)).toThrow(told));

describe('where files hold patterns', () => {
  const spec = {
    ...{
      kind: 'word-index' as const,
      vocabulary: 'words.json',
      lowercase: false,
      joinContractions: false,
      separators: '',
    },
    ...{ unknown: 'drop' as const, length: null, padId: 0, pad: 'end' as const, truncate: 'end' as const },
  };
  const home = folder({ 'words.json': { film: 1 } });

  test('a manifest', async () => {
    const { encode, tokens } = await wordIndexEncoder(home, { ...spec, remove: '(a+)+$' }, 10);
    const given = `film ${'a'.repeat(5000)}!`;
    expect(Array.from(encode(given).ids)).toEqual([1]);
    expect(tokens(given)).toHaveLength(1);
    await expect(wordIndexEncoder(home, { ...spec, remove: 'a(?=b)' }, 10)).rejects.toMatchObject({
      code: 'MANIFEST_INVALID',
    });
  });

  const hostile = { type: 'Replace', pattern: { Regex: '(a+)+$' }, content: '' };
  const definition = (more: object) => ({
    version: '1.0',
    model: { type: 'WordLevel', vocab: { film: 0, '[UNK]': 1 }, unk_token: '[UNK]' },
    ...more,
  });
  const given = `film ${'a'.repeat(5000)}!`;

  test.each([
    ['normalizer in a sequence', { normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' }, hostile] } }],
    [
      'pre-tokenisers in sequences',
      {
        pre_tokenizer: {
          type: 'Sequence',
          pretokenizers: [
            {
              type: 'Sequence',
              pretokenizers: [{ type: 'Split', pattern: hostile.pattern, behavior: 'Removed', invert: false }],
            },
          ],
        },
      },
    ],
    [
      'normalizer of added tokens',
      {
        normalizer: hostile,
        added_tokens: [
          {
            id: 2,
            content: `${'a'.repeat(5000)}!`,
            special: false,
            normalized: true,
            lstrip: false,
            rstrip: false,
            single_word: false,
          },
        ],
      },
    ],
  ])('a tokenizer: %s', (_, more) => {
    const tokenizer = openTokenizer(definition(more), {});
    expect(tokenizer.encode(given, { add_special_tokens: false }).ids.length).toBeGreaterThan(0);
  });

  test('a decoder', () => {
    const tokenizer = openTokenizer(definition({ decoder: hostile, added_tokens: [] }), {});
    tokenizer.decode([0, 1], { clean_up_tokenization_spaces: false });
    const long = openTokenizer(
      {
        ...definition({ decoder: hostile }),
        model: { type: 'WordLevel', vocab: { [`${'a'.repeat(5000)}!`]: 0, '[UNK]': 1 }, unk_token: '[UNK]' },
      },
      {},
    );
    expect(long.decode([0], { clean_up_tokenization_spaces: false })).toHaveLength(5001);
  });
});
