/** Attributes of settings besides the value: travel to workers, fingerprint. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprintFacts } from '../../src/app/command-line.js';
import { withDefaults } from '../../src/app/context.js';
import { settingsThatTravel, travelling } from '../../src/app/queue/plan-settings.js';
import type { Setting } from '../../src/config/setting.js';
import { attackSettings } from '../../src/config/settings/index.js';
import { splitSpec } from '../../src/core/plugin-options.js';
import { packs } from '../../src/language/packs/index.js';
import { z } from '../../src/plugin.js';

const rows = Object.entries<Setting>(attackSettings);

/** Values as a use case takes them; a revision is one of a model from the Hub. */
const valuesOf = (given: object = {}) => withDefaults(attackSettings, { model: 'hf:org/name', ...given });

/** A value other than the default. */
function sampleOf({ schema }: Setting): unknown {
  const { enum: options = [] } = z.toJSONSchema(schema, { io: 'input' }) as { enum?: unknown[] };
  const usual = schema.safeParse(undefined).data;
  const candidates = [...options, true, 7, 0.25, 'name', '50/s', '0.7', 'cuda', ['one'], ['a', 'b'], { one: 'two' }];
  return candidates.find((value) => value !== usual && schema.safeParse(value).success);
}

/** Settings that a coordinator refuses, whatever the rows say. */
const REFUSED = ['runBudget', 'shard'];

test.each(rows)('%s has a sample', (_, setting) => expect(sampleOf(setting)).toBeDefined());

describe('settings on the way to workers', () => {
  test.each(rows.filter(([key]) => !REFUSED.includes(key)))('%s', (key, setting) => {
    const choice = valuesOf({ [key]: sampleOf(setting) });
    const sent = settingsThatTravel(choice, 'en', {}) as Readonly<Record<string, unknown>>;
    const there: Readonly<Record<string, unknown>> = withDefaults(attackSettings, {
      ...travelling.parse(sent),
      task: undefined,
    });
    if (key === 'language') expect(there[key]).toBe('en');
    else if (setting.travels) expect(there[key]).toEqual((choice as Record<string, unknown>)[key]);
    else expect(sent).not.toHaveProperty(key);
  });

  test.each(rows.filter(([, { path, travels }]) => travels && path !== undefined))(
    '%s names no file',
    (key, { schema }) => {
      const file = ['./own.mjs', ['./own.mjs']].find((value) => schema.safeParse(value).success);
      const { success } = travelling.safeParse({ language: 'en', [key]: file });
      // The plan has the language model of that name: nothing is opened by it.
      expect(success).toBe(key === 'mlm');
    },
  );

  test('what no row sends is refused', () => {
    for (const [key, setting] of rows.filter(([key, { travels }]) => !travels && key !== 'task'))
      expect(travelling.safeParse({ language: 'en', [key]: sampleOf(setting) }).success, key).toBe(false);
  });
});

test.each(rows)('%s changes the fingerprint as its row says', (key, setting) => {
  const facts = (given: object) => fingerprintFacts(attackSettings, valuesOf(given));
  const changed = facts({ [key]: sampleOf(setting) });
  if (setting.fingerprint === undefined) expect(changed).toEqual(facts({}));
  else expect(changed).toEqual({ ...facts({}), [key]: sampleOf(setting) });
});

test('the facts of a run without any setting are those of runs of earlier versions', () => {
  expect(fingerprintFacts(attackSettings, valuesOf())).toEqual({
    ...{ numExamples: 200, seed: 42, engine: 'onnx' },
    ...{ queryBudget: null, runBudget: null },
  });
});

test('the options of a part are those that its name holds, or are refused', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 }));
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), value), (options) => {
      const part = attackSettings.search.schema.safeParse({ name: 'beam', options });
      if (!part.success) return;
      const { name, given } = splitSpec(part.data as string);
      expect([name, ...given]).toEqual([
        'beam',
        ...Object.entries(options).map(([key, one]) => [key, [one].flat().join(',')]),
      ]);
    }),
  );
});

test.each([[{ words: ['a,b'] }], [{ words: [''] }], [{ text: 'a:b=c' }], [{ nested: [['a']] }], [{ map: {} }]])(
  'options that no name can hold are refused: %j',
  (options) => expect(attackSettings.search.schema.safeParse({ name: 'beam', options }).success).toBe(false),
);

test('the help of --language lists every language that comes with the package', () => {
  for (const { code } of packs) expect(attackSettings.language.help).toContain(` ${code},`);
});
