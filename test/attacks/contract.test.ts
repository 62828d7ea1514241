/** The contract of every attack. A new attack is tested here once attacks/index.ts lists it. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { attacks, poisoners, suites } from '../../attacks/index.js';
import { protect } from '../../src/constraints/words.js';
import { argmax } from '../../src/core/argmax.js';
import type { LanguagePart } from '../../src/core/language.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import {
  type Constraint,
  type EvasionAttack,
  type EvasionPlugin,
  type Language,
  type MeteredVictim,
  z,
} from '../../src/plugin.js';
import type { EmbeddingEvidence } from '../../src/search/embedding-measures.js';
import { untargeted } from '../../src/search/goals.js';
import { attackPromises } from '../../src/testing/attack.js';
import { ODD, SENTENCES } from '../../src/testing/texts.js';
import { covered } from '../cover.js';
import { labelOf, toyTarget, toyVictim } from '../search/toys.js';
import { model as whiteBox } from './toy-white-box.js';

const files = readdirSync('attacks')
  .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
  .map((file) => file.replace(/\.ts$/, ''));

test('every file in attacks/ is listed under its own name, once', () => {
  expect([...attacks, ...poisoners].map(({ name }) => name).sort()).toEqual(files.sort());
});

test('suites have names of their own and list attacks that exist, with options that parse', () => {
  expect(new Set(suites.map(({ name }) => name)).size).toBe(suites.length);
  for (const suite of suites) {
    expect(suite.attacks.length).toBeGreaterThan(0);
    for (const attack of suite.attacks) expect(files).toContain(attack.split(':')[0]);
    expect(new Set(suite.attacks).size).toBe(suite.attacks.length);
  }
});

/** Its default options, with fewer templates: their queries are independent of the texts and take most of the time. */
const usual = ({ options }: EvasionPlugin): unknown => {
  const fewer = options.safeParse({ templates: 2 });
  return fewer.success ? fewer.data : options.parse({});
};

const run = (plugin: EvasionPlugin, text: string, given: Parameters<typeof toyTarget>[1] = {}) => {
  const target = toyTarget(text, { random: random(7, plugin.name, text), ...given });
  const example = { id: '0', text, label: labelOf(text) };
  const attack = plugin.create(usual(plugin));
  const attempt = learned(attack).then(() => attack.run(example, target));
  return { attempt, target };
};

/** As before a run: some learn words from a sample. */
const learned = async (attack: EvasionAttack): Promise<void> =>
  attack.prepare?.(
    SENTENCES.map((text, at) => ({ id: String(at), text, label: labelOf(text) })),
    toyVictim(),
  );

/** English without what an attack has not asked for. */
const only = (parts: readonly LanguagePart[] = []): Language => ({
  code: 'en',
  name: 'English',
  tokenize: english.tokenize,
  ...Object.fromEntries(parts.map((part) => [part, english[part]])),
});

const WHITE_TEXTS: readonly (readonly [string, number])[] = [
  ['plain good film', 1],
  ['good film fine cast', 1],
  ['dull film', 0],
  ['poor plain film', 0],
];

/** On a model whose gradients are known in closed form. */
async function runInside(
  plugin: EvasionPlugin,
  text: string,
  label: number,
  {
    budget = Number.POSITIVE_INFINITY,
    constraints = [],
    options = {},
    language = english,
  }: { budget?: number; constraints?: readonly Constraint[]; options?: object; language?: Language } = {},
) {
  const { labels } = whiteBox;
  let asked = 1;
  const attack = plugin.create(plugin.options.parse(options));
  const sample = WHITE_TEXTS.map(([each, of], id) => ({ id: String(id), text: each, label: of }));
  const shared = { labels, goal: untargeted, gradients: whiteBox, language };
  const draw = random(7, plugin.name);
  await attack.prepare?.(sample, {
    ...shared,
    classify: whiteBox.classify,
    random: draw.split('sample'),
    warn: () => {},
  });
  const [original] = await whiteBox.classify([text]);
  const target: MeteredVictim = {
    ...shared,
    original,
    constraints,
    random: draw.split(text),
    get remaining() {
      return budget - asked;
    },
    async classify(texts) {
      if (texts.length > budget - asked) throw new RangeError('queried beyond the budget');
      asked += texts.length;
      return whiteBox.classify(texts);
    },
  };
  return { attempt: await attack.run({ id: '0', text, label }, target), asked };
}

