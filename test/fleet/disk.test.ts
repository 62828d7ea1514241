/** Disks and brokers that are full: an error that says what to do, nothing is lost, and the run goes on once there is room. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Content } from '../../src/fleet/content.js';
import { openBroker } from '../../src/fleet/redis.js';
import { createRun, openRun, type RunPlan } from '../../src/run/index.js';
import { smallDisk, unmount } from '../files/small-disk.js';
import { hasRedis, type TestRedis, testRedis } from './redis.js';
import { letters, toyPlan } from './toy-plan.mjs';
import { bytesOf, coordinate, localBytes, type ToyWorker, toyWorker } from './toys.js';

/** Empty where this user may not mount one. */
const disk = smallDisk(64) ?? '';
if (disk === '') console.warn('no file system can be mounted here: tests of full disks are skipped');
const resize = (size: string) => execFileSync('mount', ['-o', `remount,size=${size}`, disk], { stdio: 'ignore' });
afterAll(() => unmount(disk));

const full = {
  code: 'OUTPUT_UNREACHABLE',
  message: expect.stringContaining('ENOSPC'),
  hint: expect.stringMatching(/^Free some space/),
};

describe.skipIf(!hasRedis)('with a Redis (redis-server)', () => {
  let redis: TestRedis;
  let worker: ToyWorker;
  beforeAll(async () => {
    redis = await testRedis('--maxmemory-policy', 'noeviction');
    worker = toyWorker(redis.url, 'resident');
  });
  afterAll(async () => {
    worker?.process.kill('SIGKILL');
    await redis?.kill();
  });

  test.skipIf(disk === '')('a coordinator whose disk fills up can be resumed from its files', async () => {
    const kib = 60;
    resize('1m');
    const root = join(disk, 'runs');
    const plan = toyPlan(letters(300)) as unknown as RunPlan;
    const folder = await createRun(root, plan);
    const { bsize, blocks, bfree } = statfsSync(disk);
    resize(`${kib + ((blocks - bfree) * bsize) / 1024}k`);
    await expect((await coordinate(redis.url, 300, { folder })).report).rejects.toMatchObject(full);
    resize('2m');
    await (await coordinate(redis.url, 300, { folder: await openRun(root, folder.id) })).report;
    expect(bytesOf(folder)).toBe(await localBytes(300));
    rmSync(root, { recursive: true });
  });

  test.skipIf(disk === '')('a worker whose disk is full says so, and later has the file', async () => {
    const { redis: connection, close } = await openBroker(redis.url, '0', () => {});
    const sha256 = await new Content(connection, 'disk', undefined, '').put(randomBytes(150_000));
    const content = new Content(connection, 'disk', undefined, join(disk, 'cache'));
    resize('64k');
    await expect(content.file(sha256)).rejects.toMatchObject(full);
    resize('1m');
    expect(await content.file(sha256)).toContain(sha256);
    rmSync(join(disk, 'cache'), { recursive: true });
    await close();
  });

  test('a Redis that is full ends the coordinator with what to do, and the run goes on later', async () => {
    const { redis: admin, close } = await openBroker(redis.url, '0', () => {});
    await admin.config('SET', 'maxmemory', '1mb');
    const { folder, report } = await coordinate(redis.url, 40);
    await expect(report).rejects.toMatchObject({
      code: 'QUEUE_UNREACHABLE',
      hint: expect.stringContaining('--resume'),
    });
    await admin.config('SET', 'maxmemory', '0');
    await (await coordinate(redis.url, 40, { folder })).report;
    expect(bytesOf(folder)).toBe(await localBytes(40));
    await close();
  });
});
