/**
 * A run on a queue while its workers, its broker and its coordinator are killed again and again (kill -9), by a seeded plan. It must end with
 * the bytes of a run in one process, and a fault may cost no more than a few seconds of a worker's work.
 *
 * Five minutes of faults; ROBUST_CHAOS_SECONDS and ROBUST_CHAOS_EXAMPLES try less. ROBUST_CHAOS_AOF=no: Redis forgets all when it is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { random } from '../../src/core/random.js';
import { folder, robustProcess } from '../commands/cli.js';
import { hasRedis, testRedis } from '../fleet/redis.js';

const DATA = join(packageRoot, '..', 'shared', 'data', 'sst2', 'train-sentences.tsv');
const SECONDS = Number(process.env.ROBUST_CHAOS_SECONDS ?? 300);
const EXAMPLES = process.env.ROBUST_CHAOS_EXAMPLES ?? '2000';
const AOF = process.env.ROBUST_CHAOS_AOF ?? 'yes';
const EVERY_SECONDS = 5;
/** A job is another's after so long without a sign of life. */
const LOCK_SECONDS = 10;
/** Lines are delivered each second; a search under way and the opening of the model are lost with them, and all shards under way with a Redis that forgets. */
const MOST_LOST_SECONDS = AOF === 'yes' ? 10 : 30;
const SEED = 42;

/** A process in a group of its own, with what it says. */
interface Member {
  readonly child: ChildProcess;
  said(): string;
  readonly ended: Promise<number | string>;
}

const members: Member[] = [];
const bin = join(packageRoot, 'bin', 'run.js');

function member(cwd: string, env: Record<string, string>, ...args: readonly string[]): Member {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: [...stdio],
  });
  let said = '';
  child.stdout?.on('data', (text) => (said += text));
  child.stderr?.on('data', (text) => (said += text));
  const ended = new Promise<number | string>((resolve) =>
    child.once('exit', (code, name) => resolve(name ?? code ?? -1)),
  );
  const made = { child, said: () => said, ended };
  members.push(made);
  return made;
}

const alive = ({ child }: Member): boolean => child.exitCode === null && child.signalCode === null;

/** To a process and those that it began. */
function toGroup({ child }: Member, signal: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid as number), signal);
  } catch {
    // It is gone.
  }
}

afterAll(() => {
  for (const each of members) toGroup(each, 'SIGKILL');
});

/** Has each process that it is given to note the texts that its model computes, before it computes them. */
const counting = (file: string): Record<string, string> => ({
  NODE_OPTIONS: `--require ${join(packageRoot, 'test', 'slow', 'count-texts.cjs')}`,
  ROBUST_TEST_TEXTS: file,
});
const textsIn = (file: string): number =>
  readFileSync(file, 'utf8')
    .split('\n')
    .reduce((sum, each) => sum + Number(each), 0);

const runsIn = (cwd: string): string => join(cwd, '.robust', 'runs');
const journalIn = (cwd: string, run: string): string => readFileSync(join(runsIn(cwd), run, 'results.jsonl'), 'utf8');
const theRun = (cwd: string): string =>
  existsSync(runsIn(cwd))
    ? (readdirSync(runsIn(cwd)).find((name) => name !== 'latest' && !name.startsWith('.')) ?? '')
    : '';

const ready = hasRedis && existsSync(DATA);
if (!ready) console.warn('skipped: needs redis-server and ../shared/data/sst2');

