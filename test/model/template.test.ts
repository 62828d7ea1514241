/** Special tokens, token types and pairs of texts, against transformers and the native tokenizers. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { TruncationStrategy } from 'tokenizers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadModel } from '../../src/model/load.js';
import { longestFirst } from '../../src/model/tokens/template.js';
import { tokenizerEncoder } from '../../src/model/tokens/tokenizer.js';
import { refusal } from '../refusal.js';
import { goldens } from './goldens.js';
import { roberta, unigram, wordLevel } from './tokenizers.js';

const root = mkdtempSync(join(tmpdir(), 'robust-template-'));

const limits = { maximum: 96, padId: 0, length: undefined };

async function encoderOf(definition: object, options: Partial<typeof limits> = {}) {
  const folder = mkdtempSync(join(root, 'f-'));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(definition));
  return tokenizerEncoder(folder, { ...limits, ...options });
}

describe.skipIf(goldens.length === 0)('exports of transformers (absent: ../shared/goldens/transformers)', () => {
  // Masked models were shown other ids than the text's.
  const read = goldens.filter(({ task }) => task !== 'mlm').map((golden) => [golden.name, golden] as const);
  test.each(read)('%s: ids and types', async (_, golden) => {
    const encoder = await tokenizerEncoder(golden.folder, { ...limits, maximum: 128 });
    for (const { texts, input_ids, attention_mask, token_type_ids } of golden.cases) {
      texts.forEach((entry, row) => {
        const [text, second] = typeof entry === 'string' ? [entry] : entry;
        const real = <T>(values: readonly T[]) => values.filter((_, at) => attention_mask[row]![at] === 1);
        const { ids, types } = encoder.encode(text, second);
        expect([...ids]).toEqual(real(input_ids[row]!));
        if (token_type_ids) expect([...(types ?? ids.map(() => 0))]).toEqual(real(token_type_ids[row]!));
        const tokens = encoder.tokens(text, second);
        expect(tokens.map(({ id }) => id)).toEqual([...ids]);
        expect(tokens.map(({ type = 0 }) => type)).toEqual([...(types ?? ids.map(() => 0))]);
        for (const token of tokens) {
          expect(token.start).toBeLessThanOrEqual(token.end);
          expect(token.end).toBeLessThanOrEqual((token.second ? second! : text).length);
        }
      });
    }
  });

  test.each(['bert', 'roberta', 'xlnet'])('%s answers as transformers does', async (name) => {
    const golden = goldens.find((golden) => golden.name === name)!;
    const model = await loadModel(golden.folder, { workers: 1 });
    onTestFinished(() => model.close());
    for (const { texts, logits } of golden.cases) {
      if (typeof texts[0] !== 'string') continue;
      const rows = await model.classify(texts as string[]);
      rows.forEach((row, text) => {
        const sum = logits![text]!.reduce((total, value) => total + Math.exp(value), 0);
        row.forEach((value, label) => {
          expect(Math.abs(value - Math.exp(logits![text]![label]!) / sum)).toBeLessThan(2e-6);
        });
      });
    }
  });
});

describe.each(Object.entries({ roberta: roberta(false), wordLevel: wordLevel() }))('pairs of %s', (_, definition) => {
  test('are cut as the native tokenizers cut them, the longer text first', async (context) => {
    const native = await import('tokenizers').catch(() => undefined);
    if (native === undefined) return context.skip('the native tokenizers package does not load here');
    const oracle = native.Tokenizer.fromString(JSON.stringify(definition));
    const text = fc
      .array(fc.constantFrom('the', 'film', 'is', 'good', 'not'), { maxLength: 12 })
      .map((w) => w.join(' '));
    await fc.assert(
      fc.asyncProperty(text, text, fc.integer({ min: 5, max: 20 }), async (first, second, maximum) => {
        oracle.setTruncation(maximum, { strategy: 'LongestFirst' as TruncationStrategy });
        const expected = await oracle.encode(first, second);
        // One token stands for a pair without any: empty-text.test.ts.
        if (expected.getIds().length === 0) return;
        const encoder = await encoderOf(definition, { maximum });
        const { ids, types } = encoder.encode(first, second);
        expect([...ids]).toEqual(expected.getIds());
        expect([...(types ?? ids.map(() => 0))]).toEqual(expected.getTypeIds());
        expect(encoder.tokens(first, second).map(({ id }) => id)).toEqual(expected.getIds());
      }),
      { numRuns: 60 },
    );
  });
});

test('a tokenizer without a template for pairs refuses them', async () => {
  const encoder = await encoderOf(unigram());
  expect(() => encoder.encode('good', 'bad')).toThrow(expect.objectContaining({ code: 'PAIRS_UNSUPPORTED' }));
});

test('a tokenizer that pads on the left fills up on the left, ids, types and tokens', async () => {
  const folder = mkdtempSync(join(root, 'f-'));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(roberta(false)));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify({ padding_side: 'left' }));
  const encoder = await tokenizerEncoder(folder, { maximum: 8, padId: 1, length: 8 });
  const { ids } = encoder.encode('good');
  expect([...ids.subarray(0, 3)]).toEqual([1, 1, 1]);
  expect(ids.at(-1)).toBe(2);
  expect(encoder.tokens('good').map(({ id }) => id)).toEqual([...ids]);
});

test.each([
  ['a template that repeats the text', { type: 'TemplateProcessing', single: [a(), a()], pair: [] }],
  ['one that drops it', { type: 'TemplateProcessing', single: [], pair: [] }],
  ['an unknown token', { type: 'TemplateProcessing', single: [{ SpecialToken: { id: '[?]', type_id: 0 } }, a()] }],
  ['an unknown kind', { type: 'Mystery' }],
  ['a frame without ids', { type: 'BertProcessing', cls: ['[CLS]'], sep: null }],
])('refused: %s', async (_, post_processor) => {
  const opened = encoderOf({ ...wordLevel(), post_processor });
  await refusal(opened, 'TOKENIZER_DAMAGED');
});

function a() {
  return { Sequence: { id: 'A', type_id: 0 } };
}

test('longest first: never more than there is, never more than the room, and no text is cut below the other', () => {
  const size = fc.integer({ min: 0, max: 60 });
  fc.assert(
    fc.property(size, size, fc.integer({ min: 1, max: 60 }), (first, second, room) => {
      if (first + second <= room) return;
      const [a, b] = longestFirst(first, second, room, room + 3);
      expect(a + b).toBe(room);
      expect(a).toBeLessThanOrEqual(first);
      expect(b).toBeLessThanOrEqual(second);
      // The shorter loses nothing while the longer is longer.
      if (a < first && b < second) expect(Math.abs(a - b)).toBeLessThanOrEqual(1);
    }),
  );
});
