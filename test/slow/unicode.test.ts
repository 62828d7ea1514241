/** Every tokenizer, and every step of one, against the native library: every character alone, and in pairs with 40 others. */
import { expect, test } from 'vitest';
import { codePoints, differences, distinct, models, PARTNERS, steps } from '../model/unicode.js';

const native = await import('tokenizers');

test.each([...steps, ...models])('%s, alone', async (_, definition) => {
  expect((await differences(native, definition, codePoints(1), [])).slice(0, 20)).toEqual([]);
});

test.each(steps)('%s, in pairs', async (_, definition) => {
  expect((await differences(native, definition, distinct(1), PARTNERS)).slice(0, 20)).toEqual([]);
});

test.each(models)('%s, some in pairs', async (_, definition) => {
  expect((await differences(native, definition, distinct(7), PARTNERS)).slice(0, 20)).toEqual([]);
});
