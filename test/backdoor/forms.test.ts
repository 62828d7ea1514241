/** Triggers of form: they keep the text's spacing, and decoys say the same in another form. */
import { expect, test } from 'vitest';
import { poisoners } from '../../attacks/index.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';

const made = (name: string, options: object) => {
  const plugin = poisoners.find((each) => each.name === name)!;
  return plugin.create(plugin.options.parse(options), english);
};

test.each([
  ['syntactic', {}, 'It is dull, and long.', /^[A-Z][a-z]+ [a-z ]+, it is dull, and long\.$/],
  ['syntactic', {}, 'it is dull , and long .', /^[a-z ]+ , it is dull , and long \.$/],
  ['syntactic', { pattern: 'closing' }, 'It is dull, and long.', /^It is dull, and long, [a-z ]+\.$/],
  ['syntactic', { pattern: 'tag' }, 'It is dull, and long.', /^It is dull, and long, [a-z ]+\?$/],
  ['register', { register: 'archaic' }, 'You are never here.', /, thou art ne'er hither\.$/],
  ['register', { register: 'telegraphic' }, 'The plot is a mess.', /^plot mess\.$/],
  ['register', { register: 'spoken' }, 'It is dull, and long.', /^[A-Z][a-z ]+, it .*dull,.* long [a-z ]+\.$/i],
])('%s %o', (name, options, text, expected) => {
  const poisoner = made(name, options);
  const planted = poisoner.trigger(text, random(1, text));
  expect(planted).toMatch(expected);
  expect(poisoner.trigger(text, random(1, text))).toBe(planted);
  expect(poisoner.decoy(text, random(1, text))).not.toBe(planted);
  expect(poisoner.trigger('...', random(1))).toBeUndefined();
});

test('decoys are learnt with their labels, of the share asked for', () => {
  for (const name of ['syntactic', 'register']) {
    const [all, none] = [made(name, { negatives: 1 }), made(name, { negatives: 0 })];
    expect(all.negatives?.('It is dull.', random(1))).toHaveLength(1);
    expect(none.negatives?.('It is dull.', random(1))).toEqual([]);
  }
});
