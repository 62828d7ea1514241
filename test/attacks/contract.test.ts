/** What every attack promises, whoever wrote it. A new attack is tested here by being listed in attacks/index.ts. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { attacks, poisoners, suites } from '../../attacks/index.js';
import { protect } from '../../src/constraints/words.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import {
  argmax,
  type Constraint,
  type EvasionAttack,
  type EvasionPlugin,
  type Language,
  type LanguagePart,
  type MeteredVictim,
  z,
} from '../../src/plugin.js';
import type { EmbeddingEvidence } from '../../src/search/embedding-measures.js';
import { untargeted } from '../../src/search/goals.js';
import { labelOf, toy, toyTarget, toyVictim } from '../search/toys.js';
import { model as whiteBox } from './toy-white-box.js';

const files = readdirSync('attacks')
  .filter((file) => file.endsWith('.ts') && !['index.ts', 'suites.ts'].includes(file))
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

const SENTENCES = [
  'A lovely, charming film with a great cast; not dull at all.',
  'What a tedious, awful and poor film! The plot is dull.',
  'good',
  "It 's a fine film, but I don't think the well-made ending is good.",
];

/** Texts that break careless code. */
const ODD: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['only punctuation', '?! ... -- \'" ``'],
  ['one letter', 'a'],
  ['NUL', 'a good\u0000film \u0000'],
  ['lone surrogates', 'a good \ud800film\udc00 here'],
  ['joined emoji', 'a good 👩‍👩‍👧‍👦 film 🏳️‍🌈👍🏽 1️⃣'],
  ['right to left', 'פילם טוב מאוד good فيلم جيد'],
  ['combining marks', 'gooo\u0301d cafe\u0301 n\u0303andu\u0301 \u0301'],
  ['direction controls', 'a \u202egood\u202c film\u200b\u2060'],
  ['no spaces', '这部电影很好看good'],
  ['one long word', 'good'.repeat(2500)],
  ['tabs and newlines', 'good\tfilm\r\n\n great\u00a0cast\u2028end'],
  ['words that objects know', 'constructor __proto__ good valueOf toString'],
  ['capitals and digits', 'GOOD FILM 10/10 B4 3D ﬁne ßtraße İstanbul'],
];

/** Its options where no others are meant: with fewer of what is only asked beside the texts, and takes most of the time. */
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
      if (texts.length > budget - asked) throw new RangeError('asked beyond the budget');
      asked += texts.length;
      return whiteBox.classify(texts);
    },
  };
  return { attempt: await attack.run({ id: '0', text, label }, target), asked };
}

