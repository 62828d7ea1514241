/** A disk that is full or may not be written: an error that says what to do, and nothing on it is spoilt. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attack, createRun, openRun } from '../../src/run/index.js';
import { smallDisk, unmount } from '../files/small-disk.js';
import { refusal } from '../refusal.js';
import { bytesOf, planOf, runsIn, sentences } from './toys.js';

const isRoot = process.getuid?.() === 0;

test('a folder that cannot be created gives an error', async () => {
  const root = runsIn();
  writeFileSync(join(root, 'file'), '');
  await expect(createRun(join(root, 'file'), planOf())).rejects.toMatchObject({ code: 'OUTPUT_UNREACHABLE' });
});

test.skipIf(isRoot || process.platform === 'win32')('a folder that may not be written gives an error', async () => {
  const root = runsIn();
  chmodSync(root, 0o500);
  await refusal(createRun(root, planOf()), 'OUTPUT_UNREACHABLE');
  chmodSync(root, 0o700);
});

/** Empty where this user may not mount one. */
const disk = smallDisk(48) ?? '';

describe.skipIf(disk === '')('on a full disk (needs the right to mount one)', () => {
  const mount = (...options: string[]) => execFileSync('mount', ['-o', options.join(','), disk], { stdio: 'ignore' });
  let reference = '';
  const plan = planOf({ dataset: sentences(120) });

  beforeAll(async () => {
    const folder = await createRun(runsIn(), plan);
    await attack(plan, folder);
    reference = bytesOf(folder);
  });
  afterAll(() => unmount(disk));

  test.each([0, 4, 8, 12, 16, 20, 24, 28, 32, 36])(
    'with %i KiB taken: what is there stays valid and is continued',
    async (kib) => {
      mount('remount', 'size=48k');
      const ballast = join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(kib * 1024));
      const root = join(disk, 'runs');
      const folder = await createRun(root, plan);
      await refusal(attack(plan, folder), 'OUTPUT_UNREACHABLE');
      const journal = join(folder.path, 'results.jsonl');
      const whole = existsSync(journal) ? readFileSync(journal, 'utf8') : '';
      expect(whole === '' || whole.endsWith('\n')).toBe(true);
      for (const line of whole.split('\n').filter(Boolean)) expect(reference).toContain(line);
      rmSync(ballast);
      mount('remount', 'size=4m');
      await attack(plan, await openRun(root, folder.id));
      expect(bytesOf(folder)).toBe(reference);
      rmSync(root, { recursive: true });
    },
  );

  test('a disk that is read only: not begun, not continued, nothing changed', async () => {
    mount('remount', 'size=4m');
    const folder = await createRun(join(disk, 'runs'), plan);
    mount('remount', 'ro');
    await refusal(createRun(join(disk, 'runs'), plan), 'OUTPUT_UNREACHABLE');
    await expect(attack(plan, folder)).rejects.toMatchObject({ code: 'OUTPUT_UNREACHABLE' });
    mount('remount', 'rw');
    await attack(plan, folder);
    expect(bytesOf(folder)).toBe(reference);
    mount('remount', 'ro');
    expect((await attack(plan, await openRun(join(disk, 'runs'), folder.id))).run).toBe(folder.id);
    mount('remount', 'rw');
  });
});
