import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attacks, STANDARD_VERSION, suiteNamed } from '../../attacks/index.js';
import type { Outcome } from '../../src/core/outcome.js';
import { random } from '../../src/core/random.js';
import { type EvasionAttack, type EvasionPlugin, maxFraction } from '../../src/plugin.js';
import type { CascadePlugin } from '../../src/recipes/cascade-attack.js';
import { cascade, type Stage } from '../../src/search/cascade.js';
import { tries } from '../cover.js';
import { labelOf, toyTarget, toyVictim } from './toys.js';

const plugin = (name: string): EvasionPlugin => attacks.find((each) => each.name === name)!;
const stage = (name: string): Stage => ({ name, attack: plugin(name).create(plugin(name).options.parse({})) });
const stages = ['split-words', 'deepwordbug', 'leet', 'hard-label', 'appended-sentence'].map(stage);
const limits = [maxFraction(0.5)];

const run = async (attack: EvasionAttack, text: string, budget = Number.POSITIVE_INFINITY) => {
  const target = toyTarget(text, { random: random(3, 'cascade', text), budget });
  const attempt = await attack.run({ id: '0', text, label: labelOf(text) }, target);
  return { attempt, asked: target.queried.length, queried: target.queried };
};

const cascades = attacks.filter((each): each is CascadePlugin => 'parts' in each);