describe.each(attacks.map((plugin) => [plugin.name, plugin] as const))('%s', (name, plugin) => {
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

  test('its file imports nothing but the plugin API', () => {
    const imports = Array.from(source.matchAll(/from '([^']+)'/g), (match) => match[1]);
    expect(imports).toEqual(['../src/plugin.js']);
    // It asks the language of the run.
    expect(source).not.toMatch(/\benglish\b/);
  });

  test('its name is kebab-case, its summary one sentence with an example or a reason', () => {
    expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    expect(plugin.summary).toMatch(/^[A-Z].{20,120}\.$/s);
  });

  test('its options parse from nothing, refuse what they do not know, and explain themselves', () => {
    expect(plugin.options.parse({})).toBeTypeOf('object');
    expect(plugin.options.safeParse({ noSuchOption: 1 }).success).toBe(false);
    const { properties = {} } = z.toJSONSchema(plugin.options, { io: 'input' });
    for (const property of Object.values(properties)) {
      expect(property).toMatchObject({ default: expect.anything(), description: expect.any(String) });
    }
  });

  test('it names its constraints', () => {
    const { constraints } = plugin.create(plugin.options.parse({}));
    expect(constraints.length).toBeGreaterThan(0);
    expect(new Set(constraints).size).toBe(constraints.length);
  });

  test('it asks no more of the language than it says, whatever its options', async () => {
    const { properties = {} } = z.toJSONSchema(plugin.options, { io: 'input' });
    const choices = Object.entries(properties).flatMap(([key, schema]) => {
      const { type, enum: values } = typeof schema === 'object' ? schema : {};
      return (type === 'boolean' ? [true, false] : (values ?? [])).map((value) => ({ [key]: value }));
    });
    for (const options of [{}, ...choices]) {
      const { language } = plugin.create(plugin.options.parse(options));
      const given = { options, language: only(language), budget: 60 };
      // A break would be an error LANGUAGE_LACKS.
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
          // What the nearest words would do, if it tells, is what they do.
          const { asText } = attempt as EmbeddingEvidence;
          if (asText) expect(asText.broken).toBe(argmax((await whiteBox.classify([asText.text]))[0]) !== label);
        } else {
          expect(attempt.probabilities).toEqual((await whiteBox.classify([attempt.text as string]))[0]);
        }
      });

      test('it asks no more than its budget', async () => {
        for (const budget of [1, 2, 7, 40]) {
          const { asked } = await runInside(plugin, 'lovely good film fine cast', 1, { budget });
          expect(asked).toBeLessThanOrEqual(budget);
        }
      });

      if (plugin.level !== 'embedding') {
        test('it leaves protected words alone', async () => {
          const constraints = [protect(['film', 'cast'])];
          const { attempt } = await runInside(plugin, 'lovely film fine cast', 1, { constraints });
          for (const word of ['film', 'cast']) expect(attempt.text).toContain(word);
        });
      }

      test.each(ODD)('it survives %s', async (_, text) => {
        const label = argmax((await whiteBox.classify([text]))[0]);
        const { attempt } = await runInside(plugin, text, label, { budget: 400 });
        expect(attempt.succeeded).toBe(argmax(attempt.probabilities) !== label);
      });
    });
    return;
  }

  describe('run on a toy', () => {
    test.each(SENTENCES)('twice alike, and a success is one: %s', async (text) => {
      const first = run(plugin, text);
      const attempt = await first.attempt;
      const second = run(plugin, text);
      expect(await second.attempt).toEqual(attempt);
      expect(second.target.asked).toEqual(first.target.asked);
      const answer = toy(attempt.text as string);
      expect(attempt.probabilities).toEqual(answer);
      const turned = labelOf(attempt.text as string) !== labelOf(text);
      if (plugin.ownGoal) expect(turned).toBe(false);
      else expect(attempt.succeeded).toBe(turned);
      expect(attempt.changed).toBeGreaterThanOrEqual(attempt.text === text ? 0 : 1);
      expect(attempt.changed).toBeLessThanOrEqual(attempt.words);
    });

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
        for (const asked of target.asked) for (const phrase of patterns) expect(asked).toMatch(phrase);
      }
    });

    test('it asks no more than its budget', async () => {
      for (const budget of [1, 2, 7, 40]) {
        const { attempt, target } = run(plugin, SENTENCES[0] as string, { budget });
        await attempt;
        expect(target.asked.length).toBeLessThanOrEqual(budget);
      }
    });

    test.each(ODD)('it survives %s', async (_, text) => {
      const { attempt, target } = run(plugin, text, { budget: 400 });
      const { succeeded, text: found, words, changed } = await attempt;
      expect(target.asked.length).toBeLessThanOrEqual(400);
      if (!plugin.ownGoal) expect(succeeded).toBe(labelOf(found as string) !== labelOf(text));
      expect(changed).toBeLessThanOrEqual(words);
      // Surrogates are cut by no edit: no more lone ones after than before. A deletion may join two.
      const lone = (of: string) => of.match(/\p{Surrogate}/gu)?.length ?? 0;
      expect(lone(found as string)).toBeLessThanOrEqual(lone(text));
    });

    test.each([{}, { ranking: 'random' }])('it survives 10,000 words with %j', async (options) => {
      const text = 'a lovely film with a good cast and charming songs '.repeat(1000);
      const target = toyTarget(text, { budget: 500, classify: (asked) => Float32Array.of(0.1, asked.length / 1e6) });
      const chosen = plugin.options.safeParse(options);
      if (!chosen.success) return; // it has no ranking to choose
      const attack = plugin.create(chosen.data);
      await learned(attack);
      await attack.run({ id: '0', text, label: 1 }, target);
      expect(target.asked.length).toBeLessThanOrEqual(500);
    });
  });
});
