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
const MOST_MS = 300_000;

const toy = (name: string, env: NodeJS.ProcessEnv, ...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [join(packageRoot, 'test', 'fleet', name), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });

const ended = (child: ChildProcess): Promise<number | null> =>
  child.exitCode === null && child.signalCode === null
    ? new Promise((resolve) => child.once('exit', resolve))
    : Promise.resolve(child.exitCode);

const runIn = (root: string): string | undefined =>
  existsSync(root) ? readdirSync(root).find((name) => existsSync(join(root, name, 'run.json'))) : undefined;
const journalIn = (root: string): string => readFileSync(join(root, runIn(root) ?? '', 'results.jsonl'), 'utf8');

export const fleet: Campaign = {
  name: 'fleet',
  summary: 'kill -9 of workers, coordinator and Redis in runs of three workers: the bytes of one process',
  count: 26,
  async open(home) {
    const root = join(home, 'undisturbed');
    await ended(toy('toy-coordinator.mjs', {}, '-', root, String(EXAMPLES), '0'));
    const expected = journalIn(root);
    return {
      async trial(number, { random, folder }): Promise<Trial> {
        const aof = number % 2 === 0;
        const kind = aof ? 'with AOF' : 'without AOF';
        const redis = await testRedis('--maxmemory-policy', 'noeviction', '--appendonly', aof ? 'yes' : 'no');
        const runs = join(folder, 'runs');
        const coordinate = (): ChildProcess => {
          const run = runIn(runs);
          const args = [redis.url, runs, String(EXAMPLES), String(SEARCH_MS), ...(run === undefined ? [] : [run])];
          return toy('toy-coordinator.mjs', {}, ...args);
        };
        const work = (name: string): ChildProcess => {
          const cache = join(folder, name);
          mkdirSync(cache, { recursive: true });
          return toy('toy-worker.mjs', { ROBUST_TEST_CACHE: cache }, redis.url, name, String(LOCK_SECONDS), '-');
        };
        const names = ['a', 'b', 'c'];
        const workers = names.map(work);
        let coordinator = coordinate();
        const kills = { worker: 0, coordinator: 0, redis: 0 };
        try {
          for (let kill = 0; kill < KILLS; kill++) {
            await pause(1500 + random.int(2500));
            if (coordinator.exitCode !== null) break;
            const what = random.pick(['worker', 'worker', 'coordinator', 'redis'] as const);
            kills[what]++;
            if (what === 'redis') {
              await redis.kill();
              await pause(random.int(1000));
              await redis.start();
            } else if (what === 'worker') {
              const at = random.int(names.length);
              workers[at]?.kill('SIGKILL');
              workers[at] = work(names[at] as string);
            } else {
              coordinator.kill('SIGKILL');
              await ended(coordinator);
              coordinator = coordinate();
            }
          }
          const code = await Promise.race([ended(coordinator), pause(MOST_MS, 'never', { ref: false })]);
          const told = Object.entries(kills).map(([what, times]) => `${what} ${times}`);
          const fault = (why: string): Trial => ({ kind, ended: 'a fault', fault: `${why} after ${told} (${folder})` });
          if (code !== 0) return fault(`the coordinator ended with ${code}`);
          if (journalIn(runs) !== expected) return fault('another journal');
          return { kind, ended: `the same bytes after ${told.join(', ')}` };
        } finally {
          for (const each of [coordinator, ...workers]) each.kill('SIGKILL');
          await redis.kill();
        }
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};
