/**
 * @file Measures the cost of a queue: one worker of one thread over the same run in one process of one thread, two workers over one, and
 * the load of each job on Redis. Needs redis-server.
 *
 *     npm run bench dist/bench/fleet-throughput.js [-- EXAMPLES [TURNS [MODEL]]]
 *
 * The kinds take turns, TURNS times, after a warm-up run of each. Figures are medians of the wall time from the end of the clean pass to
 * the last outcome, and of the processor time of all processes. One worker with a small model keeps more than one core busy, so two on two
 * cores cannot be twice as fast; the share of the model's thread sets the limit. On a busy machine, read the processor time and the idle
 * time (without a job) of workers.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { attack } from '../src/api.js';
import { packageRoot } from '../src/core/package-root.js';
import { openBroker } from '../src/fleet/redis.js';

const bin = join(packageRoot, 'bin', 'run.js');
const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] as number;

/** Linux counts processor time in hundredths of a second. */
const TICKS = 100;

/** Processor seconds of a process and all that it began, so far. */
function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  // utime, stime, and those of children that ended (proc(5)).
  const own = [11, 12, 13, 14].reduce((sum, at) => sum + (fields[at] as number), 0) / TICKS;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + safely(() => processorSeconds(Number(child))), own);
}

/** Processor seconds of the threads of this process, so far. */
const threads = (): Map<string, number> =>
  new Map(
    readdirSync('/proc/self/task').map((thread) => {
      const seconds = safely(() => {
        const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return (Number(fields[11]) + Number(fields[12])) / TICKS;
      });
      return [thread, seconds];
    }),
  );

function safely(measure: () => number): number {
  try {
    return measure();
  } catch {
    return 0; // It ended meanwhile.
  }
}

async function redisServer(): Promise<{ url: string; child: ChildProcess }> {
  const port = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
  const dir = mkdtempSync(join(tmpdir(), 'robust-bench-redis-'));
  const settings = ['--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'yes'];
  const child = spawn('redis-server', ['--port', String(port), ...settings, '--maxmemory-policy', 'noeviction'], {
    stdio: 'ignore',
  });
  for (;;) {
    const up = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.unref();
    });
    if (up) return { url: `redis://127.0.0.1:${port}`, child };
    await pause(50);
  }
}

interface BenchWorker {
  readonly child: ChildProcess;
  /** Seconds without a job, so far. */
  idle(): Promise<number>;
}

