import { Flags } from '@oclif/core';
import { expect, test } from 'vitest';
import { environment, withValues } from '../../src/commands/_shared/environment.js';
import { flagsOf } from '../../src/commands/_shared/flags.js';
import { variableOf, wholeNumber } from '../../src/config/setting.js';
import { UsageError } from '../../src/core/errors.js';

const flags = {
  model: Flags.string({ default: 'distilbert' }),
  suite: Flags.string({ multiple: true }),
  ...flagsOf({ numExamples: { schema: wholeNumber(0).default(200), help: '' } }),
  force: Flags.boolean(),
};

/** What flags would default to in this environment. */
async function defaults(env: Record<string, string>): Promise<Record<string, unknown>> {
  const { flags: layered } = await withValues(flags, environment(env));
  const values = Object.entries(layered).map(async ([name, flag]) => {
    const value: unknown = flag.default;
    return [name, typeof value === 'function' ? await value() : value];
  });
  return Object.fromEntries(await Promise.all(values));
}

test('a variable is named after its flag', () => expect(variableOf('num-examples')).toBe('ROBUST_NUM_EXAMPLES'));

test('variables become defaults of the right type', async () => {
  expect(
    await defaults({
      ROBUST_MODEL: 'x',
      ROBUST_SUITE: ' typos  chars ',
      ROBUST_NUM_EXAMPLES: '5',
      ROBUST_FORCE: 'Yes',
    }),
  ).toEqual({ model: 'x', suite: ['typos', 'chars'], 'num-examples': 5, force: true });
});

test('unset and empty variables leave the defaults', async () => {
  expect(await defaults({ ROBUST_MODEL: '' })).toMatchObject({ model: 'distilbert', 'num-examples': 200 });
});

test.each([
  [{ ROBUST_NUM_EXAMPLES: 'many' }, /^ROBUST_NUM_EXAMPLES: expected .* got "many"$/],
  [{ ROBUST_FORCE: 'maybe' }, /^ROBUST_FORCE: expected .* got "maybe"$/],
])('%j is an error that names the variable', async (env, message) => {
  await expect(defaults(env)).rejects.toThrow(message);
  await expect(defaults(env)).rejects.toThrow(UsageError);
});
