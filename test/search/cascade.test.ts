import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attacks, STANDARD_VERSION, suiteNamed } from '../../attacks/index.js';
import { random } from '../../src/core/random.js';
import { type EvasionAttack, type EvasionPlugin, maxFraction } from '../../src/plugin.js';
import { cascade, type Stage } from '../../src/search/cascade.js';
import { labelOf, toyTarget } from './toys.js';

const plugin = (name: string): EvasionPlugin => attacks.find((each) => each.name === name)!;
const stage = (name: string): Stage => ({ name, attack: plugin(name).create(plugin(name).options.parse({})) });
const stages = ['split-words', 'deepwordbug', 'leet', 'hard-label', 'appended-sentence'].map(stage);
const limits = [maxFraction(0.5)];

const run = async (attack: EvasionAttack, text: string, budget = Number.POSITIVE_INFINITY) => {
  const target = toyTarget(text, { random: random(3, 'cascade', text), budget });
  const attempt = await attack.run({ id: '0', text, label: labelOf(text) }, target);
  return { attempt, asked: target.queried.length };
};

const sentences = fc
  .array(fc.constantFrom('good', 'bad', 'film', 'fine', 'dull', 'a', 'very', 'plain', 'cast', 'not'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((words) => words.join(' '));

test('it succeeds if and only if one of its stages does', async () => {
  await fc.assert(
    fc.asyncProperty(sentences, async (text) => {
      const whole = await run(cascade({ name: 'test', stages, limits }), text);
      const alone = await Promise.all(
        stages.map(async (each) => (await run(cascade({ name: 'test', stages: [each], limits }), text)).attempt),
      );
      expect(whole.attempt.succeeded).toBe(alone.some(({ succeeded }) => succeeded));
      const first = stages.find((_, at) => alone[at]!.succeeded);
      expect(whole.attempt.details?.stage).toBe(first?.name);
    }),
    { numRuns: 40 },
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
  const attack = cascade({ name: 'test', stages: ['split-words', 'leet'].map(spy), limits: [] });
  const { attempt } = await run(attack, text);
  expect([attempt.succeeded, asked]).toEqual([true, ['split-words']]);
  for (const budget of [1, 2, 5, 20])
    expect((await run(attack, 'plain cast', budget)).asked).toBeLessThanOrEqual(budget);
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
