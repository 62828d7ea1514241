/** Coordinator and workers as processes on a Redis of their own: whatever happens to them, the run is the one that a single process makes. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '../../src/core/report.js';
import { administer } from '../../src/fleet/administration.js';
import { thisMachine } from '../../src/fleet/machines.js';
import { packDelivery, unpackDelivery } from '../../src/fleet/messages.js';
import { keys, openBroker } from '../../src/fleet/redis.js';
import { openRun, readReport } from '../../src/run/index.js';
import { hasRedis, type TestRedis, testRedis } from './redis.js';
import { bytesOf, coordinate, localBytes, type ToyWorker, toyWorker } from './toys.js';

describe.skipIf(!hasRedis)('a run on a queue (redis-server)', () => {
  let redis: TestRedis;
  const workers: ToyWorker[] = [];
  const worker = (...args: Parameters<typeof toyWorker> extends [string, ...infer R] ? R : never): ToyWorker => {
    const made = toyWorker(redis.url, ...args);
    workers.push(made);
    return made;
  };
  const ended = async (...all: readonly ToyWorker[]): Promise<(number | string)[]> => {
    for (const { process } of all) process.kill('SIGTERM');
    return Promise.all(all.map((each) => each.ended));
  };
  /** Takes part in all runs but those that are for others. */
  let resident: ToyWorker;
  beforeAll(async () => {
    redis = await testRedis('--maxmemory-policy', 'noeviction');
    resident = worker('resident', { lock: 2 });
  });
  afterAll(async () => {
    for (const { process } of workers) process.kill('SIGKILL');
    await redis?.kill();
  });

  test('has the bytes of a run in one process, whatever the number of workers, of which some are killed', async () => {
    const killed = worker('killed', { lock: 2 });
    await killed.said('takes jobs');
    let soFar: Promise<Report> | undefined;
    const run = await coordinate(redis.url, 1100, {
      turns: 20,
      hooks: {
        progress: ({ stage, done }) => {
          if (stage !== 'attack' || done <= 500) return;
          killed.process.kill('SIGKILL');
          soFar ??= openRun(join(run.folder.path, '..'), run.folder.id).then((now) => readReport(now, { soFar: true }));
        },
      },
    });
    const { folder, report } = run;
    expect((await report).attacks.map(({ errored }) => errored)).toEqual([0, 0]);
    expect(bytesOf(folder)).toBe(await localBytes(1100));
    expect(folder.record.machines?.reduce((sum, { outcomes }) => sum + outcomes, 0)).toBe(2200);
    expect(await killed.ended).toBe('SIGKILL');
    const during = await soFar;
    expect(during?.verdict).toBe('inconclusive');
    expect(during?.reasons?.join()).toMatch(/^still running: \d+ of 2200 outcomes/);
  });

  test('isolates an example that takes workers down, and reports it as errored', async () => {
    const warnings: string[] = [];
    const { folder, report } = await coordinate(redis.url, 20, {
      poisonAt: 17,
      hooks: { warn: (line) => warnings.push(line) },
    });
    const { attacks } = await report;
    expect(attacks.map(({ errored }) => errored)).toEqual([1, 1]);
    expect(warnings.filter((line) => line.includes('example 17')).length).toBe(2);
    const others = (text: string): string[] => text.split('\n').filter((line) => !line.includes('"id":"17"'));
    expect(others(bytesOf(folder))).toEqual(others(await localBytes(20, 17)));
  });

  test('ends with an error that names both machines where two find different things', async () => {
    const { folder, report } = await coordinate(redis.url, 60, { turns: 10_000 });
    const failed = expect(report).rejects.toMatchObject({
      code: 'NOT_DETERMINISTIC',
      message: expect.stringMatching(/process 7 on second found something else than process \d+ on resident/),
    });
    const broker = await openBroker(redis.url, '0', () => {});
    /** A job of searches with an outcome. */
    const underWay = async (): Promise<readonly [id: string, entry: Buffer]> => {
      for (;;) {
        for (const id of Object.keys(await broker.redis.hgetall(keys.jobs(folder.id)))) {
          const [, entry] = id.includes('.search.') ? await broker.redis.lrangeBuffer(keys.journal(id), 0, 1) : [];
          if (entry !== undefined) return [id, entry];
        }
        await pause(20);
      }
    };
    const [id, entry] = await underWay();
    const { head, found } = unpackDelivery(entry);
    const second = { ...head, machine: { ...thisMachine('0', '1'), host: 'second', pid: 7 }, end: false };
    const send = (body: Buffer) => broker.redis.rpushx(keys.journal(id), body);
    const [line = ''] = found.toString().split('\n');
    await send(Buffer.from('no delivery'));
    await send(packDelivery(second, line.replace(/"index":\d+/, '"index":99')));
    await send(packDelivery(second, `${line}\n`));
    await send(packDelivery(second, `${line.replace('"words":1', '"words":2')}\n`));
    await failed;
    await broker.close();
  });

  test('a worker whose shard another has ended meanwhile goes on, and delivers nothing', async () => {
    const { folder, report } = await coordinate(redis.url, 30);
    await report;
    expect(bytesOf(folder)).toBe(await localBytes(30));
    const broker = await openBroker(redis.url, '0', () => {});
    const shard = { kind: 'search', from: 0, to: 30, attacks: ['grow'] };
    const sha = '0'.repeat(64);
    const late = { run: folder.id, plan: sha, shard, input: sha, common: sha, alone: false };
    const jobId = `${folder.id}.late`;
    await broker.queue.add('search', late, { jobId, removeOnComplete: true });
    while ((await broker.queue.getJobState(jobId)) !== 'unknown') await pause(20);
    expect(await broker.redis.exists(keys.journal(jobId))).toBe(0);
    expect(resident.output()).not.toContain(`run ${folder.id} is set aside`);
    await broker.close();
  });

  test('is led by one coordinator, and resumed where it was stopped', async () => {
    const stop = new AbortController();
    const hooks = {
      signal: stop.signal,
      progress: ({ stage }: { stage: string }) => stage === 'attack' && stop.abort(),
    };
    const { folder, report } = await coordinate(redis.url, 50, { turns: 10_000, hooks });
    const interrupted = expect(report).rejects.toMatchObject({ code: 'INTERRUPTED' });
    const led = async () => (await administer(redis.url, '0', 'status', undefined, () => {})).runs;
    while (!(await led()).some(({ run }) => run === folder.id)) await pause(20);
    const second = await coordinate(redis.url, 50);
    await expect(second.report).rejects.toMatchObject({
      code: 'RUN_TAKEN',
      message: expect.stringContaining(folder.id),
    });
    await interrupted;
    const { report: resumed } = await coordinate(redis.url, 50, { folder });
    await resumed;
    expect(bytesOf(folder)).toBe(await localBytes(50));
  });

  test('keeps the results of a worker that receives a signal to stop', async () => {
    const { folder, report } = await coordinate(redis.url, 60, {
      turns: 5000,
      hooks: {
        progress: ({ stage, done }) => void (stage === 'attack' && done < 20 && resident.process.kill('SIGTERM')),
      },
    });
    expect(await resident.ended).toBe(0);
    const store = mkdtempSync(join(tmpdir(), 'robust-store-'));
    resident = worker('resident', { lock: 2 });
    await resident.said('takes jobs');
    await report;
    expect(bytesOf(folder)).toBe(await localBytes(60));
    expect(await ended(resident)).toEqual([0]);
    // From here on a folder that both see.
    resident = worker('resident', { lock: 2, store });
    const shared = await coordinate(redis.url, 61, { store });
    await shared.report;
    expect(bytesOf(shared.folder)).toBe(await localBytes(61));
    expect(await ended(resident)).toEqual([0]);
  });

  test('is drained: its coordinator stops with what is done kept, and goes on later, but not while the queue is paused', async () => {
    const { folder, report } = await coordinate(redis.url, 51);
    const drained = expect(report).rejects.toMatchObject({ code: 'INTERRUPTED' });
    let status = await administer(redis.url, '0', 'status', undefined, () => {});
    while (!status.runs.some(({ run }) => run === folder.id) || status.jobs.waiting === 0) {
      await pause(20);
      status = await administer(redis.url, '0', 'status', undefined, () => {});
    }
    expect(status.runs).toContainEqual(expect.objectContaining({ run: folder.id, stage: 'clean', done: 0 }));
    await expect(administer(redis.url, '0', 'retry', 'nobody', () => {})).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
    await administer(redis.url, '0', 'drain', folder.id, () => {});
    await drained;
    expect((await administer(redis.url, '0', 'pause', undefined, () => {})).paused).toBe(true);
    const patient = worker('patient');
    const { report: resumed } = await coordinate(redis.url, 51, { folder });
    do {
      await pause(20);
      status = await administer(redis.url, '0', 'status', undefined, () => {});
    } while (status.jobs.waiting === 0 || status.workers.length === 0);
    expect(status).toMatchObject({ paused: true, jobs: { active: 0 } });
    expect(status.runs).toContainEqual(expect.objectContaining({ run: folder.id, stage: 'clean', done: 0 }));
    expect((await administer(redis.url, '0', 'resume', undefined, () => {})).paused).toBe(false);
    await resumed;
    expect(bytesOf(folder)).toBe(await localBytes(51));
    expect(await ended(patient)).toEqual([0]);
  });

  test('goes on where a worker cannot take part, and that one says why', async () => {
    await ended(resident); // It would leave the unfit worker nothing to do.
    const unfit = worker('unfit', { env: { ROBUST_TEST_REFUSES: '1' } });
    const { folder, report } = await coordinate(redis.url, 30);
    await unfit.said(`run ${folder.id} is set aside: WORKER_UNFIT: not here`);
    const one = worker('one');
    await report;
    expect(bytesOf(folder)).toBe(await localBytes(30));
    expect(await ended(one, unfit)).toEqual([0, 0]);
  });

  test.each(['QUEUE_PLUGIN_NOT_FOUND', 'QUEUE_DAMAGED'])(
    'a bad plan fails, is kept and named, and the worker continues other runs: %s',
    async (code) => {
      const one = worker('one');
      const bad = await coordinate(redis.url, 22, { refusedAs: code });
      const good = await coordinate(redis.url, 23);
      await expect(bad.report).rejects.toMatchObject({
        code: 'QUEUE_PARTS_FAILED',
        message: expect.stringContaining(`run ${bad.folder.id} was set aside: ${code}: a bad plan`),
      });
      const { failures, jobs } = await administer(redis.url, '0', 'status', undefined, () => {});
      expect(failures).toContain(`run ${bad.folder.id} was set aside: ${code}: a bad plan`);
      expect(jobs.failed).toBeGreaterThan(0);
      await good.report;
      expect(bytesOf(good.folder)).toBe(await localBytes(23));
      expect(await ended(one)).toEqual([0]);
    },
  );

  test('a plan whose opening takes processes down ends no worker', async () => {
    const one = worker('one');
    const stop = new AbortController();
    const bad = await coordinate(redis.url, 24, { refusedAs: 'SIGKILL', hooks: { signal: stop.signal } });
    const stopped = expect(bad.report).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await one.said(`run ${bad.folder.id} is set aside: MODEL_CRASHED`);
    const good = await coordinate(redis.url, 25);
    await good.report;
    expect(bytesOf(good.folder)).toBe(await localBytes(25));
    stop.abort();
    await stopped;
    expect(await ended(one)).toEqual([0]);
  });

  test('refuses workers of another version, and invalid jobs', async () => {
    await ended(resident); // The run must wait until the other worker has looked at it.
    const { folder, report } = await coordinate(redis.url, 20);
    const broker = await openBroker(redis.url, '0', () => {});
    while ((await broker.redis.exists(keys.run(folder.id))) === 0) await pause(20);
    const other = worker('other', { env: { ROBUST_TEST_VERSION: '9' } });
    expect(await other.ended).toBe(3);
    expect(other.output()).toMatch(/^WORKER_UNFIT: .* are of robust 0, this worker is 9/m);
    const forged = await broker.queue.add('search', {
      run: folder.id,
      plan: '../../etc/passwd',
      job: { kind: 'import' },
    });
    const one = worker('one');
    await report;
    await one.said('was not written by robust');
    expect(await broker.queue.getJobState(forged.id as string)).toBe('failed');
    await forged.remove();
    await broker.close();
    expect(await ended(one)).toEqual([0]);
  });
});

