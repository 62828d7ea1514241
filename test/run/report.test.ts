import { expect, test } from 'vitest';
import type { Outcome } from '../../src/core/outcome.js';
import type { Report } from '../../src/results/report/report.js';
import { ClosestOutcomes } from '../../src/run/closest.js';
import {
  attack,
  createRun,
  evaluate,
  openRun,
  RunInterrupted,
  type RunProgress,
  readReport,
} from '../../src/run/index.js';
import { attackOf, listOf, planned, planOf, runsIn, sentences, sentiment, victim } from './toys.js';

const root = runsIn();

test('the report adds up, and is the same read back from disk', async () => {
  const plan = planOf();
  const folder = await createRun(root, plan);
  const report = await attack(plan, folder);
  expect(report).toMatchObject({
    model: { name: 'sentiment', labels: ['negative', 'positive'] },
    data: { name: 'sentences', examples: 40 },
    seed: 42,
    verdict: 'none',
    run: folder.id,
    warnings: [expect.stringMatching(/^11 of 40 predictions are ties/)],
  });
  expect(report.attacks.map(({ name, constraints }) => [name, constraints])).toEqual([
    ['mangle', ['at most 5 edits']],
    ['mangle:tries=2', ['at most 2 edits']],
  ]);
  const outcomes = await listOf(report.examples);
  for (const metrics of report.attacks) {
    const own = outcomes.filter(({ attack }) => attack === metrics.name);
    const count = (status: string) => own.filter((outcome) => outcome.status === status).length;
    expect(own).toHaveLength(40);
    expect(count('succeeded')).toBeGreaterThan(0);
    expect(metrics).toMatchObject({
      succeeded: count('succeeded'),
      failed: count('failed') + count('tied'),
      tied: count('tied'),
      skipped: count('skipped'),
    });
    expect(metrics.attackSuccessRate.value).toBe(count('succeeded') / (count('succeeded') + metrics.failed));
  }
  const broken = new Set(outcomes.filter(({ status }) => status === 'succeeded').map(({ id }) => id));
  const attacked = new Set(outcomes.filter(({ status }) => status !== 'skipped').map(({ id }) => id));
  expect(report.overall.attackSuccessRate.value).toBe(broken.size / attacked.size);
  expect(report.closest.length).toBeGreaterThan(1);

  const read = await readReport(await openRun(root, folder.id));
  expect({ ...read, examples: null }).toEqual({ ...report, examples: null });
  expect(await listOf(read.examples)).toEqual(outcomes);
  expect(await listOf(read.examples)).toEqual(outcomes); // and again
});

test.each([
  [2, 0.1, 'none'],
  [3, 0.1, 'inconclusive'],
  [20, 0.9, 'inconclusive'],
  [0, 0, 'none'],
])('%i errors of 20 with at most %f of them: %s', async (errors, maxErrorRate, verdict) => {
  let tried = 0;
  const fragile = attackOf('fragile', async (_, { classify, original }) => {
    if (tried++ < errors) throw new Error('oh');
    await classify(['good']);
    return { succeeded: false, probabilities: original, words: 1, changed: 0 };
  });
  const dataset = {
    ...sentences(20),
    async *examples() {
      for (let at = 0; at < 20; at++)
        yield { id: String(at), text: `${at % 2 ? 'good' : 'bad'} ${'so '.repeat(at)}`, label: at % 2 };
    },
  };
  const plan = planOf({ dataset, attacks: [planned(fragile)], maxErrorRate });
  const report = await attack(plan, await createRun(root, plan));
  expect(report.attacks[0]!.errored).toBe(errors);
  expect(report.verdict).toBe(verdict);
  expect(report.warnings).toEqual(errors ? [`fragile: ${errors} of 20 examples errored`] : []);
});

test('a run ended by its budget says so, and reports what it has', async () => {
  const plan = planOf({ runBudget: 60 });
  const report = await attack(plan, await createRun(root, plan));
  expect(report.warnings.join()).toMatch(/the query budget of the run \(60\) ended it after \d+ of 80 searches/);
  const { succeeded, failed, skipped } = report.attacks[1]!;
  expect(succeeded + failed + skipped).toBe(0);
  expect(report.attacks[1]!.attackSuccessRate.value).toBeNull();
  expect(report).toMatchObject({ verdict: 'inconclusive', reasons: [expect.stringContaining('the query budget')] });
  expect(report.partial).toEqual(report.reasons);
});

test('a run without attacks is its clean pass', async () => {
  const plan = planOf({ attacks: [] });
  const report = await attack(plan, await createRun(root, plan));
  expect(report.attacks).toEqual([]);
  const { clean, examples, warnings } = await evaluate(plan);
  expect(report.clean).toEqual(clean);
  expect([examples, warnings]).toEqual([40, [expect.stringMatching(/^11 of 40 predictions are ties/)]]);
});

test('an evaluation can be stopped', async () => {
  const stop = new AbortController();
  const classify = () => {
    setImmediate(() => stop.abort());
    return new Promise<never>(() => {});
  };
  const running = evaluate(planOf({ model: victim({ ...sentiment, classify }) }), { signal: stop.signal });
  await expect(running).rejects.toThrow(RunInterrupted);
});

test('a sample of one class is worth a warning', async () => {
  const dataset = {
    ...sentences(3),
    async *examples() {
      for (const id of ['a', 'b', 'c']) yield { id, text: `good ${id}`, label: 1 };
    },
  };
  expect((await evaluate(planOf({ dataset }))).warnings).toEqual([
    'all 3 examples have the same label: take more of them (-n), or a random sample of the file (-n shuffle=true)',
  ]);
});

