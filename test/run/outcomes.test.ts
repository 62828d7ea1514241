/** Outcomes of one example: statuses, counts, budgets, errors. */
import { expect, test } from 'vitest';
import type { Dataset, Example } from '../../src/core/dataset.js';
import { ModelError } from '../../src/core/errors.js';
import { type Attempt, type Outcome, TIED_PREDICTION } from '../../src/core/outcome.js';
import type { MeteredVictim } from '../../src/core/victim.js';
import { attack, createRun, RunInterrupted, type RunPlan } from '../../src/run/index.js';
import { untargeted as strict } from '../../src/search/goals.js';
import { refusal } from '../refusal.js';
import { attackOf, listOf, planned, planOf, runsIn, sentiment, untargeted, victim } from './toys.js';

const root = runsIn();

const texts = (...list: [text: string, label: number][]): Dataset => ({
  ...planOf().dataset,
  async *examples() {
    for (const [at, [text, label]] of list.entries()) yield { id: String(at), text, label };
  },
});

const good = texts(['good film', 1]);

/** The outcomes of one attack that is one function. */
async function outcomesOf(
  run: (example: Example, target: MeteredVictim) => Promise<Attempt>,
  changes: Partial<RunPlan> = {},
  warn?: (message: string) => void,
): Promise<Outcome[]> {
  const plan = planOf({ dataset: good, attacks: [planned(attackOf('toy', run))], ...changes });
  const report = await attack(plan, await createRun(root, plan), warn ? { warn } : {});
  return listOf(report.examples);
}

const nothing = async (_: Example, { original }: MeteredVictim): Promise<Attempt> => ({
  succeeded: false,
  probabilities: original,
  words: 2,
  changed: 0,
});

test('a line, key by key', async () => {
  const [outcome] = await outcomesOf(async (_, target) => {
    const [probabilities] = await target.classify(['bad film', 'bad film']);
    const details = { steps: 3, epsilon: 1 / 3, never: Infinity, path: [1 / 7, 2], word: 'bad' };
    return { succeeded: true, text: 'bad film', probabilities: probabilities!, words: 2, changed: 1, details };
  });
  expect(JSON.stringify(outcome)).toBe(
    '{"id":"0","attack":"toy","status":"succeeded","text":"good film","label":1,"from":1,"to":0,' +
      '"scoreBefore":0.734973,"scoreAfter":0.270912,"adversarial":"bad film","words":2,"changed":1,' +
      '"queries":{"asked":3,"computed":2},' +
      '"details":{"steps":3,"epsilon":0.333333,"never":"Infinity","path":[0.142857,2],"word":"bad"}}',
  );
});

test('a failed attempt keeps its score and its reason, not its text', async () => {
  const [outcome] = await outcomesOf(async (_, { original }) => ({
    succeeded: false,
    text: 'gud film',
    probabilities: original,
    words: 2,
    changed: 1,
    reason: 'no editable word',
  }));
  expect(outcome).toMatchObject({ status: 'failed', changed: 1, reason: 'no editable word' });
  expect(outcome).not.toHaveProperty('adversarial');
});

test('what the model gets wrong is skipped after one query; what it gets right is attacked', async () => {
  const outcomes = await outcomesOf(nothing, { dataset: texts(['good', 0], ['bad', 0], ['good', 1]) });
  expect(outcomes.map(({ status }) => status)).toEqual(['skipped', 'failed', 'failed']);
  expect(outcomes[0]).toMatchObject({ from: 1, to: 1, label: 0, queries: { asked: 1, computed: 1 } });
});

test('an unedited text whose labels tie is skipped, whatever its label', async () => {
  for (const outcome of await outcomesOf(nothing, { dataset: texts(['', 0], ['', 1]) })) {
    expect(outcome).toMatchObject({ status: 'skipped', from: -1, fromTied: [0, 1], reason: TIED_PREDICTION });
  }
});

test('an attack that ends in a tie has not succeeded, whatever it says', async () => {
  const tie = Float32Array.of(0.5, 0.5);
  for (const succeeded of [true, false]) {
    const [outcome] = await outcomesOf(
      async () => ({ succeeded, text: 'gXod', probabilities: tie, words: 1, changed: 1 }),
      { goal: strict },
    );
    expect(outcome).toMatchObject({ status: 'tied', from: 1, to: -1, toTied: [0, 1] });
    expect(outcome).not.toHaveProperty('adversarial');
  }
  const [untouched] = await outcomesOf(
    async ({ text }, { original }) => ({ succeeded: false, text, probabilities: original, words: 1, changed: 0 }),
    { goal: { ...strict, tied: () => true } },
  );
  expect(untouched?.status).toBe('failed');
});

test('an example that fulfils the goal unedited is skipped, with the reason', async () => {
  const goal = { ...untargeted, name: 'targeted', reached: (row: Float32Array) => row[1]! > 0.5 };
  const [outcome] = await outcomesOf(nothing, { goal });
  expect(outcome).toMatchObject({ status: 'skipped', reason: 'the goal is reached without an edit' });
});

