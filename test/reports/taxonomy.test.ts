import { describe, expect, test } from 'vitest';
import { attacks, suites } from '../../attacks/index.js';
import { evidenceRows, evidenceToward, taxonomy } from '../../reports/taxonomy.js';

const { catalogues, kinds, attacks: byAttack, suites: bySuite } = taxonomy();
const entries = Object.values(catalogues).flatMap((catalogue) => Object.keys(catalogue.entries));

test('an id belongs to one catalogue, and each is used', () => {
  expect(new Set(entries).size).toBe(entries.length);
  expect(new Set(Object.values(kinds).flat())).toEqual(new Set(entries));
});

test('what is mapped is there, to a kind there is', () => {
  const names = attacks.map(({ name }) => name);
  for (const name of Object.keys(byAttack)) expect(names).toContain(name);
  for (const name of Object.keys(bySuite)) expect(suites.map((suite) => suite.name)).toContain(name);
  for (const kind of [...Object.values(byAttack), ...Object.values(bySuite)])
    expect(Object.keys(kinds)).toContain(kind);
});

describe('every built-in attack', () => {
  const suiteOf = (name: string): string | null =>
    suites.find((suite) => suite.attacks.some((each) => each.split(':')[0] === name))?.name ?? null;

  test.each(attacks.map((plugin) => [plugin.name, plugin.needs] as const))('%s is mapped', (name, needs) => {
    const ids = evidenceToward({ name, suite: suiteOf(name) }).map(({ id }) => id);
    expect(ids).not.toContain('AML.T0043');
    // Attacks with gradients are white-box evidence, the others are not.
    expect(ids.includes('AML.T0043.000')).toBe(needs === 'gradients');
  });
});

test('a stranger is evidence toward what all are', () => {
  expect(evidenceToward({ name: 'mine', suite: null }).map(({ id }) => id)).toEqual(kinds.other);
});

test('attacks of one kind share a row', () => {
  const rows = evidenceRows([
    { name: 'pruthi', suite: 'typos' },
    { name: 'fgsm', suite: 'embedding' },
    { name: 'textbugger', suite: 'typos' },
  ]);
  expect(rows.map(({ names }) => names)).toEqual([['pruthi', 'textbugger'], ['fgsm']]);
});
