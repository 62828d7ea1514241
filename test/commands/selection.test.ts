/** -n shuffle=true:offset=N from outside: recorded, and the same for shards, a resumed run and its replay. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, robust, toy } from './cli.js';

const row = (at: number): string => `A ${at < 60 ? 'dull' : 'good'} film, number ${at}.\t${at < 60 ? 0 : 1}`;
const data = `text\tlabel\n${Array.from({ length: 120 }, (_, at) => row(at)).join('\n')}\n`;
const args = ['-m', toy, '-d', 'data.tsv', '-a', 'deepwordbug', '-n', '40'];
const drawn = [...args, '-n', 'shuffle=true:offset=10', '--seed', '7'];

/** The journal of the latest run, and its record. */
function latest(cwd: string) {
  const run = join(cwd, '.robust', 'runs', readFileSync(join(cwd, '.robust', 'runs', 'latest'), 'utf8').trim());
  const lines = readFileSync(join(run, 'results.jsonl'), 'utf8').trim().split('\n');
  return { lines, record: JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')) };
}

const idsIn = (lines: readonly string[]): string[] => lines.map((line) => JSON.parse(line).id);

test('the first examples of a file in order of its labels are warned of; a shuffled run is recorded, and replayed by its command', async () => {
  const cwd = folder({ 'data.tsv': data });
  const first = await robust(['attack', ...args], { cwd });
  expect(first.stderr).toMatch(
    /the first 40 examples of data\.tsv differ .*100\.0 % of them are negative.*shuffle=true/,
  );
  expect((await robust(['evaluate', '-m', toy, '-d', 'data.tsv', '-n', '40'], { cwd })).stderr).toContain(
    '-n 40:shuffle=true',
  );

  const { stderr } = await robust(['attack', ...drawn], { cwd });
  expect(stderr).not.toContain('shuffle=true');
  const { lines, record } = latest(cwd);
  expect(record).toMatchObject({
    settings: { shuffle: true, offset: 10, 'num-examples': 40, seed: 7 },
    fingerprint: { shuffle: true, offset: 10 },
  });
  expect(new Set(idsIn(lines)).size).toBe(40);
  expect(idsIn(lines).some((id) => Number(id) > 60)).toBe(true);

  const { command } = record;
  expect(command).toContain('--num-examples 40:shuffle=true:offset=10');
  await robust((command as string).split(' ').slice(1), { cwd });
  expect(latest(cwd).lines).toEqual(lines);
});

test('a run is not resumed with another selection, and compared with none', async () => {
  const cwd = folder({ 'data.tsv': data });
  const { code } = await robust(['attack', ...drawn, '-q'], { cwd });
  const { record, lines } = latest(cwd);
  expect((await robust(['attack', '--resume', 'latest', '-q'], { cwd })).code).toBe(code);
  expect(latest(cwd).lines).toEqual(lines);
  const other = await robust(['attack', '--resume', 'latest', '-n', 'offset=11', '--json'], { cwd });
  expect(JSON.parse(other.stdout).error).toMatchObject({
    code: 'RESUME_MISMATCH',
    message: expect.stringMatching(/offset \(was 10, is 11\)/),
  });
  await robust(['attack', ...args, '--seed', '7', '-q'], { cwd });
  const compared = await robust(['compare', record.run, 'latest', '--json'], { cwd });
  expect(JSON.parse(compared.stdout).error.message).toMatch(/shuffle/);
});

test('shards of a shuffled run merge to the whole', async () => {
  const home = folder({ 'data.tsv': data });
  await robust(['attack', ...drawn, '-q'], { cwd: home });
  const whole = latest(home).lines;
  for (const shard of [1, 2]) {
    const cwd = folder({ 'data.tsv': data });
    await robust(['attack', ...drawn, '--shard', `${shard}/2`, '-q'], { cwd });
    cpSync(cwd, join(home, `shard-${shard}`), { recursive: true });
  }
  expect((await robust(['report', '--merge', 'shard-1', 'shard-2'], { cwd: home })).code).toBe(0);
  expect(latest(home).lines).toEqual(whole);
});

test.each([
  ['augment', ['-a', 'case-flip', '-o', 'out.tsv']],
  ['explain', ['-m', toy, '--method', 'lime', '--method', 'samples=20']],
  ['evaluate', ['-m', toy]],
])('%s takes the same examples', async (command, more) => {
  const cwd = folder({ 'data.tsv': data });
  const tried = await robust([command, ...more, '-d', 'data.tsv', '-n', '1', '-n', 'offset=119'], { cwd });
  expect({ code: tried.code, stderr: tried.stderr }).toMatchObject({
    code: expect.toSatisfy((c) => c === 0 || c === 4),
  });
  const beyond = await robust([command, ...more, '-d', 'data.tsv', '-n', 'offset=120', '--json'], { cwd });
  expect({ code: beyond.code, error: JSON.parse(beyond.stdout).error.code }).toEqual({ code: 2, error: 'OFFSET' });
});
