/** One process at a time; the dead are found out by their silence, whatever their host and clock. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lock } from '../../src/files/lock.js';

const inside = (): string => mkdtempSync(join(tmpdir(), 'robust-lock-'));
const elsewhere = { host: 'pod-1', pid: 7, started: '1', space: 'another boot', token: 'theirs' };
const lease = 400;

test('a lock is held by a living process, and only by one', async () => {
  const folder = inside();
  const held = await lock(folder);
  held.check();
  await expect(lock(folder)).rejects.toMatchObject({ code: 'RUN_TAKEN', exit: 2 });
  held.release();
  expect(readdirSync(folder)).toEqual([]);
  (await lock(folder)).release();
});

test('the lock of a process of this machine that died is taken over at once', async () => {
  const folder = inside();
  const held = await lock(folder);
  const [me = '', ...rest] = readFileSync(join(folder, 'lock'), 'utf8').split('\n');
  held.release();
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  const dead = [{ pid: child.pid }, { started: '1' }]; // the number was given to another process since
  for (const changes of process.platform === 'linux' ? dead : dead.slice(0, 1)) {
    writeFileSync(join(folder, 'lock'), [JSON.stringify({ ...JSON.parse(me), ...changes }), ...rest].join('\n'));
    const waited: string[] = [];
    (await lock(folder, { warn: (message) => waited.push(message) })).release();
    expect(waited).toEqual([]);
  }
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['elsewhere', `${JSON.stringify(elsewhere)}\n000000000012\n`],
  ['elsewhere, whose clock is a year ahead', `${JSON.stringify(elsewhere)}\n000000000012\n`],
  ['that was killed while it wrote the lock', '{"host'],
])('the lock of a holder %s is taken over once it stood still for a lease', async (where, text) => {
  const folder = inside();
  const path = join(folder, 'lock');
  writeFileSync(path, text);
  if (where.includes('clock')) utimesSync(path, 2e9, 2e9);
  const told: string[] = [];
  const began = performance.now();
  const held = await lock(folder, { lease, warn: (message) => told.push(message) });
  expect(performance.now() - began).toBeGreaterThanOrEqual(lease);
  expect(told).toEqual([expect.stringMatching(/is locked.*: watching its heartbeat for 1 s/)]);
  held.check();
  held.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a holder elsewhere that shows signs of life keeps its lock', async () => {
  const folder = inside();
  const path = join(folder, 'lock');
  // A real holder, whose beats reach the file; only its name is another machine's.
  const held = await lock(folder, { lease });
  const ours = readFileSync(path, 'utf8').split('\n')[0] as string;
  const { space } = JSON.parse(ours);
  // In place, as the holder itself writes: of the same length.
  const foreign = ours.replace(space, 'x'.repeat(space.length));
  writeFileSync(path, `${foreign}\n000000000000\n`);
  await expect(lock(folder, { lease: 10 * lease })).rejects.toMatchObject({ code: 'RUN_TAKEN' });
  held.release();
});

test('one that was taken for dead notices before it writes on, and leaves the new lock alone', async () => {
  const folder = inside();
  const held = await lock(folder, { lease });
  rmSync(join(folder, 'lock'));
  const theirs = `${JSON.stringify(elsewhere)}\n000000000001\n`;
  writeFileSync(join(folder, 'lock'), theirs);
  expect(() => held.check()).toThrow(
    expect.objectContaining({ code: 'RUN_TAKEN', message: expect.stringContaining('by process 7 on pod-1') }),
  );
  held.release();
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(theirs);
});

test('waiting ends when its signal aborts', async () => {
  const folder = inside();
  writeFileSync(join(folder, 'lock'), JSON.stringify(elsewhere));
  const stop = new AbortController();
  const waiting = lock(folder, { signal: stop.signal, warn: () => stop.abort() });
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
