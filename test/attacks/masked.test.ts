/** Attacks that fill gaps, with a guesser of three lines: what it is shown, and what becomes of its guesses. */

import { expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import type { Gap } from '../../src/core/fill-mask.js';
import { english } from '../../src/language/english/index.js';
import type { InfillMode } from '../../src/language/masked-lm-edits.js';
import { type Attempt, type Constraint, Draft, type FillMask, infilling, infillsFit } from '../../src/plugin.js';
import { blind, labelOf, toyTarget, toyVictim } from '../search/toys.js';

const saying = (...words: string[]): FillMask & { readonly shown: Gap[] } => {
  const shown: Gap[] = [];
  return {
    name: 'always the same',
    shown,
    guess: async (gaps, limit) => {
      shown.push(...gaps);
      return gaps.map(() => words.slice(0, limit).map((word, at) => ({ word, probability: 2 ** -at / 2 })));
    },
  };
};

async function rewrites(
  text: string,
  slot: number,
  infill: InfillMode,
  fillMask: FillMask,
  least = 0,
): Promise<string[]> {
  const found: string[] = [];
  const filling = infilling([infill], { limit: 9, least: { [infill]: least }, mlm: '' });
  await filling.prepare?.([], { language: english, fillMask });
  for await (const draft of filling.edits(Draft.of(text), [slot], toyTarget('').random, blind)) found.push(draft.text);
  return found;
}

test.each<[InfillMode, Gap, string]>([
  ['replace', { left: 'It is a ', right: ' film.' }, 'It is an odd film.'],
  ['insert before', { left: 'It is a ', right: ' good film.' }, 'It is an odd good film.'],
  ['insert after', { left: 'It is a good ', right: ' film.' }, 'It is a good odd film.'],
  ['merge', { left: 'It is a ', right: '.' }, 'It is an odd.'],
])('%s: the gap it shows, and the text it makes', async (infill, gap, text) => {
  const language = saying('odd');
  expect(await rewrites('It is a good film.', 3, infill, language)).toEqual([text]);
  expect(language.shown).toEqual([gap]);
});

test('capitals follow the word, improbable guesses are passed over, and words of two phrases are not merged', async () => {
  expect(await rewrites('GOOD films.', 0, 'replace', saying('odd', 'even', 'new'), 0.2)).toEqual([
    'ODD films.',
    'EVEN films.',
  ]);
  expect(await rewrites('They like it.', 1, 'merge', saying('see'))).toEqual([]);
});

test.each([
  ['a risky bet', 'a dangerous bet', true],
  ['a risky bet', 'a green bet', false],
  ['a good film', 'a bad film', false],
  ['a new film', 'a new recent film', true],
  ['it has fun', 'it also has fun', true],
  ['a good film', 'a dreadful good film', false],
  ['a good film', 'a crass good film', false],
  ['a good film', 'a hardly good film', false],
  ['a good film', 'a good good film', false],
  ['a good film', 'a table good film', false],
  ['a recent film', 'a recent recent film', false],
  ["do n't go", 'do going go', false],
  ['it fails here', 'it going here', false],
  ['one job here', 'one mess here', false],
  ['he never came', 'he always came', false],
])('our constraint: %s -> %s: %s', async (before, after, legal) => {
  const original = Draft.of(before);
  const [was, now] = [before.split(' '), after.split(' ')];
  const candidate = original.replace(1, now.slice(1, now.length - was.length + 2).join(' '));
  expect(candidate.text).toBe(after);
  expect(await (infillsFit(0.45) as Required<Constraint>).accepts([candidate], original, english)).toEqual([legal]);
});

test('adjectives that judge, in reviews of every kind, are known, and none is among the words that are added', () => {
  const words =
    'admirable chaotic crass silly lame lazy sloppy pointless annoying cheesy cynical shallow hollow messy cliche-ridden ' +
    'abysmal adorable bland bleak brilliant charming clumsy compelling contrived dazzling delightful dreary dull elegant engaging exhilarating ' +
    'forgettable gripping hackneyed heartwarming hilarious inane incoherent insipid intriguing ludicrous lukewarm mediocre moving overlong ' +
    'overrated pathetic plodding poignant predictable pretentious refreshing repetitive riveting rude rushed sappy shoddy slow smart sincere ' +
    'soulless spectacular stale stilted sublime superficial tasteless tedious tender thoughtful tiresome touching trite ugly unfunny uneven ' +
    'uninspired unwatchable useless vapid vivid vulgar warm weak well-made wise witty wonderful wooden worthless worthy wretched';
  const { judges, judgment, denies, additions } = english.negation;
  const all = words.split(' ');
  expect(all.filter((word) => !judges(word))).toEqual([]);
  expect(all.filter((word) => additions?.has(word))).toEqual([]);
  expect(additions?.words.filter((word) => judges(word) || denies(word))).toEqual([]);
  expect(['messily', 'failing', 'charms', 'unworthy', 'gracelessness'].map((word) => judgment?.(word))).toEqual([
    'negative',
    'negative',
    'positive',
    'negative',
    'negative',
  ]);
  for (const word of ["n't", "isn't", 'DONT', 'cannot', 'never', 'without', 'hardly', 'unfunny', 'lacks'])
    expect(denies(word), word).toBe(true);
});

async function attempt(name: string, options: object, text: string, fillMask?: FillMask): Promise<Attempt> {
  const plugin = attacks.find((each) => each.name === name);
  const attack = plugin?.create(plugin.options.parse(options));
  const example = { id: '0', text, label: labelOf(text) };
  await attack?.prepare?.([example], toyVictim(text, fillMask));
  return attack?.run(example, toyTarget(text)) as Promise<Attempt>;
}

test.each<[string, object, string, string?]>([
  ['bae', {}, 'a risky film'],
  ['bae', { mode: 'insert' }, 'a dull good film', 'dull'],
  ['bae', { mode: 'replace-insert' }, 'a risky film'],
  ['bert-attack', { maxFraction: 0.4 }, 'a risky film'],
  ['clare', { insert: false, merge: false }, 'a risky film'],
])('%s %j puts what the guesser says', async (name, options, wanted, guess = 'risky') => {
  const found = await attempt(name, { constraints: 'none', ...options }, 'a good film', saying(guess));
  expect(found.text).toBe(wanted);
});

test.each(['bae', 'bert-attack', 'clare'])('%s says who guesses', (name) => {
  const plugin = attacks.find((each) => each.name === name);
  const said = (options: object) => plugin?.create(plugin.options.parse(options)).constraints[0];
  expect(said({})).toBe('words guessed by n-grams of the data set');
  expect(said({ mlm: './bert' })).toBe('words guessed by the masked language model ./bert');
});

test('a word added after the last one does not fit, and is no error', () => {
  const original = Draft.of('We saw the long film');
  const last = original.size - 1;
  const added = original.replace(last, 'film recent');
  expect(infillsFit(0.45).accepts?.([added], original, english)).toEqual([false]);
});

test('a sample without a word leaves nothing to guess with, and the attempt says so', async () => {
  const plugin = attacks.find((each) => each.name === 'bae');
  const attack = plugin?.create(plugin.options.parse({}));
  await attack?.prepare?.([{ id: '0', text: '?!', label: 0 }], toyVictim());
  const found = await attack?.run({ id: '1', text: 'a good film', label: 1 }, toyTarget('a good film'));
  expect(found?.reason).toBe('no rewrite that meets the constraints');
});

test('benign-filler: a language model continues an everyday sentence, of which alone it knows', async () => {
  const gaps: Gap[] = [];
  const fillMask: FillMask = {
    name: 'toy',
    guess: async (asked) => {
      gaps.push(...asked);
      return asked.map(() => [
        { word: 'quietly', probability: 0.5 },
        { word: 'risky', probability: 0.4 },
      ]);
    },
  };
  const plugin = attacks.find((each) => each.name === 'benign-filler');
  const attack = plugin?.create(plugin.options.parse({ mlm: './bert' }));
  const example = { id: '0', text: 'a good film', label: 1 };
  await attack?.prepare?.([example], toyVictim('a good film', fillMask));
  const quiet = (text: string): Float32Array => {
    const score = 0.8 - 0.2 * (text.match(/quietly/g)?.length ?? 0);
    return Float32Array.of(1 - score, score);
  };
  const found = await attack?.run(example, toyTarget('a good film', { classify: quiet }));
  expect(found?.succeeded).toBe(true);
  expect(found?.text).toMatch(/^a good film (?:\S+ )+quietly quietly$/);
  for (const { left } of gaps) expect(left).not.toContain('film');
});
