/** Attacks, defences and detectors on a language that offers a keyboard only: what fits runs on it, the rest is left out by name. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { withoutLanguage } from '../../src/app/attacks/applicable.js';
import { chooseAttacks } from '../../src/app/attacks/choose-attacks.js';
import { poisonerOf } from '../../src/app/backdoor/backdoor-texts.js';
import { openLanguage } from '../../src/app/language.js';
import { chooseDefences, makeDefences } from '../../src/app/victim/defend.js';
import { LANGUAGE_MEMBERS, type Language, type LanguagePart, missingParts } from '../../src/core/language.js';
import { defences } from '../../src/defence/index.js';
import { english } from '../../src/language/english/index.js';
import { wordsOf } from '../../src/plugin.js';
import { refusal } from '../refusal.js';
import { toyTarget, toyVictim } from '../search/toys.js';
import { toyLanguage } from './toy-language.js';

const offering = (parts: readonly LanguagePart[] = []): Language => ({
  ...toyLanguage,
  ...Object.fromEntries(parts.map((part) => [part, english[part]])),
});

describe('attacks', () => {
  const fitting = async (suites: string[], names: string[], language = toyLanguage) =>
    withoutLanguage({ attacks: await chooseAttacks(suites, names), leftOut: [] }, language);

  test('of a suite, what the language does not offer is left out by name, with the reason', async () => {
    const { attacks: left, leftOut } = await fitting(['typos', 'synonyms'], []);
    expect(left.map(({ label }) => label)).toEqual(expect.arrayContaining(['human-typos', 'textbugger']));
    const reasons = Object.fromEntries(leftOut.map(({ name, reason }) => [name, reason]));
    expect(reasons.deepwordbug).toBe('needs letters, which Toy does not offer');
    expect(reasons.synonym).toBe('needs parts of speech, synonyms, antonyms, which Toy does not offer');
    expect(left.filter(({ label }) => label in reasons)).toEqual([]);
  });

  test.each([
    ['by name', ['typos'], ['synonym']],
    ['a suite of which nothing is left', ['synonyms'], []],
  ])('refuses %s', async (_, suites, names) => {
    await expect(fitting(suites, names)).rejects.toMatchObject({ code: 'LANGUAGE_UNSUPPORTED', exit: 2 });
  });

  test('English lacks nothing', async () => {
    expect((await fitting(['all'], [], english)).leftOut).toEqual([]);
  });

  test('typos are of its own keyboard, and words that English keeps are words like others', async () => {
    const plugin = attacks.find(({ name }) => name === 'human-typos');
    const text = 'about these films';
    const attack = plugin?.create(plugin.options.parse({ maxFraction: 1, ranking: 'random' }));
    const target = { ...toyTarget(text), language: toyLanguage };
    await attack?.prepare?.([{ id: '0', text, label: 0 }], { ...toyVictim(text), language: toyLanguage });
    await attack?.run({ id: '0', text, label: 0 }, target);
    const letters = new Set([...text, 'ø']);
    const foreign = target.queried.filter(
      (asked) => !/unk/i.test(asked) && [...asked].some((one) => !letters.has(one)),
    );
    expect(foreign).toEqual([]);
    const typos = target.queried.map((asked) => wordsOf(asked).map((word) => word.text));
    // "about" and "these" are stop words of English.
    for (const slot of [0, 1, 2]) expect(typos.some((words) => words[slot]?.includes('ø'))).toBe(true);
  });

  test('in all that fit, no letter comes from an English keyboard and no word from an English list', async () => {
    const text = 'þæö ðęß čžš';
    const suites = ['all'];
    const { attacks: left } = await fitting(suites, []);
    for (const { plugin, options } of left) {
      if (plugin.needs === 'gradients' || plugin.level === 'embedding') continue;
      const attack = plugin.create(options);
      const target = { ...toyTarget(text, { budget: 300 }), language: toyLanguage };
      await attack.prepare?.([{ id: '0', text, label: 0 }], { ...toyVictim(text), language: toyLanguage });
      await attack.run({ id: '0', text, label: 0 }, target);
      const english = target.queried.filter((asked) => /[a-z]{3}/.test(asked.replaceAll(/\[?unk\]?/gi, '')));
      expect(english, plugin.name).toEqual([]);
    }
  });
});

describe('defences', () => {
  const made = async (spec: string, language: Language) =>
    makeDefences(await chooseDefences([spec]), [], 1, language, async () => []);

  test.each(defences.map(({ name, language }) => [name, language] as const))('%s', async (name, language) => {
    const lack = missingParts(toyLanguage, language);
    if (lack !== undefined) await refusal(made(name, toyLanguage), 'LANGUAGE_UNSUPPORTED');
    const [defence] = await made(name, offering(language));
    const rewritten = defence?.rewrite?.('a good film g o o d') ?? '';
    expect(rewritten).toBeTypeOf('string');
  });
});

test('a poisoner that writes sentences is refused', async () => {
  await refusal(poisonerOf('syntactic', undefined, toyLanguage));
  expect((await poisonerOf('badnets', undefined, toyLanguage)).name).toBe('badnets');
});

describe('--language', () => {
  const file = (code: string): string => {
    const path = join(mkdtempSync(join(tmpdir(), 'robust-language-')), 'mine.mjs');
    writeFileSync(path, code);
    return path;
  };

  test('en, or a file of the own', async () => {
    expect(await openLanguage()).toBe(english);
    expect(await openLanguage('EN')).toBe(english);
    const path = file(
      "export default { code: 'de', name: 'German', tokenize: (text) => text.split(' '), stopWords: new Set(['der']) };",
    );
    expect(await openLanguage(path)).toMatchObject({ code: 'de', name: 'German' });
  });

  test('an unknown code lists the known ones', async () => {
    await refusal(openLanguage('xx'), 'LANGUAGE_NOT_FOUND');
  });

  test.each([
    ['nothing', '', /default export/],
    ['no tokens', "export default { code: 'de', name: 'German' };", /tokenize/],
    [
      'half a part',
      "export default { code: 'de', name: 'German', tokenize: () => [], misspellings: { known: () => [] } };",
      /misspellings: expected an object with known, bySound/,
    ],
    [
      'a part that is none',
      "export default { code: 'de', name: 'German', tokenize: () => [], stopwords: new Set() };",
      /stopwords/,
    ],
    ['code that breaks', 'throw new Error("no");', /could not be loaded/],
  ])('%s is reported', async (_, code, message) => {
    await expect(openLanguage(file(code))).rejects.toThrow(message);
  });

  test('a file that is not there', async () => {
    await expect(openLanguage('./nowhere.mjs')).rejects.toMatchObject({ code: 'PLUGIN_NOT_FOUND' });
  });
});

test('English holds all that a check of a language asks for', () => {
  for (const [part, members] of Object.entries(LANGUAGE_MEMBERS)) {
    const offered = english[part as LanguagePart] as unknown as Readonly<Record<string, unknown>>;
    for (const member of members) expect(offered[member], `${part}.${member}`).toBeDefined();
  }
});