test.skipIf(!ready)('kills at random for five minutes change nothing', async () => {
  const attack = ['attack', '-m', 'bert-mini', '-d', DATA, '-s', 'typos', '-n', EXAMPLES];
  const local = folder();
  const [once, computed] = [join(local, 'texts'), join(local, 'texts-of-all')];
  expect((await robustProcess(attack, { cwd: local, env: counting(once) })).code).toBe(0);
  const expected = journalIn(local, theRun(local));

  const redis = await testRedis('--maxmemory-policy', 'noeviction', '--appendfsync', 'everysec', '--appendonly', AOF);
  const chance = random(SEED, 'faults');
  const home = folder();
  const queue = ['--queue', redis.url];
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  const log = (what: string): void => console.log(`${seconds().toFixed(1)} s: ${what}`);

  let coordinator = member(home, {}, ...attack, ...queue);
  const startWorker = (name: string): Member => {
    const cwd = folder();
    mkdirSync(join(cwd, 'cache'));
    log(`worker ${name} begins`);
    const about = ['--runtime', 'concurrency=2', '--runtime', 'workers=1', '--lock', String(LOCK_SECONDS)];
    return member(cwd, counting(computed), 'worker', ...queue, '--cache', join(cwd, 'cache'), ...about);
  };
  const workers = new Map([
    ['a', startWorker('a')],
    ['b', startWorker('b')],
  ]);
  let frozen: string | undefined;
  const kills = { workers: 0, redis: 0, coordinator: 0, frozen: 0 };
  const killWorker = async (): Promise<void> => {
    const names = [...workers.keys()].filter((name) => name !== frozen);
    const name = names[chance.int(names.length)] as string;
    const worker = workers.get(name) as Member;
    // Its processes must notice by themselves that they are alone.
    if (chance.int(2) === 0) worker.child.kill('SIGKILL');
    else toGroup(worker, 'SIGKILL');
    kills.workers++;
    await worker.ended;
    workers.set(name, startWorker(name));
  };
  const killRedis = async (): Promise<void> => {
    log('Redis is killed');
    await redis.kill();
    kills.redis++;
    await pause(2000);
    await redis.start();
  };
  const killCoordinator = async (): Promise<void> => {
    log('the coordinator is killed');
    toGroup(coordinator, 'SIGKILL');
    kills.coordinator++;
    await coordinator.ended;
    coordinator = member(home, {}, 'attack', '--resume', theRun(home), ...queue);
  };
  const freeze = async (): Promise<void> => {
    frozen = 'a';
    const worker = workers.get(frozen) as Member;
    log('worker a is frozen');
    toGroup(worker, 'SIGSTOP');
    kills.frozen++;
    setTimeout(() => {
      log('worker a goes on');
      toGroup(worker, 'SIGCONT');
      frozen = undefined;
    }, 1500 * LOCK_SECONDS);
  };
  /** Besides the worker killed every few seconds, by the share of the time. */
  const plan: readonly (readonly [at: number, fault: () => Promise<void>])[] = [
    [0.1, async () => void workers.set('late', startWorker('late'))],
    [0.2, killRedis],
    [0.35, freeze],
    [0.5, killCoordinator],
    [0.7, killRedis],
  ];
  const due = [...plan];
  let next = 4 * EVERY_SECONDS;
  while (seconds() < SECONDS && alive(coordinator)) {
    await pause(100);
    if (seconds() < next) continue;
    next += EVERY_SECONDS;
    const [first] = due;
    if (first !== undefined && seconds() >= first[0] * SECONDS) {
      due.shift();
      await first[1]();
    } else await killWorker();
  }
  log(`no more faults: ${JSON.stringify(kills)}`);
  const code = await coordinator.ended;
  log('the coordinator has ended');
  const computing = seconds();
  expect(code, coordinator.said()).toBe(0);
  for (const worker of workers.values()) worker.child.kill('SIGTERM');
  expect(await Promise.all([...workers.values()].map(({ ended }) => ended))).toEqual([0, 0, 0]);
  await redis.kill();

  expect(due, 'faults that were not tried').toEqual([]);
  expect(journalIn(home, theRun(home)) === expected, 'byte for byte the run of one process').toBe(true);
  // What was computed again, as seconds of a worker at the speed of this very run, which other load slows down as much.
  const [needed, all] = [textsIn(once), textsIn(computed)];
  const perSecond = all / (computing * workers.size);
  const lost = (all - needed) / perSecond / (kills.workers + kills.redis + kills.coordinator + kills.frozen);
  log(`${needed} texts, ${all - needed} of them computed again: ${lost.toFixed(1)} s of a worker for each fault`);
  expect(lost).toBeLessThan(MOST_LOST_SECONDS);
});
