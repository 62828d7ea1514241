/** Equal plans end with equal bytes: whatever the concurrency, the order in which searches end, and interruption. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attack, createRun, openRun, RunInterrupted, type RunPlan } from '../../src/run/index.js';
import { tries } from '../cover.js';
import { attackOf, bytesOf, planned, planOf, runsIn, sentences, sentiment, unsteady, victim } from './toys.js';

const root = runsIn();

async function resultsOf(plan: RunPlan): Promise<string> {
  const folder = await createRun(root, plan);
  await attack(plan, folder);
  return bytesOf(folder);
}

test('concurrency and the order of answers change no byte', async () => {
  const alone = await resultsOf(planOf({ concurrency: 1 }));
  expect(alone.split('\n')).toHaveLength(81);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 100 }), fc.nat(), async (concurrency, seed) => {
      const model = victim(unsteady(sentiment, seed));
      expect(await resultsOf(planOf({ concurrency, model }))).toBe(alone);
    }),
    { numRuns: tries(20) },
  );
});

test('another seed gives other bytes', async () => {
  expect(await resultsOf(planOf({ seed: 1 }))).not.toBe(await resultsOf(planOf({ seed: 2 })));
});

test('stopped after any number of outcomes, any number of times, then resumed: the same bytes', async () => {
  const whole = await resultsOf(planOf());
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 }),
      fc.nat(),
      async (stops, seed) => {
        const plan = planOf({ model: victim(unsteady(sentiment, seed)) });
        const { id } = await createRun(root, plan);
        for (const after of stops) {
          const stop = new AbortController();
          let finished = 0;
          const progress = () => {
            if (++finished >= after) stop.abort();
          };
          const folder = await openRun(root, id);
          await attack(plan, folder, { signal: stop.signal, progress }).catch((error: unknown) => {
            expect(error).toBeInstanceOf(RunInterrupted);
            expect((error as RunInterrupted).run).toBe(id);
            expect(folder.record.status).toBe('interrupted');
          });
        }
        const folder = await openRun(root, id);
        await attack(plan, folder);
        expect(bytesOf(folder)).toBe(whole);
      },
    ),
    { numRuns: tries(30) },
  );
});

test('no query is repeated: an interrupted run and its continuation classify the texts of one run', async () => {
  let asked = 0;
  const counting = victim({
    labels: sentiment.labels,
    classify(texts) {
      asked += texts.length;
      return sentiment.classify(texts);
    },
  });
  const plan = planOf({ model: counting, concurrency: 1 });
  await resultsOf(plan);
  const whole = asked;

  asked = 0;
  const stop = new AbortController();
  const folder = await createRun(root, plan);
  const progress = ({ done, stage }: { done: number; stage: string }) => {
    if (stage === 'attack' && done === 31) stop.abort();
  };
  await expect(attack(plan, folder, { signal: stop.signal, progress })).rejects.toThrow(RunInterrupted);
  await attack(plan, folder);
  expect(asked).toBe(whole);
});

test('a run budget ends the run at the same pair whatever the concurrency, and never reports more', async () => {
  const asked = (lines: string) =>
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).queries.asked as number);
  const all = asked(await resultsOf(planOf()));
  const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: sum(all) + 5 }),
      fc.integer({ min: 1, max: 50 }),
      async (runBudget, concurrency) => {
        const model = victim(unsteady(sentiment, runBudget));
        const kept = asked(await resultsOf(planOf({ runBudget, concurrency, model })));
        expect(kept).toEqual(all.slice(0, kept.length));
        expect(sum(kept)).toBeLessThanOrEqual(runBudget);
        if (kept.length < all.length) expect(sum(all.slice(0, kept.length + 1))).toBeGreaterThan(runBudget);
      },
    ),
    { numRuns: tries(30) },
  );
});

test('a run with a budget, stopped and resumed, ends at the same pair', async () => {
  const plan = planOf({ runBudget: 100, model: victim(unsteady(sentiment, 3)), concurrency: 16 });
  const whole = await resultsOf(plan);
  for (let after = 1; after < 40; after += 3) {
    const folder = await createRun(root, plan);
    const stop = new AbortController();
    let finished = 0;
    const progress = () => {
      if (++finished >= after) stop.abort();
    };
    await attack(plan, folder, { signal: stop.signal, progress }).catch(() => {});
    await attack(plan, folder);
    expect(bytesOf(folder)).toBe(whole);
  }
});

test('the first examples are the first examples of the whole', async () => {
  const some = await resultsOf(planOf({ numExamples: 10, attacks: planOf().attacks.slice(0, 1) }));
  const whole = await resultsOf(planOf({ attacks: planOf().attacks.slice(0, 1), dataset: sentences(40) }));
  expect(whole.startsWith(some)).toBe(true);
});

test('searches begin example by example, attack by attack where a budget may end the run: the same bytes', async () => {
  const begun = async (given: Partial<RunPlan>) => {
    const order: string[] = [];
    const attacks = ['a', 'b', 'c'].map((name) =>
      planned(
        attackOf(name, async ({ id, text }, { original }) => {
          order.push(`${id} ${name}`);
          return { succeeded: false, text, probabilities: original, words: 1, changed: 0 };
        }),
      ),
    );
    const bytes = await resultsOf(planOf({ attacks, concurrency: 1, ...given }));
    return { order, bytes };
  };
  const byExample = await begun({});
  const byAttack = await begun({ runBudget: 1e6 });
  expect(byAttack.bytes).toBe(byExample.bytes);
  const ids = byAttack.order.slice(0, byAttack.order.length / 3).map((each) => each.slice(0, -2));
  expect(byAttack.order).toEqual(['a', 'b', 'c'].flatMap((name) => ids.map((id) => `${id} ${name}`)));
  expect(byExample.order).toEqual(ids.flatMap((id) => ['a', 'b', 'c'].map((name) => `${id} ${name}`)));
});
