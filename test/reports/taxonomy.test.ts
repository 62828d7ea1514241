import { describe, expect, test } from 'vitest';
import { attacks, suites } from '../../attacks/index.js';
import { cardEvidence, evidenceRows, evidenceToward, requirements, taxonomy } from '../../reports/taxonomy.js';

const { catalogues, kinds, attacks: byAttack, suites: bySuite } = taxonomy();
const entries = Object.values(catalogues).flatMap((catalogue) => Object.keys(catalogue.entries));

test('an id belongs to one catalogue, and each is used', () => {
  expect(new Set(entries).size).toBe(entries.length);
  expect(new Set(Object.values(kinds).flat())).toEqual(new Set(entries));
});

/** How the ids of each list are written, after the list itself. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  atlas: /^AML\.T\d{4}(?:\.\d{3})?$/,
  owasp: /^ML(?:0[1-9]|10):2023$/,
  nist: /^NISTAML\.0\d{1,2}$/,
  aisvs: /^C(?:[1-9]|1[0-4])(?:\.\d+){0,2}$/,
  'ai-act': /^Art\. \d{1,3}\(\d{1,2}\)$/,
  'owasp-llm': /^LLM(?:0[1-9]|10):2025$/,
};

describe('lists of risks and requirements', () => {
  const { all, guard } = requirements();
  const lists = { ...catalogues, ...all, ...guard };
  const ids = Object.values(lists).flatMap((list) => Object.keys(list.entries));

  test.each(Object.entries(lists))('%s: ids as the list writes them, titles, an address', (name, list) => {
    expect(Object.keys(list.entries).length).toBeGreaterThan(0);
    for (const [id, title] of Object.entries(list.entries)) {
      expect(id).toMatch(SHAPES[name] ?? /^$/);
      expect(title).toMatch(/^\p{Lu}.*[^\s.]$/u);
    }
    expect(new URL(list.url).protocol).toBe('https:');
    expect(list.version).toMatch(/\d/);
  });

  test('each id is in one list, and a card names each of its kind', () => {
    expect(new Set(ids).size).toBe(ids.length);
    const named = (kind: 'guard' | 'classifier') =>
      cardEvidence(
        attacks.map(({ name }) => ({ name, suite: null })),
        kind,
      );
    const requiredOf = (of: typeof all) => Object.values(of).flatMap((list) => Object.keys(list.entries));
    const found = named('guard').map(({ id }) => id);
    expect(found).toHaveLength(new Set(found).size);
    expect(found).toEqual(expect.arrayContaining([...requiredOf(all), ...requiredOf(guard)]));
    for (const id of found) expect(ids).toContain(id);
    const ofClassifiers = named('classifier').map(({ id }) => id);
    expect(ofClassifiers).toEqual(expect.arrayContaining(requiredOf(all)));
    for (const id of requiredOf(guard)) expect(ofClassifiers).not.toContain(id);
  });
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
