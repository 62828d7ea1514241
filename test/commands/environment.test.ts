import { expect, test } from 'vitest';
import { environment, valuesFrom } from '../../src/commands/_shared/environment.js';
import { flagsOf } from '../../src/commands/_shared/flags.js';
import { booleanFlag, nonEmptyText, wholeNumber } from '../../src/config/setting.js';

const flags = flagsOf({
  model: { schema: nonEmptyText.default('distilbert'), help: '' },
  numExamples: { schema: wholeNumber(0).default(200), help: '' },
  force: { schema: booleanFlag, help: '' },
});

/** The values of flags in this environment. */
async function values(env: Record<string, string>): Promise<Record<string, unknown>> {
  const found = await valuesFrom(flags, environment(env));
  return Object.fromEntries([...found].map(([name, { value }]) => [name, value]));
}

test('unset and empty variables give no value', async () => {
  expect(await values({ ROBUST_MODEL: '' })).toEqual({});
});

test.each([
  [{ ROBUST_NUM_EXAMPLES: 'many' }, /^ROBUST_NUM_EXAMPLES: expected .* got "many"$/],
  [{ ROBUST_FORCE: 'maybe' }, /^ROBUST_FORCE: expected .* got "maybe"$/],
])('%j is an error that names the variable', async (env, message) => {
  await expect(values(env)).rejects.toThrow(message);
  await expect(values(env)).rejects.toThrow(expect.objectContaining({ exit: 2 }));
});
