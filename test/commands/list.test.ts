/** The names to choose from: one word a thing. */
import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { attacks, suites } from '../../attacks/index.js';
import { catalogue, catalogueText, chosen } from '../../src/app/catalogue.js';
import { pluginKinds } from '../../src/app/plugins/kinds.js';
import { didYouMean } from '../../src/core/suggest.js';

const all = catalogue();
const kindsOf = (name: string) =>
  Object.keys(all).filter((kind) => all[kind]?.some((entry) => entry.name === name && kind !== 'plugins'));

test('no name of a kind is the name of an entry', () => {
  const kinds = [...Object.keys(all), ...pluginKinds];
  expect(kinds.filter((kind) => kindsOf(kind).length > 0)).toEqual([]);
});

/**
 * The same thing under one name: an attack and its edits; an attack and the suite of it alone; an attack and training on its texts. A space
 * of `robust verify` holds all edits of a kind that the suite of the name tries some of.
 */
const SAME: Readonly<Record<string, (name: string) => boolean>> = {
  'attacks, transformations': (name) => attacks.find((each) => each.name === name)?.transformation?.name === name,
  'attacks, suites': (name) => suites.find((each) => each.name === name)?.attacks.join() === name,
  'attacks, training': () => true,
  'attacks, training, transformations': (name) => SAME['attacks, transformations']?.(name) === true,
  'spaces, suites': () => true,
};

test('a name that stands in several kinds is the same thing in all of them', () => {
  const names = new Set(Object.values(all).flatMap((entries) => entries.map(({ name }) => name)));
  const apart = [...names].filter((name) => {
    const kinds = kindsOf(name);
    return kinds.length > 1 && SAME[kinds.toSorted().join(', ')]?.(name) !== true;
  });
  expect(apart).toEqual([]);
});

test('attacks are listed by suite, each once and on a line of its own', () => {
  const lines = catalogueText(chosen(all, 'attacks'), { width: 80, chalk: new Chalk({ level: 0 }) }).split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const listed = lines.flatMap((line) => /^ {2}(\S+) {2}/.exec(line)?.[1] ?? []);
  expect(listed.toSorted()).toEqual(attacks.map(({ name }) => name).toSorted());
  expect(lines.filter((line) => line.startsWith('attacks '))).toContain('attacks of the suite typos');
});

test.each([
  ['atacks', /^Did you mean "attacks"\? See robust list\.$/],
  ['xyzzy', /^Known: \S+, \S+, \S+ and \d+ others\. See robust list\.$/],
])('%s is no name of anything', (name, hint) => {
  const expected = expect.objectContaining({ code: 'UNKNOWN_NAME', exit: 2, hint: expect.stringMatching(hint) });
  expect(() => chosen(all, name)).toThrow(expected);
});

test('at most three names are suggested', () => {
  const known = ['beam1', 'beam2', 'beam3', 'beam4', ...Array.from({ length: 9 }, (_, at) => `another${at}`)];
  expect(didYouMean('beam', known)).toBe('Did you mean "beam1" or "beam2" or "beam3"?');
  expect(didYouMean('qqq', known)).toBe('Known: beam1, beam2, beam3 and 10 others.');
  expect(didYouMean('qqq', ['yes', 'no'])).toBe('Known: yes, no.');
});