test('a broker that is not there, or is set up to forget, is refused at once', async () => {
  const nobody = () => {};
  await expect(openBroker('http://127.0.0.1:1', '0', nobody)).rejects.toMatchObject({
    code: 'ADDRESS_INVALID',
    exit: 2,
  });
  const refused = openBroker('redis://user:secret@127.0.0.1:1', '0', nobody);
  await expect(refused).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE', exit: 3 });
  await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
  if (!hasRedis) return;
  const forgetful = await testRedis('--maxmemory-policy', 'allkeys-lru');
  await expect(openBroker(forgetful.url, '0', nobody)).rejects.toMatchObject({ code: 'REDIS_UNSUPPORTED', exit: 2 });
  await forgetful.kill();
  const warnings: string[] = [];
  const bare = await testRedis('--maxmemory-policy', 'noeviction', '--appendonly', 'no', '--requirepass', 'secret');
  await expect(openBroker(bare.url, '0', nobody)).rejects.toMatchObject({
    code: 'QUEUE_UNREACHABLE',
    hint: expect.stringContaining('password'),
  });
  const broker = await openBroker(bare.url.replace('//', '//default:secret@'), '0', (line) => warnings.push(line));
  expect(warnings).toEqual([expect.stringContaining('append-only')]);
  await broker.close();
  await bare.kill();
});