test('text of any kind survives the journal', async () => {
  const nasty = 'good \u0000 \ud83d \u2028 \u2029 \r\n "quoted" \\ ‮abc 👩‍👩‍👧 \u200b';
  const [outcome] = await outcomesOf(
    async (_, { original }) => ({
      succeeded: true,
      text: `${nasty}\udc00`,
      probabilities: original,
      words: 1,
      changed: 1,
    }),
    { dataset: texts([nasty, 1]) },
  );
  expect(outcome!.text).toBe(nasty);
  expect(outcome!.adversarial).toBe(`${nasty}\udc00`);
});

test('`asked` counts every query, `computed` the distinct ones of this search', async () => {
  const [outcome] = await outcomesOf(async (example, target) => {
    await target.classify([]);
    await target.classify([example.text, 'a']);
    await Promise.all([target.classify(['a']), target.classify(['b', 'b'])]);
    return nothing(example, target);
  });
  expect(outcome!.queries).toEqual({ asked: 6, computed: 3 });
});

test('a gradient is a query of its own', async () => {
  const gradients = {
    ...sentiment,
    hidden: 1,
    loss: 'cross-entropy',
    gradient: async () => ({}) as never,
    gradientAt: async () => ({}) as never,
    classifyEmbeddings: async () => [],
    embeddingTable: async () => new Float32Array(),
    tokenText: () => undefined,
  };
  const [outcome] = await outcomesOf(
    async (example, target) => {
      await target.gradients!.gradient(example.text, 1);
      await target.gradients!.gradientAt(new Float32Array(), [], 1);
      await target.gradients!.classifyEmbeddings([new Float32Array(), new Float32Array()], []);
      await target.gradients!.classify(['x']);
      await target.gradients!.embeddingTable();
      return nothing(example, target);
    },
    { model: { ...planOf().model, gradients } },
  );
  expect(outcome!.queries).toEqual({ asked: 6, computed: 6 });
});

test('`remaining` gives the query budget, and the victim never receives more queries', async () => {
  let asked = 0;
  const counting = {
    ...sentiment,
    classify(list: readonly string[]) {
      asked += list.length;
      return sentiment.classify(list);
    },
  };
  const seen: number[] = [];
  const [outcome] = await outcomesOf(
    async (example, target) => {
      while (target.remaining > 0) {
        seen.push(target.remaining);
        await target.classify([`${target.remaining}`]);
      }
      await expect(target.classify(['more'])).rejects.toThrow(RangeError);
      return nothing(example, target);
    },
    { queryBudget: 4, model: victim(counting) },
  );
  expect(seen).toEqual([3, 2, 1]);
  expect(outcome).toMatchObject({ status: 'failed', queries: { asked: 4, computed: 4 } });
  expect(asked).toBe(4);
});

test('an attack that ignores the budget fails by it, without an error', async () => {
  const [outcome] = await outcomesOf(
    async (example, target) => {
      for (;;) await target.classify([example.text]);
    },
    { queryBudget: 3 },
  );
  expect(outcome).toMatchObject({
    status: 'failed',
    reason: 'the query budget is spent',
    queries: { asked: 3, computed: 1 },
  });
});

test.each([
  [new ModelError('worker 2 died', { code: 'RUNTIME_DAMAGED' }), 'worker 2 died'],
  [new TypeError('x is not a function'), 'TypeError: x is not a function'],
  ['a string', 'a string'],
  [undefined, 'undefined'],
])('an attack that throws %s errs on that example alone', async (thrown, reason) => {
  const warnings: string[] = [];
  const outcomes = await outcomesOf(
    async (example, target) => {
      if (example.id === '1') throw thrown;
      return nothing(example, target);
    },
    { dataset: texts(['good', 1], ['good', 1], ['good', 1]) },
    (warning) => warnings.push(warning),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['failed', 'errored', 'failed']);
  expect(outcomes[1]).toMatchObject({ reason, from: 1, to: 1 });
  expect(warnings.filter((warning) => warning.startsWith('toy broke on example 1'))).toHaveLength(1);
});

test('an invalid attempt is an error', async () => {
  const [outcome] = await outcomesOf(async () => undefined as never);
  expect(outcome!.status).toBe('errored');
});

