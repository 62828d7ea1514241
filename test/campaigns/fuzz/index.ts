/** @file Campaign "fuzz": damaged files for every reader, in processes that are watched. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/core/package-root.js';
import type { Campaign, OpenCampaign, Trial } from '../campaign.js';
import { damages, make } from './seeds.js';
import type { Task, Told } from './worker.js';

/** A reading that takes longer hangs: ms. */
const LONGEST = 20_000;
/** MB. */
const MOST_MEMORY = 1024;
/** Readings of one process, after which a fresh one takes over. */
const READINGS = 2000;

/** A process that reads, and how many files it has read. */
interface Reader {
  readonly child: ChildProcess;
  readings: number;
}

const ENDS = 'each ends in a coded error or a right result, within 20 s and 1 GB';

export const fuzz: Campaign = {
  name: 'fuzz',
  summary: `damaged files for every reader: ${ENDS}`,
  count: 100_000,
  open(folder) {
    const made = join(folder, 'seeds');
    mkdirSync(made);
    make(made);
    return opened(damages(made));
  },
};

/** The part of it that needs no run first. */
export const checkpoints: Campaign = {
  name: 'checkpoints',
  summary: `damaged weights, configs, indexes, adapters and heads: ${ENDS}`,
  count: 20_000,
  open: () =>
    opened(Object.fromEntries(Object.entries(damages('')).filter(([kind]) => kind.startsWith('checkpoint ')))),
};

async function opened(damage: ReturnType<typeof damages>): Promise<OpenCampaign> {
  const kinds = Object.keys(damage);
  const idle: Reader[] = [];
  return {
    async trial(number, { random, folder: own }) {
      const kind = kinds[number % kinds.length] as string;
      damage[kind]?.(own, random);
      const reader = idle.pop() ?? (await start());
      const trial = await read(reader, { reader: kind, folder: own });
      reader.readings++;
      if (reader.child.connected && reader.readings < READINGS) idle.push(reader);
      else reader.child.kill('SIGKILL');
      return { kind, ...trial };
    },
    async [Symbol.asyncDispose]() {
      for (const { child } of idle) child.kill('SIGKILL');
    },
  };
}

async function start(): Promise<Reader> {
  const child = fork(join(packageRoot, 'dist', 'test', 'campaigns', 'fuzz', 'worker.js'), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: ['--max-old-space-size=1024'],
  });
  await once(child, 'message');
  return { child, readings: 0 };
}

/** How one reading ended. A process that died, hung or took too much is not used again. */
function read({ child }: Reader, task: Task): Promise<Omit<Trial, 'kind'>> {
  return new Promise((resolve) => {
    const end = (trial: Omit<Trial, 'kind'>) => {
      clearTimeout(timer);
      child.off('message', told);
      child.off('exit', died);
      resolve(trial);
    };
    const told = ({ ended, uncoded, peak }: Told) => {
      if (uncoded !== undefined) end({ ended, fault: uncoded });
      else if (peak > MOST_MEMORY) end({ ended, fault: `${peak.toFixed(0)} MB` });
      else end({ ended });
    };
    // Crashes that --runtime isolate=true reports as MODEL_CRASHED. Only readers that open a session may crash.
    const died = (code: number | null, signal: string | null) =>
      end({
        ended: `died by ${signal ?? `exit code ${code}`}`,
        ...(task.reader.startsWith('onnx') && signal !== null ? {} : { fault: 'the process died' }),
      });
    const timer = setTimeout(() => {
      end({ ended: 'hung', fault: `more than ${LONGEST / 1000} s` });
      child.disconnect();
      child.kill('SIGKILL');
    }, LONGEST);
    child.once('message', told);
    child.once('exit', died);
    child.send(task);
  });
}
