/** @file Contract of every attack. */
import assert from 'node:assert/strict';
import { must } from '../core/errors.js';
import type { Attempt } from '../core/outcome.js';
import { predictedLabel } from '../core/prediction.js';
import { random } from '../core/random.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import { untargeted } from '../search/goals.js';
import { introduction, keep, type Promised } from './promises.js';
import { ODD, SENTENCES } from './texts.js';
import { toy, toyTarget, toyVictim } from './toys.js';
import { answerOf, model as whiteBox } from './white-box.js';

interface Run {
  readonly attempt: Attempt;
  /** Texts sent to the victim, including the original. */
  readonly queries: number;
  /** The victim's answer to a new query of the rewrite; undefined without a text. */
  readonly afresh: Float32Array | undefined;
}

type Carry = (text: string, budget?: number) => Promise<Run>;

/** On a classifier that recognises ten words, or on its labels, or a model whose gradients are known in closed form. */
function carryOn(plugin: EvasionPlugin, options: unknown, inside: boolean, labelsOnly = false): Carry {
  const answer = inside ? answerOf : toy;
  const classify = labelsOnly ? (asked: string) => answer(asked).map(Math.round) : answer;
  const gradients = inside ? { gradients: whiteBox } : {};
  return async (text, budget = Number.POSITIVE_INFINITY) => {
    const attack = plugin.create(options);
    const sample = SENTENCES.map((each, at) => ({ id: String(at), text: each, label: predictedLabel(classify(each)) }));
    await attack.prepare?.(sample, {
      ...toyVictim(),
      classify: async (texts) => texts.map(classify),
      ...gradients,
    });
    const target = Object.assign(
      toyTarget(text, { random: random(7, plugin.name, text), budget, classify, labelsOnly }),
      gradients,
    );
    const attempt = await attack.run({ id: '0', text, label: predictedLabel(target.original) }, target);
    const afresh = attempt.text === undefined ? undefined : classify(attempt.text);
    return { attempt, queries: target.queried.length, afresh };
  };
}

/** On one of the two, depending on the access that the attack needs. */
export function attackPromises(plugin: EvasionPlugin, given: object = {}): Promised[] {
  const options = plugin.options?.safeParse(given).data;
  const inside = plugin.needs === 'gradients' || plugin.level === 'embedding';
  const carry = carryOn(plugin, options, inside);
  const honest = async (text: string, run: Run): Promise<void> => {
    const { attempt, afresh } = run;
    assert(
      attempt.changed <= attempt.words,
      `expected at most all ${attempt.words} words changed, got ${attempt.changed}`,
    );
    if (afresh === undefined || plugin.level === 'embedding') return;
    const before = predictedLabel(inside ? answerOf(text) : toy(text));
    if (!plugin.ownGoal)
      assert.equal(
        attempt.succeeded,
        untargeted.reached(afresh, before),
        'it reports a success that is not one, or misses one',
      );
    assert.deepEqual(attempt.probabilities, afresh, 'its probabilities are not those of the text it gives');
  };
  return [
    ...introduction('attack', plugin),
    [
      'it names its constraints, each once',
      () => {
        const { constraints } = plugin.create(options);
        assert(constraints.length > 0, 'expected at least one, such as "each word edited once"');
        assert.equal(new Set(constraints).size, constraints.length);
      },
    ],
    ...SENTENCES.map(
      (text): Promised => [
        `it is deterministic and reports success correctly: "${text}"`,
        async () => {
          const first = await carry(text);
          const second = await carry(text);
          assert.deepEqual(second.attempt, first.attempt, 'the same seed gives a different result');
          assert.equal(second.queries, first.queries, 'the same seed sends more or fewer queries');
          await honest(text, first);
        },
      ],
    ),
    [
      'it stays within its query budget',
      async () => {
        for (const budget of [1, 2, 7, 40]) {
          const { queries } = await carry(must(SENTENCES[0]), budget);
          assert(queries <= budget, `sent ${queries} queries with a budget of ${budget}`);
        }
      },
    ],
    ...(inside
      ? []
      : SENTENCES.map(
          (text): Promised => [
            `it reports success correctly where the victim answers labels only: "${text}"`,
            async () => {
              const carryLabels = carryOn(plugin, options, false, true);
              const first = await carryLabels(text, 400);
              assert.deepEqual(await carryLabels(text, 400), first, 'the same seed gives a different result');
              assert(first.queries <= 400, `sent ${first.queries} queries with a budget of 400`);
              await honest(text, first);
            },
          ],
        )),
    ...ODD.map(
      ([what, text]): Promised => [
        `it survives ${what}`,
        async () => {
          const run = await carry(text, 400);
          assert(run.queries <= 400, `sent ${run.queries} queries with a budget of 400`);
          await honest(text, run);
        },
      ],
    ),
  ];
}

/** Throws an Error that lists the promises that `plugin` violates. `options`: differences from its defaults. */
export const checkAttack = (plugin: EvasionPlugin, options: object = {}): Promise<void> =>
  keep(plugin.name, attackPromises(plugin, options));
