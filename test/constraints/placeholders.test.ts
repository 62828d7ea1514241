/** Placeholders stay as they are, unless a run or TextAttack's constraints say otherwise. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attack } from '../../src/api.js';
import { keepPlaceholders } from '../../src/constraints/placeholders.js';
import { Draft } from '../../src/core/draft.js';
import { hasPlaceholder } from '../../src/core/placeholder.js';
import { english } from '../../src/language/english/index.js';

const editable = (text: string): string[] => {
  const draft = Draft.of(text);
  return draft.words.filter((_, at) => keepPlaceholders.editable?.(draft, at, english));
};

describe('what is a placeholder', () => {
  test.each([
    ['@user what a day', ['what', 'a', 'day']],
    ['see http now', ['see', 'now']],
    ['see https://t.co/aB3 now', ['see', 'now']],
    ['go to www.example.org today', ['go', 'to', 'today']],
    ['Hi <NAME>, fine<br />day', ['Hi', 'fine', 'day']],
    ['dear [NAME] hello', ['dear', 'hello']],
    ['dear {{first name}} and {last}', ['dear', 'and']],
    [`dear $\{id} hello`, ['dear', 'hello']],
    ['mail me@home or f@ck', ['mail', 'me@home', 'or', 'f@ck']],
    ['1 < 2 and 3 > 2 [sic]', ['1', '2', 'and', '3', '2', 'sic']],
    ['#tag stays a word', ['tag', 'stays', 'a', 'word']],
    ['httpd is a word', ['httpd', 'is', 'a', 'word']],
  ])('%j: %j may be edited', (text, words) => {
    expect(editable(text)).toEqual(words);
    expect(hasPlaceholder(text)).toBe(words.length < Draft.of(text).size);
  });
});

test('an edit is legal only where each placeholder stands as often as before', () => {
  const text = '@user likes @user and film';
  const start = Draft.of(text);
  const accepts = (after: string): boolean =>
    (keepPlaceholders.accepts?.([Draft.of(after)], start, english) as boolean[] | undefined)?.[0] === true;
  expect(accepts('@user loves @user and film')).toBe(true);
  expect(accepts('@user likes and film')).toBe(false);
  expect(accepts('@user likes @usr and film')).toBe(false);
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z <>{}@.]{0,30}$/), (any) => {
      const draft = Draft.of(any);
      expect(keepPlaceholders.accepts?.([draft], draft, english)).toEqual([true]);
    }),
  );
});

describe('a run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'robust-placeholders-'));
  const home = process.cwd();
  beforeAll(() => process.chdir(folder));
  afterAll(() => {
    process.chdir(home);
  });
  // Knows nothing but the placeholder: whoever may edit it wins at once.
  writeFileSync(
    join(folder, 'victim.mjs'),
    'export default { labels: ["neg", "pos"], classify: async (texts) => texts.map((text) => (text.includes("@user") ? [0.2, 0.8] : [0.8, 0.2])) };',
  );
  const texts = Array.from(
    { length: 8 },
    (_, at) => `${at % 2 === 0 ? '@user says' : 'nobody says'} number ${at} is fine\t${at % 2 === 0 ? 'pos' : 'neg'}`,
  );
  writeFileSync(join(folder, 'tweets.tsv'), `text\tlabel\n${texts.join('\n')}\n`);
  writeFileSync(
    join(folder, 'plain.tsv'),
    `text\tlabel\n${texts.map((line) => line.replace('@user', 'user')).join('\n')}\n`,
  );
  const run = async (more: object) => {
    const { attacks } = await attack({ model: './victim.mjs', data: 'tweets.tsv', force: true, ...more });
    return attacks.map(({ succeeded, constraints }) => ({
      succeeded,
      kept: constraints.includes('placeholders kept'),
    }));
  };

  test('keeps them by default, and edits them on request', async () => {
    expect(await run({ attacks: ['deepwordbug'] })).toEqual([{ succeeded: 0, kept: true }]);
    expect(await run({ attacks: ['deepwordbug'], placeholders: 'edit' })).toEqual([{ succeeded: 4, kept: false }]);
  });

  test("leaves attacks under TextAttack's constraints and rewrites of the whole text as they are", async () => {
    const attacks = ['synonym:constraints=textattack', 'synonym', 'whole-case'];
    expect((await run({ attacks })).map(({ kept }) => kept)).toEqual([false, true, false]);
    expect((await run({ attacks: ['synonym'], constraints: ['textattack'] })).map(({ kept }) => kept)).toEqual([false]);
  });

  test('is what it was on data without any', async () => {
    const [found] = await run({ attacks: ['deepwordbug'], data: 'plain.tsv' });
    expect(found?.kept).toBe(false);
  });
});