describe.each(attacks.map((plugin, row) => [plugin.name, plugin, row] as const))('%s', (name, plugin, row) => {
  const source = readFileSync(`attacks/${name}.ts`, 'utf8');
  // Attacks on embeddings have no text to look at, and gradients need a model: they are run on a white box below.
  const runs = plugin.needs !== 'gradients' && plugin.level !== 'embedding';

  test('its file begins by saying what it does, whom it models, what a reader still reads, and where it differs', () => {
    const header = /^\/\*\*\n([\s\S]*?)\*\//.exec(source)?.[1] ?? '';
    for (const section of ['Threat: ', 'Example: ', 'Paper: ', 'Differs: ']) expect(header).toContain(` * ${section}`);
    expect(header).toMatch(/Example: [\s\S]*->/);
    if (plugin.level !== 'embedding') expect(header).toContain(' * Readable because: ');
    expect(header.includes('https://')).toBe(true);
    if (plugin.paper) expect(header.replaceAll(/\n \* /g, ' ')).toContain(plugin.paper.title);
    if (plugin.paper) expect(header).toContain(plugin.paper.url);
  });

  test('it asks the language of the run', () => expect(source).not.toMatch(/\benglish\b/));

  // On the toy, or on the white box, whatever it needs to see.
  test.each(attackPromises(plugin, usual(plugin) as object))('%s', (_, kept) => kept());

  test('it asks no more of the language than it says, whatever its options', async () => {
    const { properties = {} } = z.toJSONSchema(plugin.options, { io: 'input' });
    const choices = Object.entries(properties).flatMap(([key, schema]) => {
      const { type, enum: values } = typeof schema === 'object' ? schema : {};
      return (type === 'boolean' ? [true, false] : (values ?? [])).map((value) => ({ [key]: value }));
    });
    for (const options of [{}, ...choices]) {
      const { language } = plugin.create(plugin.options.parse(options));
      const given = { options, language: only(language), budget: 60 };
      // A break would be an error LANGUAGE_UNSUPPORTED.
      const { attempt } = await runInside(plugin, 'the good film does not like a fine cast', 1, given);
      expect(attempt.words).toBeGreaterThan(0);
    }
  });

  // Absent rather than skipped: what does not apply is no test left out.
  if (!runs) {
    describe('run on a white box', () => {
      test.each(WHITE_TEXTS)('twice alike, and a success is one: %s', async (text, label) => {
        const { attempt, asked } = await runInside(plugin, text, label);
        expect(await runInside(plugin, text, label)).toEqual({ attempt, asked });
        expect(attempt.succeeded).toBe(argmax(attempt.probabilities) !== label);
        expect(attempt.changed).toBeLessThanOrEqual(attempt.words);
        if (plugin.level === 'embedding') {
          // The reported effect of the nearest words, if any, is their effect.
          const { asText } = attempt as EmbeddingEvidence;
          if (asText) expect(asText.broken).toBe(argmax((await whiteBox.classify([asText.text]))[0]) !== label);
        } else {
          expect(attempt.probabilities).toEqual((await whiteBox.classify([attempt.text as string]))[0]);
        }
      });

      if (plugin.level !== 'embedding') {
        test('it leaves protected words alone', async () => {
          const constraints = [protect(['film', 'cast'])];
          const { attempt } = await runInside(plugin, 'lovely film fine cast', 1, { constraints });
          for (const word of ['film', 'cast']) expect(attempt.text).toContain(word);
        });
      }
    });
    return;
  }

  describe('run on a toy', () => {
    test('it leaves protected words alone, in whatever case they stand', async () => {
      // Ranking would ask texts that are never shown: words deleted or unknown.
      const unranked = plugin.options.safeParse({ ranking: 'random' });
      const attack = plugin.create(unranked.success ? unranked.data : usual(plugin));
      await learned(attack);
      const phrases = ['film', 'a great', 'plot is', "don't"];
      for (const text of SENTENCES) {
        const target = toyTarget(text, { constraints: [protect(phrases.map((phrase) => phrase.toUpperCase()))] });
        await attack.run({ id: '0', text, label: labelOf(text) }, target);
        const kept = phrases.filter((phrase) => text.includes(phrase));
        // A phrase is its words in order: a line may break between them.
        const patterns = kept.map((phrase) => new RegExp(phrase.replaceAll(' ', '\\P{L}+'), 'u'));
        for (const asked of target.queried) for (const phrase of patterns) expect(asked).toMatch(phrase);
      }
    });

    test.each(covered(ODD, row, 3))('it cuts no letter of %s', async (_, text) => {
      const { text: found } = await run(plugin, text, { budget: 400 }).attempt;
      // Surrogates are cut by no edit: no more lone ones after than before. A deletion may join two.
      const lone = (of: string) => of.match(/\p{Surrogate}/gu)?.length ?? 0;
      expect(lone(found as string)).toBeLessThanOrEqual(lone(text));
    });

    test.each(covered([{}, { ranking: 'random' }], row, 2))('it survives 10,000 words with %j', async (options) => {
      const text = 'a lovely film with a good cast and charming songs '.repeat(1000);
      const classify = (asked: string) => Float32Array.of(0.1, asked.length / 1e6);
      const target = toyTarget(text, { budget: 500, classify, labelsOnly: row % 2 === 0 });
      const chosen = plugin.options.safeParse(options);
      if (!chosen.success) return; // it has no ranking to choose
      const attack = plugin.create(chosen.data);
      await learned(attack);
      await attack.run({ id: '0', text, label: 1 }, target);
      expect(target.queried.length).toBeLessThanOrEqual(500);
    });
  });
});