test('progress counts up to the total, across a resumption', async () => {
  const plan = planOf();
  const folder = await createRun(root, plan);
  const stop = new AbortController();
  const first: RunProgress[] = [];
  await attack(plan, folder, {
    signal: stop.signal,
    progress: (p) => {
      first.push(p);
      if (p.stage === 'attack' && p.done === 30) stop.abort();
    },
  }).catch(() => {});
  expect(first[0]).toMatchObject({ stage: 'clean', done: 40, total: undefined, asked: 40 });
  const second: RunProgress[] = [];
  const report = await attack(plan, folder, { progress: (p) => second.push(p) });
  const { resumed } = second[0]!;
  expect(resumed).toBeGreaterThanOrEqual(30);
  expect(second.map(({ done }) => done)).toEqual(Array.from({ length: 80 - resumed }, (_, at) => resumed + at + 1));
  const succeeded = report.attacks.reduce((sum, one) => sum + one.succeeded, 0);
  expect(second.at(-1)).toMatchObject({ stage: 'attack', done: 80, total: 80, succeeded });
});

test('a run under way is reported as far as it is, and is inconclusive; one that was left says how to go on', async () => {
  const plan = planOf();
  const folder = await createRun(root, plan);
  await expect(readReport(folder, { soFar: true })).rejects.toMatchObject({ code: 'RUN_UNFINISHED' });
  const stop = new AbortController();
  let during: Promise<Report> | undefined;
  const interrupted = attack(plan, folder, {
    signal: stop.signal,
    progress: ({ stage, done }) => {
      if (stage === 'attack' && done === 25) during = readReport(folder, { soFar: true });
      if (stage === 'attack' && done === 50) stop.abort();
    },
  });
  await expect(interrupted).rejects.toMatchObject({ code: 'INTERRUPTED' });
  const running = (await during) as Report;
  expect(running.verdict).toBe('inconclusive');
  expect(running.reasons).toEqual([expect.stringMatching(/^still running: 25 of 80 outcomes are available/)]);
  expect(running.partial).toEqual(running.reasons);
  // Below half of the outcomes there is progress, and no rate.
  expect({ attacks: running.attacks, n: running.overall.attackSuccessRate.n }).toEqual({ attacks: [], n: 0 });
  expect(running.headline).toMatch(/accurate; no attack was measured$/);

  const left = await readReport(await openRun(root, folder.id), { soFar: true });
  const outcomes = await listOf(left.examples);
  expect(left.reasons?.join()).toContain(
    `interrupted (robust attack --resume ${folder.id}): ${outcomes.length} of 80 outcomes are available`,
  );
  const all = left.attacks.reduce((sum, one) => sum + one.succeeded + one.failed + one.skipped + one.errored, 0);
  expect(all).toBe(outcomes.length);
  // An example that one attack has not searched yet may still be broken: it is in no overall rate.
  const of = (id: string) => outcomes.filter((outcome) => outcome.id === id);
  const whole = [...new Set(outcomes.map(({ id }) => id))].filter((id) => of(id).length === 2);
  const attacked = whole.filter((id) => of(id).some(({ status }) => status !== 'skipped'));
  expect(whole.length).toBeLessThan(40);
  expect(left.overall.attackSuccessRate.n).toBe(attacked.length);
  // The end of a run replaces its journal.
  await attack(plan, folder);
  await expect(listOf(left.examples)).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
  expect(await readReport(folder, { soFar: true })).toMatchObject({ verdict: 'none' });
});

const success = (id: string, changed: number, words: number, after: number, attack = 'a'): Outcome => ({
  id,
  attack,
  status: 'succeeded',
  text: '',
  label: 0,
  from: 0,
  to: 1,
  scoreBefore: 0.9,
  scoreAfter: after,
  adversarial: 'x',
  words,
  changed,
  queries: { asked: 1, computed: 1 },
});

test('closest: fewest words, then the deepest fall, then order; each example once', () => {
  const closest = new ClosestOutcomes();
  const outcomes = [
    success('half', 1, 2, 0.1),
    success('tenth', 1, 10, 0.4),
    success('tenth, deeper', 1, 10, 0.1),
    success('tenth, deeper, later', 1, 10, 0.1),
    success('half', 1, 20, 0.4, 'b'),
    success('half', 3, 20, 0.4, 'c'),
    success('inserted', 0, 10, 0.2),
    { ...success('embedding', 0, 100, 0), adversarial: undefined as never },
  ];
  for (const outcome of outcomes) closest.add(outcome);
  expect(closest.list.map(({ id, attack }) => `${id} ${attack}`)).toEqual([
    'half b',
    'tenth, deeper a',
    'tenth, deeper, later a',
    'inserted a',
    'tenth a',
  ]);
  for (let at = 0; at < 20; at++) closest.add(success(`short ${at}`, 1, 1, 0));
  expect(closest.list).toHaveLength(10);
});

test('closest: every attack and class appears once before any appears twice', () => {
  const closest = new ClosestOutcomes();
  for (let at = 0; at < 30; at++) closest.add(success(`near ${at}`, 1, 100, 0));
  for (let at = 0; at < 3; at++) closest.add({ ...success(`far ${at}`, 1, 2, 0.3, 'b'), label: 1 });
  closest.add({ ...success('far, same attack', 1, 3, 0.4), label: 1 });
  closest.add(success('farthest', 1, 1, 0.4, 'c'));
  const { list } = closest;
  expect(list.slice(0, 4).map(({ id, attack }) => `${id} ${attack}`)).toEqual([
    'near 0 a',
    'far 0 b',
    'farthest c',
    'far, same attack a',
  ]);
  expect(list).toHaveLength(10);
  expect(list.filter(({ attack }) => attack === 'b')).toHaveLength(3);
});
