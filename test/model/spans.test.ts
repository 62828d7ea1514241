/** Spans of tokens for the families of tokenizers that BERT's is not one of, against the native library. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenizerEncoder } from '../../src/model/tokens/tokenizer.js';
import { tries } from '../cover.js';
import { roberta, unigram, wordLevel } from './tokenizers.js';

const root = mkdtempSync(join(tmpdir(), 'robust-spans-'));

const families = {
  roberta: roberta(false),
  'roberta, prefix space': roberta(true),
  unigram: unigram(),
  wordLevel: wordLevel(),
};

const texts = [
  'the film is good',
  'The film is not bad!',
  'unbelievable   believing idiot .',
  "good café 中文 👍👍 don't",
  'the <mask> is <s> good</s>',
  ' leading and trailing ',
  '',
  '!!!',
];

async function opened(definition: object) {
  const folder = mkdtempSync(join(root, 'f-'));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(definition));
  const encoder = await tokenizerEncoder(folder, { maximum: 64, padId: 1, length: undefined });
  return { encoder, path: join(folder, 'tokenizer.json') };
}

test('a text may have more tokens than a call takes arguments', async () => {
  const { encoder } = await opened(wordLevel());
  expect(encoder.tokens('good film '.repeat(100_000))).toHaveLength(64);
});

describe.each(Object.entries(families))('%s', (_, definition) => {
  const open = () => opened(definition);

  test('tokens have the ids of encode, in order, inside the text', async () => {
    const { encoder } = await open();
    const part = fc.oneof(
      fc.constantFrom('good', ' film', ' ', '  ', '<mask>', 'é', '👍', '\ud83d', '中文', '.'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
        (text) => {
          const tokens = encoder.tokens(text);
          expect(tokens.map(({ id }) => id)).toEqual(Array.from(encoder.encode(text).ids));
          let last = 0;
          for (const { start, end } of tokens) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end).toBeLessThanOrEqual(text.length);
            last = start;
          }
        },
      ),
      { numRuns: tries(500) },
    );
  });

  test('agrees with the native tokenizer', async (context) => {
    const native = await import('tokenizers').catch(() => undefined);
    if (native === undefined) return context.skip('the native tokenizers package does not load here');
    const { encoder, path } = await open();
    const oracle = native.Tokenizer.fromFile(path);
    for (const text of texts) {
      const expected = await oracle.encode(text);
      // One token stands for a text without any: empty-text.test.ts.
      if (expected.getIds().length === 0) continue;
      const tokens = encoder.tokens(text);
      expect(
        tokens.map(({ id }) => id),
        `ids of "${text}"`,
      ).toEqual(expected.getIds());
      // Its offsets count code points and, for some families, take in the space before a word.
      const points = Array.from(text);
      expected.getOffsets().forEach(([start, end], at) => {
        const ours = text.slice(tokens[at]!.start, tokens[at]!.end).trim();
        const theirs = points.slice(start, end).join('').trim();
        // A space the pre-tokeniser put there stands for nothing with us and for the first letter with them.
        if (ours !== '') expect(ours, `token ${at} of "${text}"`).toBe(theirs);
      });
    }
  });
});
