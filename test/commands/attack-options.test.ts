import { describe, expect, test } from 'vitest';
import { labelOf, optionFacts, parseOptions, splitSpec } from '../../src/core/plugin-options.js';
import { type EvasionPlugin, z } from '../../src/plugin.js';

const plugin: EvasionPlugin = {
  kind: 'evasion',
  name: 'toy',
  level: 'word',
  needs: 'scores',
  summary: 'Does nothing.',
  options: z.strictObject({
    maxEdits: z.int().min(1).default(30).describe('edits'),
    share: z.number().default(0.5),
    quiet: z.boolean().default(false),
    ranking: z.enum(['unk', 'delete']).default('unk'),
    kinds: z.array(z.string()).default([]),
    sizes: z.array(z.int()).default([1]),
  }),
  create: () => ({ constraints: [], run: () => Promise.reject(new Error('never run')) }),
};

const options = (spec: string) => parseOptions(plugin, splitSpec(spec).given);

describe('splitSpec', () => {
  test.each([
    ['toy', 'toy', {}],
    ['toy:max-edits=3', 'toy', { 'max-edits': '3' }],
    ['toy:a=1:b=x:y:c=', 'toy', { a: '1', b: 'x:y', c: '' }],
    ['./my:attack.mjs:a=1', './my:attack.mjs', { a: '1' }],
    ['C:\\my.mjs:a=1', 'C:\\my.mjs', { a: '1' }],
    ['toy:a=b=c', 'toy', { a: 'b=c' }],
  ])('%s', (spec, name, given) => {
    const split = splitSpec(spec);
    expect([split.name, Object.fromEntries(split.given)]).toEqual([name, given]);
  });

  test.each(['', 'toy:max-edits', 'toy:', ':a=1'])('"%s" is a usage error', (spec) => {
    expect(() => splitSpec(spec)).toThrow(expect.objectContaining({ exit: 2 }));
  });
});

test('a label does not depend on the order of the options', () => {
  const label = (spec: string) => labelOf('toy', splitSpec(spec).given);
  expect(label('toy:b=2:a=1')).toBe('toy:a=1:b=2');
  expect(label('toy')).toBe('toy');
});

describe('parseOptions', () => {
  test('gives each option its type', () => {
    expect(options('toy:max-edits=3:share=.25:quiet=true:ranking=delete:kinds=a,b:sizes=2,3')).toEqual({
      maxEdits: 3,
      share: 0.25,
      quiet: true,
      ranking: 'delete',
      kinds: ['a', 'b'],
      sizes: [2, 3],
    });
  });

  test('leaves the defaults', () => expect(options('toy')).toMatchObject({ maxEdits: 30, ranking: 'unk' }));

  test.each([
    ['toy:max-edit=3', /no option "max-edit"/],
    ['toy:max-edits=0', /max-edits: expected at least 1, got 0/],
    ['toy:max-edits=', /max-edits: expected a number, got ""/],
    ['toy:max-edits=1e999', /max-edits/],
    ['toy:quiet=perhaps', /quiet: expected .*true/],
    ['toy:ranking=best', /ranking: /],
    ['toy:sizes=2,x', /sizes\.1: /],
    ['toy:constructor=1', /no option/],
  ])('%s is a usage error', (spec, message) => {
    expect(() => options(spec)).toThrow(expect.objectContaining({ exit: 2 }));
    expect(() => options(spec)).toThrow(message);
  });
});

test('optionFacts names options as the command line does', () => {
  expect(optionFacts(plugin)[0]).toEqual({ name: 'max-edits', type: 'integer', default: 30, description: 'edits' });
  expect(optionFacts(plugin)[3]).toMatchObject({ name: 'ranking', type: 'unk|delete' });
});
