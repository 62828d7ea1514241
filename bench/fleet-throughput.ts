/**
 * @file What a queue costs: a run by one worker of one thread over the same run in one process of one thread, two such workers over one, and
 * what each job costs Redis (redis-server must be installed).
 *
 *     npm run bench dist/bench/fleet-throughput.js [-- EXAMPLES [TURNS]]
 *
 * Of each kind in turn, TURNS times: wall time from the end of the clean pass to the last outcome, when models are loaded; medians. On a busy machine
 * read the processor time instead, which all processes of a run took together from its beginning to its end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

async function worker(queue: string): Promise<ChildProcess> {
  const cwd = mkdtempSync(join(tmpdir(), 'robust-bench-worker-'));
  const args = ['worker', '--queue', queue, '--workers', '1', '--cache', join(cwd, 'cache')];
  const child = spawn(process.execPath, [bin, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (text) => (said += text));
  while (!said.includes('takes jobs')) await pause(20);
  return child;
}

interface Took {
  readonly wall: number;
  readonly processor: number;
}

async function measured(examples: number, queue: string | undefined, workers: readonly ChildProcess[]): Promise<Took> {
  const all = (): number =>
    process.cpuUsage().user / 1e6 +
    process.cpuUsage().system / 1e6 +
    workers.reduce((sum, { pid = 0 }) => sum + processorSeconds(pid), 0);
  const before = all();
  let cleanOver = 0;
  let last = 0;
  await attack({
    model: 'bert-mini',
    suites: ['typos'],
    numExamples: examples,
    ...(queue === undefined ? { workers: 1 } : { queue }),
    onProgress(now) {
      if (!('stage' in now)) return;
      if (now.stage === 'clean') cleanOver = performance.now();
      else last = performance.now();
    },
  });
  return { wall: (last - cleanOver) / 1000, processor: all() - before };
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
  const task = {
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
    task: { ...task, texts: sha, answers: sha, common: sha },
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
      // What a worker of ours asks besides.
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
  const [examples = 200, turns = 3] = process.argv.slice(2).map(Number);
  process.chdir(mkdtempSync(join(tmpdir(), 'robust-bench-')));
  const { url, child } = await redisServer();
  const workers = [await worker(url)];
  const kinds = { direct: [] as Took[], one: [] as Took[], two: [] as Took[] };
  for (let turn = 0; turn < turns; turn++) {
    kinds.direct.push(await measured(examples, undefined, []));
    kinds.one.push(await measured(examples, url, workers));
    workers.push(await worker(url));
    kinds.two.push(await measured(examples, url, workers));
    workers.pop()?.kill('SIGTERM');
  }
  const of = (kind: keyof typeof kinds, what: keyof Took): number => median(kinds[kind].map((each) => each[what]));
  const ratio = (a: number, b: number): string => (a / b).toFixed(3);
  console.log(`${examples} examples, ${turns} turns, medians; throughput by wall time:`);
  console.log(`one worker on the queue over one process: ${ratio(of('direct', 'wall'), of('one', 'wall'))}`);
  console.log(`two workers over one: ${ratio(of('one', 'wall'), of('two', 'wall'))}`);
  console.log('work for the same run by processor time of all processes, with their start-up:');
  console.log(`one process over one worker on the queue: ${ratio(of('direct', 'processor'), of('one', 'processor'))}`);
  console.log(`one worker over two: ${ratio(of('one', 'processor'), of('two', 'processor'))}`);
  for (const each of workers) each.kill('SIGTERM');
  const { commands, bytes } = await perJob(url);
  console.log(`Redis: ${commands.toFixed(1)} commands a job, ${bytes.toFixed(0)} bytes a job that waits`);
  child.kill('SIGTERM');
}
