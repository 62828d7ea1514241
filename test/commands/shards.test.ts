/** Shards from outside: in folders as CI artifacts lie, merged, judged. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, robust, toy } from './cli.js';

const data = 'text\tlabel\nA good film.\tpositive\nA dull film.\tnegative\nSuch a good day\t1\nNo, thanks.\t0\n';
const args = ['-m', toy, '-d', 'data.tsv', '-a', 'deepwordbug', '-q'];

/** Without what differs between two equal runs. */
const timeless = (json: string): unknown => {
  const { result, ...rest } = JSON.parse(json);
  const { run, provenance, ...same } = result;
  return { ...rest, result: { ...same, attacks: same.attacks.map((each: object) => ({ ...each, seconds: 0 })) } };
};

test('shards run apart, merge to the whole, and are judged together', async () => {
  const home = folder({ 'data.tsv': data });
  const whole = await robust(['attack', ...args, '--json'], { cwd: home });
  for (const [at, env] of [{ CI_NODE_INDEX: '1', CI_NODE_TOTAL: '2' }, { JOB_COMPLETION_INDEX: '1' }].entries()) {
    const cwd = folder({ 'data.tsv': data });
    const shard = at === 0 ? 'auto' : 'auto/2';
    await robust(['attack', ...args, '--shard', shard], { cwd, env });
    const gated = await robust(['gate', 'latest', '--require', 'clean.accuracy>=0.5', '--allow-partial', '--json'], {
      cwd,
    });
    expect({ code: gated.code, verdict: JSON.parse(gated.stdout).result.verdict }).toEqual({
      code: 4,
      verdict: 'inconclusive',
    });
    cpSync(cwd, join(home, `shard-${at + 1}`), { recursive: true });
  }
  const merge = ['report', '--merge', 'shard-1', 'shard-2'];
  const merged = await robust([...merge, '-o', 'r.json'], { cwd: home });
  expect({ code: merged.code, stderr: merged.stderr }).toEqual({ code: 0, stderr: '' });
  expect(timeless(readFileSync(join(home, 'r.json'), 'utf8'))).toEqual(timeless(whole.stdout));
  const judged = [
    'gate',
    'latest',
    '--require',
    'deepwordbug.attackSuccessRate >= 0 and <= 1',
    '--min-examples',
    '1',
    '--json',
  ];
  expect((await robust(judged, { cwd: home })).code).toBe(0);

  const missing = await robust(['report', '--merge', 'shard-1', '--json'], { cwd: home });
  expect({ code: missing.code, error: JSON.parse(missing.stdout).error }).toMatchObject({
    ...{ code: 3, error: { code: 'RUN_PARTIAL', message: 'shard 2 of 2 is missing' } },
  });
  expect((await robust(['report', '--merge', 'shard-1', '--allow-partial'], { cwd: home })).code).toBe(0);
  // The present shard would pass, but the missing one must not be ignored.
  const partial = await robust(judged, { cwd: home });
  expect({ code: partial.code, reasons: JSON.parse(partial.stdout).result.reasons }).toEqual({
    ...{ code: 4, reasons: ['shard 2 of 2 is missing'] },
  });

  const run = JSON.parse(whole.stdout).result.run as string;
  const journal = join(home, '.robust', 'runs', run, 'results.jsonl');
  writeFileSync(journal, readFileSync(journal, 'utf8').replace('{', '['));
  const corrupt = await robust(['report', run, '--json'], { cwd: home });
  expect(JSON.parse(corrupt.stdout).error).toMatchObject({
    code: 'JOURNAL_CORRUPT',
    message: expect.stringContaining('jsonl:1:'),
  });
  expect((await robust(['gate', run, '--allow-partial', '--require', 'clean.accuracy>=0.5'], { cwd: home })).code).toBe(
    4,
  );
});

test.each([
  ['attack --shard 3/2', 2, 'SHARD'],
  ['attack --shard 1/2 --query-budget run=5', 2, 'SHARD_BUDGET'],
  ['report --merge nowhere', 2, 'RUN_NOT_FOUND'],
])('robust %s', async (line, exit, code) => {
  const cwd = folder({ 'data.tsv': data });
  const [command = '', ...rest] = line.split(' ');
  const ended = await robust([command, ...(command === 'attack' ? args : []), ...rest, '--json'], { cwd });
  expect({ exit: ended.code, code: JSON.parse(ended.stdout).error.code }).toEqual({ exit, code });
});
