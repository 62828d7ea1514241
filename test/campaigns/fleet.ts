/**
 * @file kill -9 of workers, coordinator and Redis while three workers compute a run of toys: its journal must equal, byte for byte, that of a run in
 * one process. Redis keeps an append-only file in every other trial, and forgets all in the others.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { packageRoot } from '../../src/core/package-root.js';
import { testRedis } from '../fleet/redis.js';
import type { Campaign, Trial } from './campaign.js';

const EXAMPLES = 600;
const SEARCH_MS = 300;
const LOCK_SECONDS = 2;
const KILLS = 4;
const MOST_MS = 600_000;

const toy = (name: string, env: NodeJS.ProcessEnv, ...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [join(packageRoot, 'test', 'fleet', name), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });

/** Exit code of a process that found no Redis. */
const UNREACHABLE = 3;

/** A process that begins again when it was killed or found no Redis. */
class Kept {
  #child: ChildProcess;
  #wanted = true;
  #end = (_: number): void => {};
  /** Its exit code, once it ends by itself. */
  readonly ended = new Promise<number>((resolve) => {
    this.#end = resolve;
  });

  constructor(private readonly begin: () => ChildProcess) {
    this.#child = this.#begun();
  }

  #begun(): ChildProcess {
    return this.begin().once('exit', (code) => {
      if (code !== null && code !== UNREACHABLE) this.#end(code);
      else if (this.#wanted) this.#child = this.#begun();
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  end(): void {
    this.#wanted = false;
    this.kill();
  }
}

const runIn = (root: string): string | undefined =>
  existsSync(root) ? readdirSync(root).find((name) => existsSync(join(root, name, 'run.json'))) : undefined;
const journalIn = (root: string): string => readFileSync(join(root, runIn(root) ?? '', 'results.jsonl'), 'utf8');

export const fleet: Campaign = {
  name: 'fleet',
  summary: 'kill -9 of workers, coordinator and Redis in runs of three workers: the bytes of one process',
  count: 26,
  async open(home) {
    const root = join(home, 'undisturbed');
    await new Kept(() => toy('toy-coordinator.mjs', {}, '-', root, String(EXAMPLES), '0')).ended;
    const expected = journalIn(root);
    return {
      async trial(number, { random, folder }): Promise<Trial> {
        const aof = number % 2 === 0;
        const kind = aof ? 'with AOF' : 'without AOF';
        const redis = await testRedis('--maxmemory-policy', 'noeviction', '--appendonly', aof ? 'yes' : 'no');
        const runs = join(folder, 'runs');
        const coordinator = new Kept(() => {
          const run = runIn(runs);
          const args = [redis.url, runs, String(EXAMPLES), String(SEARCH_MS), ...(run === undefined ? [] : [run])];
          return toy('toy-coordinator.mjs', {}, ...args);
        });
        const workers = ['a', 'b', 'c'].map((name) => {
          const cache = join(folder, name);
          mkdirSync(cache, { recursive: true });
          const env = { ROBUST_TEST_CACHE: cache };
          return new Kept(() => toy('toy-worker.mjs', env, redis.url, name, String(LOCK_SECONDS), '-'));
        });
        const kills = { worker: 0, coordinator: 0, redis: 0 };
        try {
          for (let kill = 0; kill < KILLS; kill++) {
            if ((await Promise.race([coordinator.ended, pause(1500 + random.int(2500))])) !== undefined) break;
            const what = random.pick(['worker', 'worker', 'coordinator', 'redis'] as const);
            kills[what]++;
            if (what === 'worker') random.pick(workers).kill();
            else if (what === 'coordinator') coordinator.kill();
            else {
              await redis.kill();
              await pause(random.int(1000));
              await redis.start();
            }
          }
          const code = await Promise.race([coordinator.ended, pause(MOST_MS, 'never', { ref: false })]);
          const told = Object.entries(kills).map(([what, times]) => `${what} ${times}`);
          const fault = (why: string): Trial => ({ kind, ended: 'a fault', fault: `${why} after ${told} (${folder})` });
          if (code !== 0) return fault(`the coordinator ended with ${code}`);
          if (journalIn(runs) !== expected) return fault('another journal');
          return { kind, ended: `the same bytes after ${told.join(', ')}` };
        } finally {
          for (const each of [coordinator, ...workers]) each.end();
          await redis.kill();
        }
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};
