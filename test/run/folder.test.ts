import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lock } from '../../src/files/lock.js';
import { temporaryPathOf } from '../../src/files/temporary-path.js';
import { attack, createRun, equalRun, openRun, readReport } from '../../src/run/index.js';
import { refusal } from '../refusal.js';
import { bytesOf, planOf, runsIn, sentiment, unsteady, victim } from './toys.js';

test('a run is found by id, by path and as the latest', async () => {
  const root = runsIn();
  const first = await createRun(root, planOf());
  const second = await createRun(root, planOf());
  expect(first.id).toMatch(/^\d{8}T\d{6}Z-[0-9a-f]{6}$/);
  expect((await openRun(root, first.id)).record).toEqual(first.record);
  expect((await openRun('/nowhere', second.path)).id).toBe(second.id);
  expect((await openRun(root, 'latest')).id).toBe(second.id);
  rmSync(join(root, 'latest'));
  expect((await openRun(root, 'latest')).id).toBe([first.id, second.id].sort()[1]);
});

test.each(['latest', 'nope', '', '../etc'])('no run "%s": said so, with what there is', async (id) => {
  await refusal(openRun(runsIn(), id), 'RUN_NOT_FOUND');
});

test('a mistyped id gets a suggestion', async () => {
  const root = runsIn();
  const { id } = await createRun(root, planOf());
  await expect(openRun(root, `${id.slice(0, -1)}x`)).rejects.toMatchObject({ hint: `Did you mean "${id}"?` });
});

test.each(['', '{}', '[]', 'null', '{"schemaVersion":0}', '\u0000'])(
  'a damaged run.json (%j) is refused',
  async (content) => {
    const root = runsIn();
    const folder = await createRun(root, planOf());
    writeFileSync(join(folder.path, 'run.json'), content);
    await expect(openRun(root, folder.id)).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
  },
);

test('a run of the same inputs is found, the newest; another seed, a damaged, a partial or a held one is not', async () => {
  const root = runsIn();
  expect(equalRun(root, planOf())).toBeUndefined();
  const older = await createRun(root, planOf());
  const done = await createRun(root, planOf());
  await attack(planOf(), done);
  const [newest, before] = [older.id, done.id].sort().reverse() as [string, string];
  expect(equalRun(root, planOf())?.id).toBe(newest);
  expect(equalRun(root, planOf({ seed: 7 }))).toBeUndefined();
  writeFileSync(join(root, newest, 'run.json'), '{');
  expect(equalRun(root, planOf())?.id).toBe(before);
  const left = equalRun(root, planOf());
  const held = await lock(left?.path as string);
  expect(equalRun(root, planOf())).toBeUndefined();
  held.release();
  left?.update({ partial: ['shard 2 of 2'] });
  expect(equalRun(root, planOf())).toBeUndefined();
});

test('an unfinished run has no report', async () => {
  const folder = await createRun(runsIn(), planOf());
  await refusal(readReport(folder), 'RUN_UNFINISHED');
});

test('a finished folder holds the record and the outcomes, nothing else', async () => {
  const folder = await createRun(runsIn(), planOf());
  await attack(planOf(), folder);
  expect(readdirSync(folder.path).sort()).toEqual(['clean.bin', 'results.jsonl', 'run.json']);
  const record = JSON.parse(readFileSync(join(folder.path, 'run.json'), 'utf8'));
  expect(record).toMatchObject({
    status: 'done',
    model: { name: 'sentiment', sha256: 'model-sha' },
    seed: 42,
    clean: { examples: 40 },
    seconds: { clean: expect.any(Number), attacks: { mangle: expect.any(Number) } },
  });
});

test('two runs at once under one root, and one folder for one process', async () => {
  const root = runsIn();
  const plan = planOf({ model: victim(unsteady(sentiment, 5)) });
  const [a, b] = await Promise.all([createRun(root, plan), createRun(root, plan)]);
  const [first, second, third] = await Promise.allSettled([attack(plan, a), attack(plan, b), attack(plan, a)]);
  expect(first.status).toBe('fulfilled');
  expect(second.status).toBe('fulfilled');
  expect(third).toMatchObject({ status: 'rejected', reason: { code: 'RUN_TAKEN' } });
  expect(bytesOf(a)).toBe(bytesOf(b));
});

test('a holder that was taken for dead stops before it writes on', async () => {
  const folder = await createRun(runsIn(), planOf());
  const path = join(folder.path, 'lock');
  const theirs = JSON.stringify({ host: 'pod-2', pid: 7, started: null, space: 'elsewhere', token: 'theirs' });
  let before = '';
  const progress = ({ stage, done }: { stage: string; done: number }) => {
    if (stage !== 'attack' || done !== 10) return;
    rmSync(path);
    writeFileSync(path, theirs);
    before = bytesOf(folder);
  };
  await expect(attack(planOf(), folder, { progress })).rejects.toMatchObject({ code: 'RUN_TAKEN', exit: 2 });
  expect(bytesOf(folder)).toBe(before);
  expect(JSON.parse(readFileSync(join(folder.path, 'run.json'), 'utf8')).status).toBe('running');
  expect(readFileSync(path, 'utf8')).toBe(theirs);
  rmSync(path);
  await attack(planOf(), await openRun('', folder.path));
  const other = await createRun(runsIn(), planOf());
  await attack(planOf(), other);
  expect(bytesOf(folder)).toBe(bytesOf(other));
});

test('the latest run is one that is there, wherever the making of another was cut short', async () => {
  const root = runsIn();
  const first = await createRun(root, planOf());
  // Named, and killed before it was there.
  writeFileSync(join(root, 'latest'), '20990101T000000Z-abcdef\n');
  expect((await openRun(root, 'latest')).id).toBe(first.id);
  // Its folder, complete and not yet renamed.
  const aside = temporaryPathOf(join(root, 'folder'));
  mkdirSync(aside);
  writeFileSync(join(aside, 'run.json'), readFileSync(join(first.path, 'run.json')));
  rmSync(join(root, 'latest'));
  expect((await openRun(root, 'latest')).id).toBe(first.id);
});

test('runs are made in a folder that is not there yet', async () => {
  const root = join(runsIn(), 'a', 'b');
  const { id } = await createRun(root, planOf());
  mkdirSync(join(root, 'notes'));
  expect((await openRun(root, 'latest')).id).toBe(id);
});
