/** Tokenizers against the native library over a sample of Unicode; test/slow/unicode.test.ts takes all of it. */
import { expect, test } from 'vitest';
import { codePoints, differences, models, PARTNERS, steps } from './unicode.js';

const native = await import('tokenizers').catch(() => undefined);

/** A prime, so that no block is passed over in step. */
const STEP = 7993;
const FEW = PARTNERS.filter((_, at) => at % 3 === 0);

/** The first of several models that differ only in their vocabularies. */
const kinds = [
  ...new Map(
    models.toReversed().map((model) => {
      const { normalizer, pre_tokenizer, model: pieces } = model[1];
      return [JSON.stringify([normalizer, pre_tokenizer, (pieces as { type?: string }).type]), model] as const;
    }),
  ).values(),
];

test.skipIf(native === undefined).each([...steps, ...kinds])(
  '%s (skipped where the native package does not load)',
  async (_, definition) => {
    const found = await differences(native as NonNullable<typeof native>, definition, codePoints(STEP), FEW);
    expect(found.slice(0, 3)).toEqual([]);
  },
);
