/** Toy runs with their workers as processes, which can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoreAccess } from '../../src/fleet/buckets.js';
import { Coordinator } from '../../src/fleet/coordinator.js';
import type { Report } from '../../src/results/report/report.js';
import { attack, createRun, type RunFolder, type RunHooks, type RunPlan } from '../../src/run/index.js';
import { letters, toyPlan } from './toy-plan.mjs';

export interface ToyWorker {
  readonly process: ChildProcess;
  /** Resolves once it has said this. */
  said(text: string): Promise<void>;
  readonly output: () => string;
  /** Exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
}

export function toyWorker(
  queue: string,
  host: string,
  { lock = 60, store = '-', env = {} }: { lock?: number; store?: string; env?: Record<string, string> } = {},
): ToyWorker {
  const file = fileURLToPath(new URL('toy-worker.mjs', import.meta.url));
  const cache = mkdtempSync(join(tmpdir(), 'robust-fleet-'));
  const child = spawn(process.execPath, [file, queue, host, String(lock), store], {
    env: { ...process.env, ROBUST_TEST_CACHE: cache, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const waiting: { text: string; resolve: () => void }[] = [];
  child.stdout?.on('data', (data) => {
    output += data;
    for (const { text, resolve } of waiting) if (output.includes(text)) resolve();
  });
  return {
    process: child,
    output: () => output,
    said: (text) =>
      new Promise((resolve) => {
        if (output.includes(text)) resolve();
        else waiting.push({ text, resolve });
      }),
    ended: new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code ?? -1))),
  };
}

const runsFolder = (): string => mkdtempSync(join(tmpdir(), 'robust-fleet-runs-'));

/** Files of a run in this process. */
export async function localBytes(count: number, poisonAt = -1): Promise<string> {
  const plan = toyPlan(letters(count, poisonAt)) as unknown as RunPlan;
  const folder = await createRun(runsFolder(), plan);
  await attack(plan, folder);
  return bytesOf(folder);
}

export const bytesOf = (folder: RunFolder): string => readFileSync(folder.journal, 'utf8');

export interface ToyRun {
  readonly folder: RunFolder;
  readonly report: Promise<Report>;
}

/** Begins or continues a run of `count` examples on this queue. */
export async function coordinate(
  queue: string,
  count: number,
  {
    poisonAt = -1,
    wait = 0,
    refusedAs,
    folder,
    store,
    access,
    hooks = {},
  }: {
    poisonAt?: number;
    wait?: number;
    /** The code with which workers refuse the plan; by SIGKILL its opening takes them down. */
    refusedAs?: string;
    folder?: RunFolder;
    store?: string;
    access?: StoreAccess;
    hooks?: RunHooks;
  } = {},
): Promise<ToyRun> {
  const plan = toyPlan(letters(count, poisonAt)) as unknown as RunPlan;
  const into = folder ?? (await createRun(runsFolder(), plan));
  const open = () =>
    Coordinator.open(plan, into, hooks, {
      queue,
      store,
      access,
      toolVersion: '0',
      settings: { count, poisonAt, wait, ...(refusedAs && { refusedAs }) },
      models: async () => ({ model: { kind: 'name', name: 'toy' }, guessers: [] }),
    });
  return { folder: into, report: attack(plan, into, hooks, open) };
}