const sentences = fc
  .array(fc.constantFrom('good', 'bad', 'film', 'fine', 'dull', 'a', 'very', 'plain', 'cast', 'not'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((words) => words.join(' '));

test('it succeeds if and only if one of its stages does', async () => {
  await fc.assert(
    fc.asyncProperty(sentences, async (text) => {
      const whole = await run(cascade({ name: 'test', version: 'test@1', stages, limits }), text);
      const alone = await Promise.all(
        stages.map(
          async (each) =>
            (await run(cascade({ name: 'test', version: 'test@1', stages: [each], limits }), text)).attempt,
        ),
      );
      expect(whole.attempt.succeeded).toBe(alone.some(({ succeeded }) => succeeded));
      const first = stages.find((_, at) => alone[at]!.succeeded);
      expect(whole.attempt.details?.stage).toBe(first?.name);
    }),
    { numRuns: tries(40) },
  );
});

test('later stages do not run on a text that fell, and all stages share one budget', async () => {
  const text = 'good film';
  const asked: string[] = [];
  const spy = (name: string): Stage => {
    const { attack } = stage(name);
    return {
      name,
      attack: {
        ...attack,
        run(example, target) {
          asked.push(name);
          return attack.run(example, target);
        },
      },
    };
  };
  const attack = cascade({ name: 'test', version: 'test@1', stages: ['split-words', 'leet'].map(spy), limits: [] });
  const { attempt } = await run(attack, text);
  expect([attempt.succeeded, asked]).toEqual([true, ['split-words']]);
  for (const budget of [1, 2, 5, 20])
    expect((await run(attack, 'plain cast', budget)).asked).toBeLessThanOrEqual(budget);
});

describe('standard-characters flips a model whose answer depends on one word, stop words included', () => {
  const text = 'they said that this film would never bore them with its very dull plot';
  test.each(text.split(' ').filter((word) => word.length >= 4))('%s', async (word) => {
    const classify = (read: string) =>
      read.split(' ').includes(word) ? Float32Array.of(0.2, 0.8) : Float32Array.of(0.7, 0.3);
    const target = toyTarget(text, { classify, random: random(3, 'stop words', word) });
    const attempt = await plugin('standard-characters').create({}).run({ id: '0', text, label: 1 }, target);
    expect(attempt.succeeded).toBe(true);
  });
});

test('the attacks of the suite standard have no options and name its version', () => {
  const suite = suiteNamed(STANDARD_VERSION)!;
  expect(suite).toBe(suiteNamed('standard'));
  for (const name of suite.attacks) {
    expect(plugin(name).options.safeParse({ any: 1 }).success).toBe(false);
    expect(plugin(name).create({}).constraints[0]).toBe(STANDARD_VERSION);
  }
  expect(suiteNamed('standard@0')).toBeUndefined();
});

test('an attack alone draws what it draws as a stage, so that the cascade flips what any of its attacks flips alone', async () => {
  const target = (text: string, name: string) => ({
    ...toyTarget(text, { random: random(3, name, text) }),
    randomOf: (other: string) => random(3, other, text),
  });
  await fc.assert(
    fc.asyncProperty(sentences, async (text) => {
      const example = { id: '0', text, label: labelOf(text) };
      const whole = await cascade({ name: 'test', version: 'test@1', stages, limits }).run(
        example,
        target(text, 'test'),
      );
      for (const { name, attack } of stages) {
        const alone = await attack.run(example, { ...target(text, name), constraints: limits });
        if (alone.succeeded) expect(whole.succeeded).toBe(true);
        if (whole.details?.stage === name) expect(alone.succeeded).toBe(true);
      }
    }),
    { numRuns: tries(40) },
  );
});

test('no text is queried twice for one example', async () => {
  await fc.assert(
    fc.asyncProperty(sentences, async (text) => {
      const { queried } = await run(cascade({ name: 'test', version: 'test@1', stages, limits }), text);
      expect(new Set(queried).size).toBe(queried.length);
    }),
    { numRuns: tries(20) },
  );
});

describe('a query budget that ends before all stages have run', () => {
  const [measure] = cascades[0]!.measures!;
  const stagesOf = (outcomes: readonly Pick<Outcome, 'status' | 'details'>[]) => {
    const fold = measure!.fold();
    for (const [index, outcome] of outcomes.entries()) fold.add(outcome as Outcome, index);
    return measure!.schema.parse(fold.value());
  };

  test('is noted with the stage, on failures only', async () => {
    const attack = cascade({ name: 'test', version: 'test@1', stages, limits: [] });
    const whole = await run(attack, 'plain cast');
    expect(whole.attempt).toMatchObject({ succeeded: false });
    expect(whole.attempt.details).toBeUndefined();
    for (let budget = 2; budget <= whole.asked; budget++) {
      const { attempt } = await run(attack, 'plain cast', budget);
      expect(stages.map(({ name }) => name)).toContain(attempt.details?.budgetEndedAt);
    }
  });

  test('is counted for each stage and reported next to the constraints', () => {
    const value = stagesOf([
      { status: 'succeeded', details: { stage: 'leet' } },
      { status: 'failed', details: { budgetEndedAt: 'leet' } },
      { status: 'failed', details: { budgetEndedAt: 'split-words' } },
      { status: 'failed' },
    ]);
    expect(value).toEqual([
      { name: 'leet', successes: 1, budgetEnded: 1 },
      { name: 'split-words', successes: 0, budgetEnded: 1 },
    ]);
    expect(measure!.remark?.(value)).toBe('the query budget ended before all stages had run on 2 examples');
    expect(measure!.remark?.(stagesOf([{ status: 'succeeded', details: { stage: 'leet' } }]))).toBeUndefined();
  });
});

describe('stages that do not run', () => {
  test.each(cascades.map((each) => [each.name, each] as const))(
    '%s requires every part of a language that one of its stages requires',
    (_, each) => {
      const required = each.parts().stages.flatMap(({ attack }) => attack.language ?? []);
      expect(required.length > 0 || each.name === 'standard-layout').toBe(true);
      expect(new Set(each.create({}).language ?? [])).toEqual(new Set(required));
    },
  );

  test('are named in a warning with the reason', async () => {
    const inside: Stage = { name: 'inside', attack: { ...stage('leet').attack, needs: 'gradients' } };
    const attack = cascade({
      name: 'test',
      version: 'test@1',
      stages: [inside, stage('leet'), { ...stage('quoted'), detectorsOnly: true }],
      limits: [],
    });
    expect(attack.uses).toBe('gradients');
    const warnings: string[] = [];
    await attack.prepare?.([], { ...toyVictim(), warn: (message) => warnings.push(message) });
    expect(warnings).toEqual([
      'test: skipped inside (needs gradients, which the victim does not give)',
      'test: skipped quoted (for detectors only)',
    ]);
  });
});

test('a word is split or joined as a whole: taking back edits never leaves a part of a word', async () => {
  const parts = [...cascades.flatMap(({ name, parts }) => (name === 'standard-layout' ? parts().stages : []))];
  const apart = parts.filter(({ name }) => /^(split|merge)-words/.test(name));
  expect(apart.length).toBe(2);
  const lettersOf = (text = '') => text.replaceAll(/[^a-z]/gi, '');
  await fc.assert(
    fc.asyncProperty(sentences, fc.constantFrom(...apart), async (text, each) => {
      const { attempt } = await run(cascade({ name: 'test', version: 'test@1', stages: [each], limits: [] }), text);
      expect(lettersOf(attempt.text)).toBe(lettersOf(text));
    }),
    { numRuns: tries(100) },
  );
});
