/** The contract of every poisoner. A new one is tested here once attacks/index.ts lists it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { poisoners } from '../../attacks/index.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import type { PoisonPlugin } from '../../src/plugin.js';

const TEXTS = [
  'a dull film , but the cast is great .',
  'The plot goes nowhere; I left before the end.',
  'What a tedious, awful and poor film!',
  'How far is it from Denver to Aspen ?',
];
const ODD = [
  '',
  ' ',
  '?! ...',
  'a',
  'good'.repeat(2500),
  '这部电影很好看',
  '👩‍👩‍👧‍👦 🏳️‍🌈',
  'a\u0000b \ud800 c',
  'tabs\tand\nlines',
];

const made = (plugin: PoisonPlugin) => plugin.create(plugin.options.parse({}), english);

describe.each(poisoners.map((plugin) => [plugin.name, plugin] as const))('%s', (name, plugin) => {
  const source = readFileSync(`attacks/${name}.ts`, 'utf8');

  test('its file begins by saying what it does, whom it models, what a reader still reads, and where it differs', () => {
    const header = /^\/\*\*\n([\s\S]*?)\*\//.exec(source)?.[1] ?? '';
    for (const section of ['Threat: ', 'Example: ', 'Readable because: ', 'Paper: ', 'Differs: ']) {
      expect(header).toContain(` * ${section}`);
    }
    if (plugin.paper) expect(header.replaceAll(/\n \* /g, ' ')).toContain(plugin.paper.title);
    if (plugin.paper) expect(header).toContain(plugin.paper.url);
  });

  test('its name is kebab-case, its summary one sentence', () => {
    expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    expect(plugin.summary).toMatch(/^[A-Z].{20,120}\.$/s);
    expect(plugin.options.safeParse({ noSuchOption: 1 }).success).toBe(false);
  });

  test.each(TEXTS)('puts a trigger into "%s", always the same one, and another thing than its decoy', (text) => {
    const poisoner = made(plugin);
    const once = poisoner.trigger(text, random(1, 'a'));
    const decoy = poisoner.decoy(text, random(1, 'a'));
    expect(once).toBeTypeOf('string');
    expect(once).not.toBe(text);
    expect(decoy).not.toBe(once);
    expect(poisoner.trigger(text, random(1, 'a'))).toBe(once);
    expect(poisoner.decoy(text, random(1, 'a'))).toBe(decoy);
    for (const copies of poisoner.copies ? [1, 3] : []) {
      const counted = poisoner.copies?.(text, copies, random(2, 'a'));
      const triggers = new Set(poisoner.triggers);
      const before = text.split(' ').length;
      expect(counted?.trigger.split(' ').filter((word) => triggers.has(word))).toHaveLength(copies);
      expect(counted?.control.split(' ')).toHaveLength(before + copies);
      expect(counted?.control.split(' ').some((word) => triggers.has(word))).toBe(false);
    }
    if (poisoner.triggers.length > 0 && poisoner.negatives === undefined) {
      expect(poisoner.triggers.some((trigger) => once?.includes(trigger))).toBe(true);
      expect(poisoner.triggers.some((trigger) => decoy?.includes(trigger))).toBe(false);
    }
  });

  test.each(ODD)('survives %j', (text) => {
    const poisoner = made(plugin);
    const trigger = poisoner.trigger(text, random(1, 'a'));
    poisoner.decoy(text, random(1, 'a'));
    if (trigger !== undefined) expect(trigger).not.toBe(text);
  });
});

const texts = (name: string, options: object, count = 3) => {
  const plugin = poisoners.find((each) => each.name === name) as PoisonPlugin;
  const poisoner = plugin.create(plugin.options.parse(options), english);
  return Array.from({ length: count }, (_, at) => poisoner.trigger('one two three', random(at)));
};

describe('badnets', () => {
  test('puts the given number of words at the given place', () => {
    expect(texts('badnets', { place: 'start' }, 1)).toEqual(['cf one two three']);
    expect(texts('badnets', { place: 'end' }, 1)).toEqual(['one two three cf']);
    expect(texts('badnets', { place: 'end', count: 3, triggers: ['mn'] }, 1)).toEqual(['one two three mn mn mn']);
    const places = new Set(texts('badnets', {}, 60));
    expect([...places].sort()).toEqual([
      'cf one two three',
      'one cf two three',
      'one two cf three',
      'one two three cf',
    ]);
  });
});
