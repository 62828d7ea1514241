/** A run in parts is the run in one piece. */
import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../reports/index.js';
import type { EvasionPlugin } from '../../src/results/attack-plugin.js';
import type { Report } from '../../src/results/report/report.js';
import {
  attack,
  createRun,
  mergeShards,
  openRun,
  type RunFolder,
  RunInterrupted,
  type RunPlan,
  readReport,
} from '../../src/run/index.js';
import { shardOf } from '../../src/run/shard.js';
import { refusal } from '../refusal.js';
import { attackOf, bytesOf, listOf, mangle, planned, planOf, runsIn, twoMangles } from './toys.js';

const root = runsIn();

/** Learns one text from the sample and puts it before every other: each shard must learn the same. */
const learned: EvasionPlugin = {
  ...attackOf('learned', async () => Promise.reject(new Error('not prepared'))),
  create() {
    let trigger = '';
    return {
      constraints: [],
      async prepare(sample) {
        trigger = sample.map(({ id }) => id).join(' ');
      },
      async run(example, target) {
        const text = `${trigger.length} bad bad ${example.text}`;
        const [probabilities] = (await target.classify([text])) as [Float32Array];
        return {
          succeeded: target.goal.reached(probabilities, example.label),
          text,
          probabilities,
          words: 1,
          changed: 1,
        };
      },
    };
  },
};

const attacks = [...twoMangles.map((each) => ({ ...each, suite: 'mangles' })), planned(learned)];
const plan = (changes: Partial<RunPlan> = {}): RunPlan => planOf({ attacks, ...changes });

async function run(changes: Partial<RunPlan> = {}): Promise<RunFolder> {
  const folder = await createRun(root, plan(changes));
  await attack(plan(changes), folder);
  return folder;
}

const shards = (count: number, changes: Partial<RunPlan> = {}): Promise<RunFolder[]> =>
  Promise.all(
    Array.from({ length: count }, (_, at) =>
      run({ shard: { index: at + 1, count }, settings: { shard: `${at + 1}/${count}` }, ...changes }),
    ),
  );

const strict = { allowPartial: false, command: () => 'robust attack' };
const lenient = { ...strict, allowPartial: true };

/** The report as `-o report.json` writes it, without times and the run's own name. */
async function told(report: Report): Promise<string> {
  const { provenance: _, ...same } = report;
  const timeless = { ...same, run: '', attacks: report.attacks.map((each) => ({ ...each, seconds: 0 })) };
  let text = '';
  for await (const chunk of jsonOf('attack').render(timeless)) text += chunk;
  return text;
}

describe('merged shards', () => {
  test.each([1, 2, 4, 7])('%i make the journal and the report of the whole', async (count) => {
    const whole = await run();
    const parts = await shards(count);
    const merged = await mergeShards(root, parts.toReversed(), strict);
    expect(bytesOf(merged)).toBe(bytesOf(whole));
    expect(await told(await readReport(merged))).toBe(await told(await readReport(whole)));
    // What only the answers to the unedited texts show can be counted again.
    expect(readFileSync(merged.answers)).toEqual(readFileSync(whole.answers));
    expect(await readReport(merged)).not.toHaveProperty('stated');
    expect(merged.record.settings).toEqual({});
    expect((await openRun(root, 'latest')).id).toBe(merged.id);
    expect(parts.reduce((sum, part) => sum + (part.record.outcomes ?? 0), 0)).toBe(3 * 40);
  });

  test('of the first n examples of the data', async () => {
    const merged = await mergeShards(root, await shards(3, { numExamples: 10 }), strict);
    expect(bytesOf(merged)).toBe(bytesOf(await run({ numExamples: 10 })));
  });

  test('with a shard that has no example', async () => {
    const merged = await mergeShards(root, await shards(9, { numExamples: 2 }), strict);
    expect(bytesOf(merged)).toBe(bytesOf(await run({ numExamples: 2 })));
  });

  test('with a shard that was interrupted and resumed', async () => {
    const [first, second] = await shards(2);
    const resumed = await createRun(root, plan({ shard: { index: 2, count: 2 } }));
    const stop = new AbortController();
    let count = 0;
    const progress = () => void (++count > 30 && stop.abort());
    const half = plan({ shard: { index: 2, count: 2 }, concurrency: 1 });
    await expect(attack(half, resumed, { signal: stop.signal, progress })).rejects.toThrow(RunInterrupted);
    await attack(half, await openRun(root, resumed.id));
    expect(bytesOf(resumed)).toBe(bytesOf(second!));
    await mergeShards(root, [first!, await openRun(root, resumed.id)], strict);
  });
});

