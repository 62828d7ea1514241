import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { faultTexts, readBy } from '../../src/core/read-by.js';

const stage = z.union([
  z.strictObject({ rules: z.strictObject({ longest: z.int().min(1) }) }),
  z.strictObject({ model: z.string(), threshold: z.number().optional() }),
]);

/** Kind of issue, schema, value, message. */
const CASES: readonly (readonly [string, z.ZodType, unknown, string])[] = [
  ['invalid_type', z.object({ a: z.string() }), { a: 5 }, 'a: expected a string, got 5'],
  ['invalid_type', z.object({ a: z.string() }), {}, 'a: expected a string, got nothing'],
  ['invalid_type', z.number(), Number.NaN, 'expected a number, got NaN'],
  ['invalid_type', z.number(), 'x'.repeat(200), `expected a number, got "${'x'.repeat(79)}...`],
  ['invalid_type', z.int(), 0.5, 'expected a whole number, got 0.5'],
  ['invalid_type', z.boolean(), 'yes', 'expected true or false, got "yes"'],
  ['invalid_type', z.array(z.string()), {}, 'expected a list, got {}'],
  ['invalid_type', z.tuple([z.string(), z.string()]), 'a', 'expected a list, got "a"'],
  ['invalid_type', z.object({}), [], 'expected an object, got []'],
  ['invalid_type', z.record(z.string(), z.string()), { a: 1 }, 'a: expected a string, got 1'],
  ['invalid_type', z.function(), 1, 'expected a function, got 1'],
  ['invalid_value', z.literal('a'), 'b', 'expected "a", got "b"'],
  ['invalid_value', z.enum(['a', 'b']), 'c', 'expected one of "a", "b", got "c"'],
  ['too_big', z.object({ share: z.number().max(1) }), { share: 2 }, 'share: expected at most 1, got 2'],
  ['too_big', z.number().lt(1), 1, 'expected less than 1, got 1'],
  ['too_big', z.string().max(1), 'ab', 'expected at most 1 character, got "ab"'],
  ['too_big', z.array(z.number()).length(1), [1, 2], 'expected exactly 1 item, got [1,2]'],
  ['too_small', z.number().min(1), 0, 'expected at least 1, got 0'],
  ['too_small', z.number().positive(), 0, 'expected more than 0, got 0'],
  ['too_small', z.array(z.number()).min(2), [], 'expected at least 2 items, got []'],
  ['too_small', z.map(z.string(), z.string()).min(2), new Map(), 'expected at least 2 entries, got {}'],
  ['not_multiple_of', z.number().multipleOf(8), 12, 'expected a multiple of 8, got 12'],
  ['invalid_format', z.email(), 'a', 'expected text of the form "email", got "a"'],
  ['invalid_format', z.string().regex(/^a+$/), 'b', 'expected text of the form /^a+$/, got "b"'],
  ['invalid_format', z.string().startsWith('a'), 'b', 'expected text that begins with "a", got "b"'],
  ['invalid_format', z.string().endsWith('a'), 'b', 'expected text that ends with "a", got "b"'],
  ['invalid_format', z.string().includes('a'), 'b', 'expected text with "a" in it, got "b"'],
  [
    'unrecognized_keys',
    z.strictObject({ steps: z.number() }),
    { steps: 1, stesp: 2, other: 3 },
    'unknown key "stesp"; did you mean "steps"?; unknown key "other"; known: steps',
  ],
  ['unrecognized_keys', z.object({ a: z.strictObject({}) }), { a: { b: 1 } }, 'a: unknown key "b"'],
  ['invalid_union', z.union([z.string(), z.int()]), true, 'expected a string or a number, got true'],
  [
    'invalid_union',
    z.union([z.enum(['max', 'mean']), z.strictObject({ by: z.string() })]),
    'min',
    'expected "max", "mean" or an object, got "min"',
  ],
  [
    'invalid_union',
    z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
    { kind: 'c' },
    'kind: expected one of "a", "b", got "c"',
  ],
  ['invalid_union', z.array(stage), [{ rules: { longest: 0 } }], '0.rules.longest: expected at least 1, got 0'],
  [
    'invalid_union',
    z.array(stage),
    [{ model: 'a', thresold: 1 }],
    '0: unknown key "thresold"; did you mean "threshold"?',
  ],
  [
    'invalid_union',
    z.array(stage),
    [{ magic: true }],
    '0: expected an object with one of rules, model, got {"magic":true}',
  ],
  ['invalid_union', z.xor([z.string(), z.literal('a')]), 'a', 'expected one choice, got "a"'],
  ['invalid_key', z.record(z.string().min(2), z.number()), { a: 1 }, 'a: expected at least 2 characters, got "a"'],
  ['invalid_type', z.map(z.string(), z.number()), new Map([['a', 'b']]), 'a: expected a number, got "b"'],
  ['invalid_element', z.map(z.date(), z.number()), new Map([[new Date(0), 'b']]), 'an element: expected a number'],
  ['custom', z.string().refine(() => false), 'a', 'expected another value, got "a"'],
  [
    'custom',
    z.number().refine((value) => value % 2 === 1, 'expected an odd number'),
    2,
    'expected an odd number, got 2',
  ],
  ['custom', z.string().refine(() => false, 'each name once'), 'a', 'each name once'],
];

describe('what a schema refuses', () => {
  it.each(CASES)('%s $3', (_, schema, value, text) => {
    const read = readBy(schema, value);
    if (read.success) throw new Error('expected a refusal');
    expect(faultTexts(read.faults)).toBe(text);
  });

  it('covers every kind of issue', () => {
    const kinds = CASES.map(([, schema, value]) => schema.safeParse(value).error?.issues[0]?.code);
    expect([...new Set(kinds)].sort()).toEqual([...new Set(CASES.map(([kind]) => kind))].sort());
    expect(new Set(kinds).size).toBe(11);
  });

  it("none has zod's words", () => {
    for (const [, schema, value] of CASES) {
      const read = readBy(schema, value);
      expect(read.success ? '' : faultTexts(read.faults)).not.toMatch(/Too (big|small)|Invalid|Unrecognized|received/);
    }
  });

  it('hands out the value as the schema makes it', () => {
    expect(readBy(z.object({ a: z.number().default(2) }), {})).toEqual({ success: true, data: { a: 2 } });
  });
});

it("zod's own messages are read in one file, which turns them into ours", () => {
  const folders = ['src', 'attacks', 'datasets', 'reports', 'packages'];
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  const readers = files.filter((file) =>
    /error\??\.issues|ZodError|prettifyError|flattenError|treeifyError/.test(readFileSync(file, 'utf8')),
  );
  expect(readers).toEqual(['src/core/read-by.ts']);
});
