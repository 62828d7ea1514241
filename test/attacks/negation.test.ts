/** The queries of the negation suite, its successes, and its behaviour with labels that express no verdict. */

import { describe, expect, test } from 'vitest';
import { negation } from '../../attacks/negation.js';
import { argmax } from '../../src/core/argmax.js';
import { CAPABILITIES, TEXTBOOK_PROBE } from '../../src/core/negation.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import type { Attempt, Classifier } from '../../src/plugin.js';
import type { ProbeEvidence } from '../../src/results/measures/capabilities.js';
import { targeted, untargeted } from '../../src/search/goals.js';
import { toy, toyTarget } from '../search/toys.js';

/** Has never heard of negation: "dull" is blame, "nothing not" is blame, whatever stands around it. */
const deaf: Classifier = {
  labels: ['negative', 'positive'],
  classify: async (texts) =>
    texts.map((text) =>
      /\b(?:not|nothing|dull)\b/.test(text) ? Float32Array.of(0.9, 0.1) : Float32Array.of(0.2, 0.8),
    ),
};

type Probed = Attempt & { readonly probes?: readonly ProbeEvidence[] };

async function attempts(
  victim: Classifier,
  texts: readonly (readonly [string, number])[],
  { goal = untargeted, templates = 20 } = {},
) {
  const warnings: string[] = [];
  const attack = negation.create({ templates });
  const sample = texts.map(([text, label], id) => ({ id: String(id), text, label }));
  await attack.prepare?.(sample, {
    ...victim,
    goal,
    language: english,
    random: random(42, 'negation'),
    warn: (message) => warnings.push(message),
  });
  const found: Probed[] = [];
  for (const example of sample) {
    const [original] = (await victim.classify([example.text])) as [Float32Array];
    const target = { ...victim, language: english, original, goal, constraints: [], random: random(1), remaining: 100 };
    found.push((await attack.run(example, target)) as Probed);
  }
  return { found, warnings };
}

describe('probes', () => {
  test('a rewrite with the same meaning that flips the answer is a success; one with the opposite meaning never is', async () => {
    const { found } = await attempts(deaf, [['The film is funny.', 1]], { templates: 0 });
    const [attempt] = found as [Probed];
    expect(attempt).toMatchObject({ succeeded: true, changed: expect.any(Number) });
    expect(attempt.text).toMatch(/dull/);
    const relations = attempt.probes?.map(({ relation }) => relation);
    expect(new Set(relations)).toEqual(new Set(['INV', 'DIR']));
    const failed = attempt.probes?.filter(({ expected, got }) => !expected.includes(got)) ?? [];
    expect(failed.length).toBeGreaterThan(0);
    for (const probe of attempt.probes ?? []) expect(probe.expected).toEqual([probe.relation === 'INV' ? 1 : 0]);
  });

  test('a model that answers the opposite rightly, and nothing else wrongly, is not broken by it', async () => {
    const careful: Classifier = {
      ...deaf,
      classify: async (texts) =>
        texts.map((text) => (/not funny/.test(text) ? Float32Array.of(1, 0) : Float32Array.of(0, 1))),
    };
    const [attempt] = (await attempts(careful, [['The film is funny.', 1]], { templates: 0 })).found as [Probed];
    expect(attempt.succeeded).toBe(false);
    expect(attempt.probes).toContainEqual(
      expect.objectContaining({
        capability: 'single negation',
        relation: 'DIR',
        text: 'The film is not funny.',
        got: 0,
      }),
    );
  });

  test('templates are queried once, with the first example, all capabilities, and the sentence everybody quotes', async () => {
    const { found } = await attempts(deaf, [
      ['The film is funny.', 1],
      ['The soup is good.', 1],
    ]);
    const [first, second] = found as [Probed, Probed];
    const fromTemplates = first.probes?.filter(({ relation }) => relation === 'MFT') ?? [];
    expect(second.probes?.some(({ relation }) => relation === 'MFT')).toBe(false);
    expect(new Set(fromTemplates.map(({ capability }) => capability))).toEqual(new Set(CAPABILITIES));
    expect(fromTemplates.length).toBeGreaterThanOrEqual(20 * CAPABILITIES.length);
    expect(fromTemplates).toContainEqual({
      capability: 'nothing not',
      relation: 'MFT',
      original: 'I like this movie.',
      text: 'There is nothing I do not like about this movie.',
      expected: [1],
      got: 0,
      score: expect.closeTo(0.1),
    });
  });

  test('an example that a targeted goal skips does not carry the templates', async () => {
    const texts = [
      ['The film is dull.', 0],
      ['The film is funny.', 1],
    ] as const;
    const { found } = await attempts(deaf, texts, { goal: targeted(0) });
    expect(found[0]?.probes?.some(({ relation }) => relation === 'MFT')).toBe(false);
    expect(found[1]?.probes?.some(({ text }) => text === TEXTBOOK_PROBE.text)).toBe(true);
  });

  test('as many probes as the budget has left', async () => {
    const target = toyTarget('The film is good.', { budget: 3 });
    const attempt = await negation
      .create({ templates: 0 })
      .run({ id: '0', text: 'The film is good.', label: 1 }, target);
    expect(attempt.probes).toHaveLength(2);
    expect(argmax(toy('The film is good.'))).toBe(1);
  });

  test('a text that no rule can rewrite says so', async () => {
    const { found } = await attempts(deaf, [['Überhaupt!', 1]], { templates: 0 });
    expect(found[0]).toMatchObject({ succeeded: false, probes: [], reason: expect.stringMatching(/no pattern/) });
  });
});