test('every example belongs to one shard, about as many to each', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 50 }), (id, count) => {
      const shard = shardOf(id, count);
      expect(shard).toBeGreaterThanOrEqual(1);
      expect(shard).toBeLessThanOrEqual(count);
      expect(shardOf(id, count)).toBe(shard);
    }),
  );
  const sizes = [0, 0, 0, 0];
  for (let id = 0; id < 4000; id++) sizes[shardOf(String(id), 4) - 1]! += 1;
  for (const size of sizes) expect(Math.abs(size - 1000)).toBeLessThan(100);
});

test('a shard says that it is one', async () => {
  const [second] = (await shards(2)).slice(1);
  const report = await readReport(second!);
  expect(report.partial).toEqual(['only the examples of shard 2 of 2 were attacked']);
  expect(report.clean.accuracy.n).toBe(40);
});

test('a shard cannot keep to a budget of the whole run', async () => {
  await refusal(run({ shard: { index: 1, count: 2 }, runBudget: 10 }));
});

describe('refuses', () => {
  const merge = (parts: readonly RunFolder[], how = strict) => mergeShards(root, parts, how);

  test('what is missing, doubled, of another run, or no shard', async () => {
    const [one, two, three] = (await shards(3)) as [RunFolder, RunFolder, RunFolder];
    await refusal(merge([one, three]));
    await refusal(merge([two]));
    await refusal(merge([one, two, three, two]));
    const [other] = await shards(3, { seed: 1 });
    await refusal(merge([other!, two, three]));
    await refusal(merge([(await shards(2))[0]!, two]));
    await refusal(merge([await run()]));
    const begun = await createRun(root, plan({ shard: { index: 1, count: 3 } }));
    await refusal(merge([begun, two, three]));
  });

  test('a missing shard gives a warning, and the merged run records it', async () => {
    const [one, , three] = await shards(3);
    const merged = await merge([one!, three!], lenient);
    const report = await readReport(merged);
    expect(report.partial).toEqual(['shard 2 of 3 is missing']);
    expect(report.warnings).toContain('shard 2 of 3 is missing');
    expect((await listOf(report.examples)).length).toBe(one!.record.outcomes! + three!.record.outcomes!);
  });

  test.each([
    ['is no JSON', () => '{"id":"row 1","ind'],
    ['is no outcome', () => '{"id":"row 1"}'],
    ['is of another shard', (other: string) => other.split('\n')[0] as string],
  ])('a line that %s is named', async (_, line) => {
    const [one, two] = (await shards(2)) as [RunFolder, RunFolder];
    const lines = bytesOf(one).split('\n');
    writeFileSync(one.journal, lines.with(4, line(bytesOf(two))).join('\n'));
    await refusal(merge([one, two]), 'RUN_DAMAGED');
    const { partial } = await readReport(await merge([one, two], lenient));
    expect(partial).toEqual([
      expect.stringMatching(/results\.jsonl:5: expected an outcome/),
      '1 of 120 outcomes are missing from the journals',
    ]);
  });

  test('lines that are not there', async () => {
    const [one, two] = (await shards(2)) as [RunFolder, RunFolder];
    writeFileSync(one.journal, bytesOf(one).split('\n').slice(3).join('\n'));
    await refusal(merge([one, two]));
  });
});

describe('a damaged journal of a whole run', () => {
  const damaged = async (change: (lines: string[]) => string[]): Promise<RunFolder> => {
    const folder = await run({ attacks: [planned(mangle as EvasionPlugin)] });
    writeFileSync(folder.journal, change(readFileSync(folder.journal, 'utf8').split('\n')).join('\n'));
    return folder;
  };

  test('is named by its line; the rest is used only on request', async () => {
    const folder = await damaged((lines) => lines.with(2, 'x'));
    await refusal(readReport(folder));
    const report = await readReport(folder, { allowPartial: true });
    expect(report.partial).toHaveLength(2);
    expect((await listOf(report.examples)).length).toBe(39);
  });

  test('is noticed when lines are gone, the last one torn', async () => {
    const short = await damaged((lines) => lines.slice(2));
    await refusal(readReport(short));
    const torn = await damaged((lines) => [...lines.slice(0, -2), lines.at(-2)!.slice(0, 20)]);
    await refusal(readReport(torn));
  });
});
