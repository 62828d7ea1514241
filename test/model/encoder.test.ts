/** Texts to ids and spans, on the tokenizers of real models. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { readJsonObject } from '../../src/model/opening/json-file.js';
import type { Encoder } from '../../src/model/tokens/encoder.js';
import { openTokenizer } from '../../src/model/tokens/hf-tokenizer.js';
import { tokenizerEncoder } from '../../src/model/tokens/tokenizer.js';
import { tries } from '../cover.js';
import { haveShared, rows, victims } from './shared.js';

const folders = [join(packageRoot, 'models', 'distilbert'), `${victims}berttiny-sst2`].filter((folder) =>
  existsSync(folder),
);

/** Pieces that tokenizers treat specially, between ordinary words. */
const text = fc
  .array(
    fc.oneof(
      {
        arbitrary: fc.constantFrom('a', 'good', 'Unbelievable', 'idiit', 'Ünïcode', "don't", 'G.O.O.D', '42'),
        weight: 4,
      },
      fc.constantFrom(' ', '  ', '\t', '\n', '\u00a0', '\u3000', '\u200b', '\u0000', '\ufffd', '\ufeff'),
      fc.constantFrom(
        '[SEP]',
        '[MASK]x',
        '[PAD]',
        '##ing',
        '[',
        '!?',
        '\u0301',
        '\u0130',
        '\u03a3',
        '\u1e9e',
        '中文',
        '𠀀',
        '한국',
      ),
      fc.constantFrom('👩‍👩‍👧', '\ud83d', '\udc00', 'שלום', 'x'.repeat(120)),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    { maxLength: 24 },
  )
  .chain((parts) => fc.constantFrom(parts.join(' '), parts.join('')));

describe.each(folders)('%s', (folder) => {
  const open = async () => {
    const encoder = await tokenizerEncoder(folder, { maximum: 64, padId: 0, length: undefined });
    const library = openTokenizer(await readJsonObject(join(folder, 'tokenizer.json')), {});
    return { encoder, library };
  };

  test('chunk by chunk gives what the whole text gives', async () => {
    const { encoder, library } = await open();
    fc.assert(
      fc.property(text, (text) => {
        const [first = 0, last = 0] = encoder.encode('').ids;
        const whole = [first, ...library.encode(text, { add_special_tokens: false }).ids, last];
        const expected = whole.length <= 64 ? whole : [...whole.slice(0, 63), whole.at(-1)];
        expect(Array.from(encoder.encode(text).ids)).toEqual(expected);
        expect(encoder.encode(text).truncated).toBe(whole.length > 64);
      }),
      { numRuns: tries(1000) },
    );
  });

  test('tokens have the ids of encode, in order, inside the text, and spell their word pieces', async () => {
    const { encoder, library } = await open();
    const unknown = library.token_to_id('[UNK]');
    fc.assert(
      fc.property(text, (text) => {
        const tokens = encoder.tokens(text);
        expect(tokens.map(({ id }) => id)).toEqual(Array.from(encoder.encode(text).ids));
        let last = 0;
        for (const { id, start, end, special } of tokens) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end).toBeLessThanOrEqual(text.length);
          last = start;
          if (special || id === unknown) continue;
          const piece = library.id_to_token(id)?.replace(/^##/, '');
          const slice = text.slice(start, end);
          const spelled = library.normalizer?.normalize(slice).trim();
          // One Hangul syllable can be several pieces, each standing for the syllable as a whole.
          if ([...slice].length === 1) expect(spelled).toContain(piece);
          else expect(spelled).toBe(piece);
        }
      }),
      { numRuns: tries(1000) },
    );
  });

  test.skipIf(!haveShared)('agrees with the native tokenizer on SST-2, spans included', async (context) => {
    const native = await import('tokenizers').catch(() => undefined);
    if (native === undefined) return context.skip('the native tokenizers package does not load here');
    const { encoder } = await open();
    const oracle = native.Tokenizer.fromFile(join(folder, 'tokenizer.json'));
    oracle.disablePadding();
    oracle.disableTruncation();
    const sentences = rows('sst2/dev.tsv').map(([text]) => text!);
    for (const sentence of [...sentences, 'Ünïcode 中文 naïve café ! [MASK] x']) await agree(encoder, oracle, sentence);
  });
});

async function agree(
  encoder: Encoder,
  oracle: { encode(text: string): Promise<{ getIds(): number[]; getOffsets(): number[][] }> },
  text: string,
): Promise<void> {
  const expected = await oracle.encode(text);
  const tokens = encoder.tokens(text);
  if (expected.getIds().length > encoder.maximum) return;
  expect(tokens.map(({ id }) => id)).toEqual(expected.getIds());
  const offsets = expected.getOffsets();
  expect(tokens.slice(1, -1).map(({ start, end }) => [start, end])).toEqual(offsets.slice(1, -1));
}
