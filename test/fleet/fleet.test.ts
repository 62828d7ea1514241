/** Coordinator and workers as processes on a Redis of their own: whatever happens to them, the run is the one that a single process makes. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administerQueue } from '../../src/app/queue/administer.js';
import { hashOf } from '../../src/fleet/content.js';
import { thisMachine } from '../../src/fleet/machines.js';
import { packDelivery, unpackDelivery } from '../../src/fleet/messages.js';
import { SETUP } from '../../src/fleet/processor.js';
import { keys, openBroker } from '../../src/fleet/redis.js';
import type { Report } from '../../src/results/report/report.js';
import { fingerprint, openRun, type RunPlan, readReport } from '../../src/run/index.js';
import { covered, WHOLE } from '../cover.js';
import { hasRedis, type TestRedis, testRedis } from './redis.js';
import { letters, toyPlan } from './toy-plan.mjs';
import { bytesOf, coordinate, localBytes, type ToyWorker, toyWorker } from './toys.js';

/** Of a run of so many examples on the queue. */
const nameOf = (count: number): string =>
  hashOf(JSON.stringify(fingerprint(toyPlan(letters(count)) as unknown as RunPlan)));

const childrenOf = ({ process: { pid } }: ToyWorker): number[] =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

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
    let orphans: number[] = [];
    const count = WHOLE ? 1100 : 300;
    const run = await coordinate(redis.url, count, {
      wait: 2,
      hooks: {
        progress: ({ stage, done }) => {
          if (stage !== 'attack' || done <= count / 2) return;
          if (!killed.process.killed) orphans = childrenOf(killed);
          killed.process.kill('SIGKILL');
          soFar ??= openRun(join(run.folder.path, '..'), run.folder.id).then((now) => readReport(now, { soFar: true }));
        },
      },
    });
    const { folder, report } = run;
    expect((await report).attacks.map(({ errored }) => errored)).toEqual([0, 0]);
    expect(bytesOf(folder)).toBe(await localBytes(count));
    expect(folder.record.machines?.reduce((sum, { outcomes }) => sum + outcomes, 0)).toBe(2 * count);
    expect(await killed.ended).toBe('SIGKILL');
    // Its processes notice that they are alone.
    expect(orphans.length).toBeGreaterThan(0);
    while (orphans.some(isAlive)) await pause(20);
    const during = await soFar;
    expect(during?.verdict).toBe('inconclusive');
    expect(during?.reasons?.join()).toContain(` of ${2 * count} outcomes`);
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
    const { report } = await coordinate(redis.url, 60, { wait: 1500 });
    const failed = expect(report).rejects.toMatchObject({
      code: 'NOT_DETERMINISTIC',
      message: expect.stringMatching(/process 7 on second found something else than process \d+ on resident/),
    });
    const broker = await openBroker(redis.url, '0', () => {});
    /** A job of searches with an outcome. */
    const underWay = async (): Promise<readonly [id: string, entry: string]> => {
      for (;;) {
        for (const { id = '', name } of await broker.queue.getJobs(['active'])) {
          const [entry] = name === 'search' ? (await broker.queue.getJobLogs(id)).logs : [];
          if (entry !== undefined) return [id, entry];
        }
        await pause(20);
      }
    };
    const [id, entry] = await underWay();
    const delivery = unpackDelivery(entry);
    const second = { ...delivery, machine: { ...thisMachine('0', '1'), host: 'second', pid: 7 } };
    const send = (entry: string) => broker.queue.addJobLog(id, entry);
    const [line = ''] = delivery.found.split('\n');
    await send('no delivery');
    await send(packDelivery({ ...second, found: line.replace(/"index":\d+/, '"index":99') }));
    await send(packDelivery({ ...second, found: `${line}\n` }));
    await send(packDelivery({ ...second, found: `${line.replace('"words":1', '"words":2')}\n` }));
    await failed;
    await broker.close();
  });

  test('a worker that freezes, and returns once others have done its shards, delivers nothing and goes on', async () => {
    const frozen = worker('frozen', { lock: 2 });
    await frozen.said('takes jobs');
    let pids: number[] = [];
    const signal = (name: NodeJS.Signals) => {
      for (const pid of pids) process.kill(pid, name);
    };
    const { folder, report } = await coordinate(redis.url, 300, {
      wait: 5,
      hooks: {
        progress: ({ stage }) => {
          if (stage !== 'attack' || pids.length > 0) return;
          const { pid = 0 } = frozen.process;
          pids = [pid, ...childrenOf(frozen)];
          signal('SIGSTOP');
        },
      },
    });
    await report;
    expect(bytesOf(folder)).toBe(await localBytes(300));
    signal('SIGCONT');
    await ended(resident);
    const next = await coordinate(redis.url, 30);
    await next.report;
    expect(bytesOf(next.folder)).toBe(await localBytes(30));
    expect(frozen.output()).not.toContain('set aside');
    expect(await ended(frozen)).toEqual([0]);
    resident = worker('resident', { lock: 2 });
  });

  test('is led by one coordinator, and resumed where it was stopped', async () => {
    const stop = new AbortController();
    const hooks = {
      signal: stop.signal,
      progress: ({ stage }: { stage: string }) => stage === 'attack' && stop.abort(),
    };
    const { folder, report } = await coordinate(redis.url, 50, { wait: 300, hooks });
    const interrupted = expect(report).rejects.toMatchObject({ code: 'INTERRUPTED' });
    const led = async () => (await administerQueue(redis.url, 'status', () => {}, '0')).runs;
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

  test('is taken over without its folder: the same command goes on with what Redis holds', async () => {
    const stop = new AbortController();
    const hooks = {
      signal: stop.signal,
      progress: ({ stage, done }: { stage: string; done: number }) => stage === 'attack' && done > 50 && stop.abort(),
    };
    const { folder, report } = await coordinate(redis.url, 250, { wait: 5, hooks });
    await expect(report).rejects.toMatchObject({ code: 'INTERRUPTED' });
    rmSync(folder.path, { recursive: true });
    const done: number[] = [];
    const second = await coordinate(redis.url, 250, {
      wait: 5,
      hooks: { progress: ({ stage, done: now }) => void (stage === 'attack' && done.push(now)) },
    });
    await second.report;
    expect(bytesOf(second.folder)).toBe(await localBytes(250));
    const broker = await openBroker(redis.url, '0', () => {});
    expect(await broker.redis.keys(`*${nameOf(250)}*`)).toEqual([]);
    await broker.close();
  });

  test('keeps the results of a worker that receives a signal to stop', async () => {
    const first = resident;
    await first.said('takes jobs');
    const stopOnce = ({ stage }: { stage: string }) => {
      if (stage === 'attack' && !first.process.killed) first.process.kill('SIGTERM');
    };
    const { folder, report } = await coordinate(redis.url, 60, {
      wait: 150,
      hooks: { progress: stopOnce },
    });
    expect(await first.ended).toBe(0);
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

  test('a run waits while the queue is paused', async () => {
    await administerQueue(redis.url, 'pause', () => {}, '0');
    const patient = worker('patient');
    const { folder, report } = await coordinate(redis.url, 51);
    let status = await administerQueue(redis.url, 'status', () => {}, '0');
    for (; status.jobs.waiting === 0 || status.workers.length === 0; await pause(20))
      status = await administerQueue(redis.url, 'status', () => {}, '0');
    expect(status).toMatchObject({ paused: true, jobs: { active: 0 } });
    expect(status.runs).toContainEqual(expect.objectContaining({ run: folder.id, stage: 'clean', done: 0 }));
    expect((await administerQueue(redis.url, 'resume', () => {}, '0')).paused).toBe(false);
    await report;
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
    expect(await ended(one)).toEqual([0]);
    // Of a run that nine others set aside it is the tenth.
    const broker = await openBroker(redis.url, '0', () => {});
    await broker.redis.sadd(keys.refusals(nameOf(31)), ...'abcdefghi');
    await expect((await coordinate(redis.url, 31)).report).rejects.toMatchObject({
      code: 'QUEUE_PARTS_FAILED',
      message: expect.stringContaining('set aside: WORKER_UNFIT'),
    });
    await broker.close();
    expect(await ended(unfit)).toEqual([0]);
  });

  test.each(covered(['QUEUE_PLUGIN_NOT_FOUND', 'QUEUE_DAMAGED'], 0, 2))(
    'a bad plan fails, is kept and named, the worker continues other runs, and the corrected plan resumes: %s',
    async (code) => {
      const one = worker('one');
      const bad = await coordinate(redis.url, 22, { refusedAs: code });
      const good = await coordinate(redis.url, 23);
      await expect(bad.report).rejects.toMatchObject({
        code: 'QUEUE_PARTS_FAILED',
        message: expect.stringContaining(`run ${bad.folder.id} was set aside: ${code}: a bad plan`),
      });
      const { failures, jobs } = await administerQueue(redis.url, 'status', () => {}, '0');
      expect(failures).toContain(`run ${bad.folder.id} was set aside: ${code}: a bad plan`);
      expect(jobs.failed).toBeGreaterThan(0);
      await good.report;
      expect(bytesOf(good.folder)).toBe(await localBytes(23));
      await (await coordinate(redis.url, 22, { folder: bad.folder })).report;
      expect(bytesOf(bad.folder)).toBe(await localBytes(22));
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
    while ((await broker.redis.scard(keys.runs)) === 0) await pause(20);
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
    await one.said('not a job of robust');
    expect(await broker.queue.getJobState(forged.id as string)).toBe('failed');
    await forged.remove();
    await broker.close();
    expect(await ended(one)).toEqual([0]);
  });
});

test('a process whose worker ended before it had begun ends too', async () => {
  const file = fileURLToPath(new URL('toy-processor.mjs', import.meta.url));
  const setup = { queue: 'redis://127.0.0.1:1', store: null, access: null, machine: thisMachine('0', '1') };
  const alone = spawn(process.execPath, [file], { env: { ...process.env, [SETUP]: JSON.stringify(setup) } });
  expect(await once(alone, 'exit')).toEqual([null, 'SIGKILL']);
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