test('a text the victim fails on in the clean pass errs in every attack, and is not in the metrics', async () => {
  const classifier = {
    ...sentiment,
    async classify(list: readonly string[]) {
      if (list.includes('poison')) throw new ModelError('the worker died', { code: 'RUNTIME_DAMAGED' });
      return sentiment.classify(list);
    },
  };
  const plan = planOf({
    model: victim(classifier),
    dataset: texts(['good', 1], ['poison', 0], ['bad', 0]),
    attacks: [planned(attackOf('toy', nothing))],
  });
  const report = await attack(plan, await createRun(root, plan));
  expect(report.clean.accuracy).toMatchObject({ value: 1, n: 2 });
  expect(report.data.examples).toBe(3);
  const outcomes = await listOf(report.examples);
  expect(outcomes.map(({ status }) => status)).toEqual(['failed', 'errored', 'failed']);
  expect(outcomes[1]).toMatchObject({ from: -1, to: -1, scoreBefore: 0, scoreAfter: 0 });
  expect(report.warnings.join()).toMatch(/1 of 3 texts could not be classified.*example 1: the worker died/);
  expect(report.verdict).toBe('inconclusive');
});

test('a victim that fails on everything is an error, not a result', async () => {
  const dead = {
    ...sentiment,
    classify: () => Promise.reject(new ModelError('no endpoint', { code: 'ENDPOINT_UNREACHABLE' })),
  };
  await expect(outcomesOf(nothing, { model: victim(dead) })).rejects.toMatchObject({ code: 'ENDPOINT_UNREACHABLE' });
});

test.each([
  ['logits', Float32Array.of(-1, 4)],
  ['NaN', Float32Array.of(Number.NaN, 1)],
  ['too few', Float32Array.of(1)],
])('a victim that answers %s gets an error', async (_, row) => {
  const odd = { ...sentiment, classify: async (list: readonly string[]) => list.map(() => row) };
  await expect(outcomesOf(nothing, { model: victim(odd) })).rejects.toMatchObject({ code: 'MODEL_OUTPUT_MISMATCH' });
});

test('an attack that swallows the end of the run leaves no outcome', async () => {
  const stop = new AbortController();
  const plan = planOf({
    dataset: good,
    attacks: [
      planned(
        attackOf('toy', async (example, target) => {
          stop.abort();
          await target.classify(['x']).catch(() => {});
          return nothing(example, target);
        }),
      ),
    ],
  });
  const folder = await createRun(root, plan);
  await expect(attack(plan, folder, { signal: stop.signal })).rejects.toThrow(RunInterrupted);
  const calm = { ...plan, attacks: [planned(attackOf('toy', nothing))] };
  const report = await attack(calm, folder);
  expect(report.attacks[0]).toMatchObject({ failed: 1 });
});

test('labels numbered the other way round are refused, unless forced', async () => {
  const list = Array.from({ length: 60 }, (_, at): [string, number] => [at % 2 ? 'good' : 'bad', 1 - (at % 2)]);
  const dataset = texts(...list);
  await refusal(outcomesOf(nothing, { dataset }), 'LABELS_MISMATCH');
  // In the words of the map that was given.
  await refusal(outcomesOf(nothing, { dataset, labelMap: { no: '0', yes: 'positive' } }));
  const warnings: string[] = [];
  const outcomes = await outcomesOf(nothing, { dataset, force: true }, (warning) => warnings.push(warning));
  expect(outcomes.every(({ status }) => status === 'skipped')).toBe(true);
  expect(warnings.join()).toContain('--label-map');
});

test('the error of a label that the model lacks names its example', async () => {
  await refusal(outcomesOf(nothing, { dataset: texts(['good', 2]) }), 'LABEL_NOT_FOUND');
});

test('a data set without examples is an error', async () => {
  await expect(outcomesOf(nothing, { dataset: texts() })).rejects.toMatchObject({ code: 'EXAMPLES_TOO_FEW' });
});

test.each([
  ['shrinks', [['good', 1]]],
  [
    'grows',
    [
      ['good', 1],
      ['bad', 0],
      ['bad', 0],
    ],
  ],
  [
    'is relabelled',
    [
      ['good', 1],
      ['bad', 1],
    ],
  ],
] as [string, [string, number][]][])('a data set that %s during the run is an error', async (_, later) => {
  let reads = 0;
  const dataset: Dataset = {
    ...good,
    examples: () => (reads++ === 0 ? texts(['good', 1], ['bad', 0]) : texts(...later)).examples(),
  };
  await expect(outcomesOf(nothing, { dataset })).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
});

test.each([
  [
    'twice the same attack',
    { attacks: [planned(attackOf('a', nothing)), planned(attackOf('a', nothing))] },
    'NAME_TAKEN',
  ],
  [
    'gradients a model does not give',
    { attacks: [planned({ ...attackOf('a', nothing), needs: 'gradients' })] },
    'GRADIENTS_UNSUPPORTED',
  ],
  ['no concurrency', { concurrency: 0 }, 'OPTION_INVALID'],
  ['half a query', { queryBudget: 0.5 }, 'OPTION_INVALID'],
  ['no budget', { runBudget: 0 }, 'OPTION_INVALID'],
] as [string, Partial<RunPlan>, string][])('a plan with %s is refused', async (_, changes, code) => {
  await expect(outcomesOf(nothing, changes)).rejects.toMatchObject({ code });
});
