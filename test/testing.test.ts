/**
 * The contract of robust-text/testing for third-party plugins: our own plugins meet it, and violations are reported. Attacks:
 * test/attacks/contract.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { poisoners } from '../attacks/index.js';
import { fileFormats } from '../reports/index.js';
import { parts } from '../src/app/plugins/registry.js';
import { defences } from '../src/defence/index.js';
import { english } from '../src/language/english/index.js';
import { packs } from '../src/language/packs/index.js';
import { type ComponentPlugin, type Parts, type ReporterPlugin, swapWords, transformation, z } from '../src/plugin.js';
import { toy } from '../src/testing/toys.js';
import {
  checkAttack,
  checkConstraint,
  checkDataset,
  checkDefence,
  checkLanguage,
  checkPoisoner,
  checkReporter,
  checkSearch,
  checkTransformation,
  checkVictim,
} from '../src/testing.js';
import { SLOW_PLUGINS } from './slow/slow-plugins.js';

/** Plugins that can be created with their defaults and run against a black box. */
const able = <K extends keyof Parts>(kind: K): ComponentPlugin<K>[] =>
  parts[kind].filter((plugin) => {
    try {
      const part = plugin.create(plugin.options.parse({}), ['negative', 'positive']);
      return !('needs' in part && part.needs === 'gradients') && !('whole' in part && part.whole);
    } catch {
      return false;
    }
  });

const named = <P extends { readonly name: string }>(plugins: readonly P[]) =>
  plugins.map((plugin) => [plugin.name, plugin] as const);

/** Plugins that first load a dictionary of English take seconds: see test/slow/testing.test.ts. */
const quick = <P extends { readonly name: string }>(plugins: readonly P[]) =>
  plugins.filter(({ name }) => !SLOW_PLUGINS.includes(name));

describe('ours', () => {
  test.each(named(able('constraint')))('constraint %s', (_, plugin) => checkConstraint(plugin));
  test.each(named(able('search')))('search %s', (_, plugin) => checkSearch(plugin));
  test.each(named(able('transformation')))('transformation %s', (_, plugin) => checkTransformation(plugin));
  test.each(named(poisoners))('poisoner %s', (_, plugin) => checkPoisoner(plugin));
  test.each(named(quick(defences)))('defence %s', (_, plugin) => checkDefence(plugin));
  test.each(named([english, ...packs]))('language %s', (_, language) => checkLanguage(language));
  test.each(named(fileFormats))('reporter %s', (_, { name, extension, render }) =>
    checkReporter({ kind: 'reporter', name, extension, summary: 'One of the formats of robust.', render }),
  );
  test('a victim', () => checkVictim({ labels: ['bad', 'good'], classify: async (texts) => texts.map(toy) }));
});

const about = { name: 'broken', summary: 'A plugin that breaks a promise.', options: z.strictObject({}) };
const labels = ['bad', 'good'];
let calls = 0;

const reporter = (render: ReporterPlugin['render']): ReporterPlugin => ({
  kind: 'reporter',
  extension: 'txt',
  ...about,
  render,
});

test.each<[what: string, check: () => Promise<void>, told: RegExp]>([
  [
    'an attack that reports what is no success',
    () =>
      checkAttack({
        ...{ kind: 'evasion', level: 'word', needs: 'scores', ...about },
        create: () => ({
          constraints: ['none'],
          run: async ({ text }, { original }) => ({
            ...{ succeeded: true, text, probabilities: original, score: 0, words: 1, changed: 0 },
          }),
        }),
      } as Parameters<typeof checkAttack>[0]),
    /it is deterministic[^\n]*it reports a success that is not one/,
  ],
  [
    'edits by chance',
    () =>
      checkTransformation(
        transformation({
          name: 'broken',
          summary: about.summary,
          create: () => swapWords('counted', () => [`${++calls}`]),
        }),
      ),
    /the same seed gives the same edits/,
  ],
  [
    'a constraint that refuses the text itself',
    () =>
      checkConstraint({
        ...{ kind: 'constraint', ...about },
        create: () => ({ name: 'nothing goes', accepts: (drafts) => drafts.map(() => false) }),
      }),
    /refuses the text itself/,
  ],
  [
    'a search that throws where its budget ends',
    () =>
      checkSearch({
        ...{ kind: 'search', ...about },
        create: () => ({
          name: 'careless',
          async search(space) {
            if (space.done) throw new Error('no budget left');
            await space.visit(await space.neighbours(space.start.draft));
            if (space.done) throw new Error('no budget left');
          },
        }),
      }),
    /no budget left/,
  ],
  [
    'a poisoner whose decoy is its trigger',
    () => {
      const trigger = (text: string): string => `${text} cf`;
      const poisoner = { triggers: ['cf'], planting: { kind: 'texts' }, trigger, decoy: trigger } as const;
      return checkPoisoner({ kind: 'poison', ...about, create: () => poisoner });
    },
    /the decoy is the trigger/,
  ],
  [
    'a defence that answers by chance',
    () =>
      checkDefence({
        ...{ kind: 'defence', ...about },
        create: () => ({ conditions: 'chance', rewrite: (text) => (++calls % 2 ? `${text} good` : `${text} bad`) }),
      }),
    /the same text gets a different answer/,
  ],
  [
    'a reader that gives other rows each time',
    () =>
      checkDataset({
        ...{ kind: 'dataset', ...about },
        create: () => ({ rows: () => [{ text: `text ${++calls}`, label: 1 }] }),
      }),
    /it has changed since it was opened/,
  ],
  [
    'a victim that gives no probabilities',
    () => checkVictim({ labels, classify: async (texts) => texts.map(() => Float32Array.of(2, -1)) }),
    /expected probabilities/,
  ],
  [
    'a victim that answers no text',
    () => checkVictim({ labels, classify: async (texts) => texts.map(toy).slice(1) }),
    /it returns one row per text/,
  ],
  [
    'a reporter that lets escapes through',
    () => checkReporter(reporter(({ closest }) => closest.map(({ text }) => text))),
    /terminal control characters/,
  ],
  ['a reporter that writes nothing', () => checkReporter(reporter(() => [])), /it writes something/],
  [
    'a language whose words are not those of the text',
    () => checkLanguage({ code: 'en', name: 'Shouting', tokenize: (text) => text.toUpperCase().split(' ') }),
    /does not follow/,
  ],
  [
    'options without a default',
    () =>
      checkVictim({
        ...{ kind: 'victim', ...about },
        options: z.strictObject({ a: z.string() }),
        create: () => ({ labels, classify: async () => [] }),
      }),
    /./,
  ],
])('%s is reported', async (_, check, told) => {
  await expect(check()).rejects.toThrow(told);
});