describe('labels', () => {
  test.each<[readonly string[], readonly (string | undefined)[] | undefined]>([
    [
      ['NEGATIVE', 'POSITIVE'],
      ['negative', 'positive'],
    ],
    [
      ['pos', 'neg'],
      ['positive', 'negative'],
    ],
    [
      ['negative', 'neutral', 'positive'],
      ['negative', undefined, 'positive'],
    ],
    [
      ['1 star', '2 stars', '3-stars', '4_stars', '5 stars'],
      ['negative', 'negative', undefined, 'positive', 'positive'],
    ],
    [
      ['Very Negative', 'Very Positive'],
      ['negative', 'positive'],
    ],
    [['ham', 'spam'], undefined],
    [['0', '1'], undefined],
    [['LABEL_0', 'LABEL_1'], undefined],
    [['1', '2', '3', '4', '5'], undefined],
    [['positive', 'sports'], undefined],
    [['positive', 'neutral'], undefined],
    [['constructor', '__proto__'], undefined],
  ])('%j name %j', (labels, expected) => expect(english.negation.labelPolarities(labels)).toEqual(expected));

  test('without a verdict only rewrites with the same meaning are queried, and the user is warned once', async () => {
    const spam: Classifier = { ...deaf, labels: ['ham', 'spam'] };
    const { found, warnings } = await attempts(spam, [
      ['The soup is good.', 1],
      ['The film is dull.', 0],
    ]);
    expect(warnings).toEqual([expect.stringMatching(/ham, spam.*no verdict/)]);
    const probes = found.flatMap((attempt) => attempt.probes ?? []);
    expect(probes.map(({ text }) => text)).toContain('The soup is not bad at all.');
    expect(new Set(probes.map(({ relation }) => relation))).toEqual(new Set(['INV']));
    for (const [at, attempt] of found.entries()) {
      for (const { expected } of attempt.probes ?? []) expect(expected).toEqual([1 - at]);
    }
  });

  test('stars: a rewrite with the same meaning may move within praise, and the opposite may be any blame', async () => {
    const stars: Classifier = {
      labels: ['1 star', '2 stars', '3 stars', '4 stars', '5 stars'],
      classify: async (texts) =>
        texts.map((text) => Float32Array.from([0, 0, 0, /not/.test(text) ? 1 : 0, /not/.test(text) ? 0 : 1])),
    };
    const [attempt] = (await attempts(stars, [['The film is funny.', 4]], { templates: 0 })).found as [Probed];
    expect(attempt.succeeded).toBe(false);
    const byRelation = (relation: string) => attempt.probes?.find((probe) => probe.relation === relation)?.expected;
    expect(byRelation('INV')).toEqual([3, 4]);
    expect(byRelation('DIR')).toEqual([0, 1]);
  });
});
