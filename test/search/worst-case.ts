/** Victims of many kinds, and the check that a cascade of `standard` flips every example that one of its attacks flips alone. */
import { expect } from 'vitest';
import { attacks } from '../../attacks/index.js';
import type { Outcome } from '../../src/core/outcome.js';
import type { CascadePlugin } from '../../src/recipes/cascade-attack.js';
import { folder, robust } from '../commands/cli.js';

const cascades = attacks.filter((each): each is CascadePlugin => 'parts' in each);

/** The limits of each cascade as constraints of a run. */
const LIMITS: Readonly<Record<string, readonly string[]>> = {
  'standard-characters': ['max-edit-share=8', 'readable-words'],
  'standard-words': ['max-fraction=0.25'],
  'standard-layout': ['readable-words'],
  'standard-context': [],
};

/** A linear model of words and letter trigrams, so that no single edit decides. `row`: its answer from the logit `x`. */
export const lexicon = (row: string, read = 'text'): string => `
const WORDS = { good: 1.2, lovely: 1.5, fine: 0.8, bad: -1.2, dull: -1.5, poor: -0.8 };
const hash = (text) => [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 1009, 7) / 1009 - 0.5;
const logit = (text) => {
  const padded = ' ' + text.toLowerCase() + ' ';
  let x = 0.2;
  for (const word of padded.match(/[a-z]+/g) ?? []) x += WORDS[word] ?? 0;
  for (let at = 0; at + 3 <= padded.length; at++) x += 0.25 * hash(padded.slice(at, at + 3));
  return x;
};
export default {
  labels: ['negative', 'positive'],
  classify: async (texts) => texts.map((text) => { const x = logit(${read}); return Float32Array.from(${row}); }),
};
`;
export const SCORES = '[1 / (1 + Math.exp(x)), 1 / (1 + Math.exp(-x))]';
export const LABELS = 'x > 0 ? [0, 1] : [1, 0]';

export const SENTENCES: readonly (readonly [text: string, label: string])[] = [
  ['a lovely film with a fine cast', 'positive'],
  ['good music and good acting throughout', 'positive'],
  ['the story is dull and poor', 'negative'],
  ['a bad script makes a tedious evening', 'negative'],
];

export interface RunOfVictim {
  readonly model: string;
  readonly data: string;
  /** Further files of the folder. */
  readonly files?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly detector?: boolean;
  /** It returns labels without scores, so that attacks that follow scores cannot run alone. */
  readonly labelsOnly?: boolean;
}

/** Attacks a victim by a cascade and, within its limits, by each of its attacks alone; returns how many examples the cascade flipped. */
export async function checkWorstCase(cascade: string, victim: RunOfVictim): Promise<number> {
  const { stages } = (cascades.find(({ name }) => name === cascade) as CascadePlugin).parts();
  const members = stages.filter(({ name, attack, detectorsOnly }) => {
    const plugin = attacks.find((each) => each.name === name.split(':')[0]);
    const fits = attack.needs !== 'gradients' && !(victim.labelsOnly && plugin?.needs !== 'labels');
    return plugin !== undefined && !name.includes('(restart') && fits && (!detectorsOnly || victim.detector);
  });
  const run = await robust(
    [
      ...[
        'attack',
        '-m',
        victim.model,
        '-d',
        victim.data,
        ...(victim.flags ?? []),
        '-n',
        '6',
        '--runtime',
        'precision=fp32',
      ],
      ...[cascade, ...members.map(({ name }) => name)].flatMap((name) => ['-a', name]),
      ...(LIMITS[cascade] as readonly string[]).flatMap((limit) => ['--constraint', limit]),
      ...['--log', 'plain', '--json'],
    ],
    { cwd: folder(victim.files ?? {}) },
  );
  // Inconclusive where the texts have nothing that the attacks may edit.
  expect([0, 4], run.stderr).toContain(run.code);
  const { examples } = JSON.parse(run.stdout).result as { examples: Outcome[] };
  const flippedBy = (attack: string): Set<string> =>
    new Set(examples.flatMap((each) => (each.attack === attack && each.status === 'succeeded' ? [each.id] : [])));
  const whole = flippedBy(cascade);
  expect(new Set(examples.map(({ attack }) => attack))).toEqual(new Set([cascade, ...members.map(({ name }) => name)]));
  for (const { name } of members) {
    const missed = [...flippedBy(name)].filter((id) => !whole.has(id));
    expect(missed, `examples that ${name} alone flips and ${cascade} does not`).toEqual([]);
  }
  return whole.size;
}

export const CASCADES = cascades.map(({ name }) => name);