async function worker(queue: string): Promise<BenchWorker> {
  const cwd = mkdtempSync(join(tmpdir(), 'robust-bench-worker-'));
  const own = ['--runtime', 'workers=1', '--cache', join(cwd, 'cache'), '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, [bin, 'worker', '--queue', queue, ...own], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (text) => (said += text));
  while (!said.includes('takes jobs')) await pause(20);
  const url = /figures at (\S+)/.exec(said)?.[1] as string;
  return {
    child,
    async idle() {
      const text = await (await fetch(url)).text();
      return Number(/^robust_worker_idle_seconds_total\S* (\S+)$/m.exec(text)?.[1]);
    },
  };
}

interface Took {
  readonly wall: number;
  readonly processor: number;
  /** The part of the busiest thread: the model's, in a run in one process. */
  readonly busiest: number;
  /** Share of the wall time in which a worker had no job. */
  readonly idle: number;
}

interface Fleet {
  readonly queue: string;
  readonly redis: ChildProcess;
  readonly workers: readonly BenchWorker[];
}

async function fleet(workers: number): Promise<Fleet> {
  const { url, child } = await redisServer();
  return { queue: url, redis: child, workers: await Promise.all(Array.from({ length: workers }, () => worker(url))) };
}

async function measured(examples: number, model: string, by?: Fleet): Promise<Took> {
  const now = () => {
    const { user, system } = process.cpuUsage();
    const others = by === undefined ? [] : [by.redis, ...by.workers.map(({ child }) => child)];
    const processor = (user + system) / 1e6 + others.reduce((sum, { pid = 0 }) => sum + processorSeconds(pid), 0);
    return {
      at: performance.now(),
      processor,
      threads: threads(),
      idle: Promise.all((by?.workers ?? []).map((each) => each.idle())),
    };
  };
  let cleanOver = now();
  let last = cleanOver;
  await attack({
    model,
    suites: ['typos'],
    numExamples: examples,
    ...(by === undefined ? { workers: 1 } : { queue: by.queue }),
    onProgress(progress) {
      if (!('stage' in progress)) return;
      if (progress.stage === 'clean' && progress.done === progress.total) cleanOver = now();
      else if (progress.stage === 'attack' && progress.done === progress.total) last = now();
    },
  });
  const [before, after] = [await cleanOver.idle, await last.idle];
  const idle = after.reduce((sum, each, at) => sum + each - (before[at] as number), 0);
  const wall = (last.at - cleanOver.at) / 1000;
  return {
    wall,
    processor: last.processor - cleanOver.processor,
    busiest: Math.max(...[...last.threads].map(([thread, seconds]) => seconds - (cleanOver.threads.get(thread) ?? 0))),
    idle: idle / Math.max(1, after.length) / wall,
  };
}

/** Commands and bytes of Redis, so far. */
async function redisFigures(queue: string): Promise<{ commands: number; bytes: number; jobs: number }> {
  const broker = await openBroker(queue, 'bench', () => {});
  const info = await broker.redis.info();
  const value = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const calls = /^cmdstat_zadd:calls=(\d+)/m.exec(await broker.redis.info('commandstats'))?.[1];
  await broker.close();
  return { commands: value('total_commands_processed'), bytes: value('used_memory'), jobs: Number(calls ?? 0) };
}

/** Commands for each job from its giving out to its end, and bytes while it waits. */
async function perJob(queue: string): Promise<{ commands: number; bytes: number }> {
  const JOBS = 1000;
  const sha = '0'.repeat(64);
  const job = {
    kind: 'search',
    from: 9_999_000,
    to: 9_999_064,
    attacks: ['deepwordbug', 'pruthi', 'textbugger'],
    segment: 9_998_336,
  };
  const broker = await openBroker(queue, 'bench-jobs', () => {});
  const data = {
    run: '20261120T211400Z-ab12cd',
    plan: sha,
    suspect: false,
    job: { ...job, texts: sha, answers: sha, common: sha },
  };
  const [empty] = [await redisFigures(queue)];
  for (let at = 0; at < JOBS; at++) {
    const options = { jobId: `${data.run}.search.${at}`, attempts: 3, removeOnComplete: true };
    await broker.queue.add('search', data, { ...options, backoff: { type: 'exponential', delay: 1000 } });
  }
  const full = await redisFigures(queue);
  let done = 0;
  const consumer = broker.worker(
    async ({ id }) => {
      // The worker's additional commands.
      await broker.redis.hget('robust:strikes:bench', id);
      await broker.redis.hincrby('robust:strikes:bench', id, 1);
      await broker.redis.hgetall('robust:run:bench');
      await broker.redis.getBuffer(`robust:delivered:${id}`);
      await broker.redis.set(`robust:delivered:${id}`, 'x', 'EX', 60);
      await broker.redis.hdel('robust:strikes:bench', id);
      await broker.redis.del(`robust:delivered:${id}`);
      done++;
    },
    { concurrency: 2, lock: 60_000 },
  );
  void consumer.run();
  while (done < JOBS) await pause(20);
  await consumer.close();
  const over = await redisFigures(queue);
  await broker.close();
  return { commands: (over.commands - empty.commands) / JOBS, bytes: (full.bytes - empty.bytes) / JOBS };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [examples = 200, turns = 3] = process.argv.slice(2, 4).map(Number);
  const model = process.argv[4] === undefined ? 'bert-mini' : resolve(process.argv[4]);
  process.chdir(mkdtempSync(join(tmpdir(), 'robust-bench-')));
  const fleets = [await fleet(1), await fleet(2)] as const;
  const kinds = { direct: [] as Took[], one: [] as Took[], two: [] as Took[] };
  for (let turn = 0; turn <= turns; turn++) {
    for (const [kind, by] of Object.entries({ direct: undefined, one: fleets[0], two: fleets[1] })) {
      const took = await measured(examples, model, by);
      if (turn > 0) kinds[kind as keyof typeof kinds].push(took);
    }
  }
  const of = (kind: keyof typeof kinds, what: keyof Took): number => median(kinds[kind].map((each) => each[what]));
  const ratio = (a: number, b: number): string => (a / b).toFixed(3);
  const cores = (kind: keyof typeof kinds): number => median(kinds[kind].map((each) => each.processor / each.wall));
  console.log(`${examples} examples, ${basename(model)}, ${turns} turns, medians; throughput by wall time:`);
  console.log(`one worker on the queue over one process: ${ratio(of('direct', 'wall'), of('one', 'wall'))}`);
  console.log(`two workers over one: ${ratio(of('one', 'wall'), of('two', 'wall'))}`);
  const all = availableParallelism();
  console.log(`one kept ${cores('one').toFixed(2)} of ${all} cores busy, one process ${cores('direct').toFixed(2)}`);
  const share = median(kinds.direct.map(({ busiest, processor }) => busiest / processor));
  console.log(
    `of the processor time of one process ${(100 * share).toFixed(0)} % is its busiest thread's, which is the model's: were it never to wait, one would keep ${(1 / share).toFixed(2)} cores busy, and two be ${Math.min(2, all * share).toFixed(2)} times as fast`,
  );
  console.log('processor time for the same work:');
  console.log(`one process over one worker on the queue: ${ratio(of('direct', 'processor'), of('one', 'processor'))}`);
  console.log(`one worker over two: ${ratio(of('one', 'processor'), of('two', 'processor'))}`);
  const percent = (kind: 'one' | 'two'): string => `${(100 * of(kind, 'idle')).toFixed(1)} %`;
  console.log(`a worker without a job: ${percent('one')} of the time where it is alone, ${percent('two')} of two`);
  for (const { workers } of fleets) for (const { child } of workers) child.kill('SIGTERM');
  const { commands, bytes } = await perJob(fleets[0].queue);
  console.log(`Redis: ${commands.toFixed(1)} commands a job, ${bytes.toFixed(0)} bytes a job that waits`);
  for (const { redis } of fleets) redis.kill('SIGTERM');
}
