/** @file The process that computes for a worker: its end of the messages. What it computes may take it down; the worker lives on. */
import { ModelGone, OutputError, RobustError } from '../core/errors.js';
import type { CoordinatorAddress, Receipt } from './coordinator-link.js';
import { Executor, type ExecutorOptions, type WorkerStore } from './executor.js';
import type { ExecutorSetup, FromExecutor, ToExecutor } from './executor-messages.js';
import type { FleetJob } from './messages.js';
import { SLOWEST } from './worker-state.js';
import { workerStore } from './worker-store.js';

/** How often whoever follows is told what takes long. */
const TELL_MS = 2000;

/** Takes messages until the worker is gone. `open` is told how this installation opens plans, once it is known. */
export function serveWorker(
  openWith: (setup: ExecutorSetup, warn: (message: string) => void) => ExecutorOptions,
): void {
  const say = (message: FromExecutor): void => {
    // A worker that is gone needs nothing.
    if (process.connected) process.send?.(message, () => {});
  };
  const warn = (message: string) => say({ kind: 'warn', message });
  const addresses = new Map<string, CoordinatorAddress | 'over'>();
  const tasks = new Map<string, { stop: AbortController; abort: AbortController; go: () => void }>();
  /** Pairs under way -> since when. */
  const underWay = new Map<string, number>();
  const tell = () => {
    const oldest = [...underWay].slice(0, SLOWEST);
    const pairs = oldest.map(([what, began]) => ({ what, seconds: (performance.now() - began) / 1000 }));
    say({ kind: 'slowest', pairs });
  };
  setInterval(tell, TELL_MS).unref();
  let setup: ExecutorSetup | undefined;
  let executor: Executor | undefined;

  const storeOf = (run: string, choice: ExecutorSetup, signal: AbortSignal): Promise<WorkerStore> =>
    workerStore(run, choice, { where: () => addresses.get(run), signal, warn });

  const carryOut = async (id: string, job: FleetJob, delivered: readonly number[]): Promise<void> => {
    if (setup === undefined) throw new Error('a task came before the setup');
    executor ??= new Executor(openWith(setup, warn));
    let go = () => {};
    const told = new Promise<void>((resolve) => {
      go = resolve;
    });
    const ending = { stop: new AbortController(), abort: new AbortController(), go };
    tasks.set(id, ending);
    const { task } = job;
    const examples = task.kind === 'search' ? task.to - task.from : 1;
    const placeOf = (attack: string, index: number): number =>
      task.kind === 'search' ? task.attacks.indexOf(attack) * examples + index - task.from : 0;
    const known = new Set(delivered);
    try {
      const receipt: Receipt = await executor.execute(id, job, {
        store: await storeOf(job.run, setup, ending.abort.signal),
        signal: AbortSignal.any([ending.stop.signal, ending.abort.signal]),
        ready() {
          say({ kind: 'ready', id });
          return told;
        },
        delivered: (attack, index) => known.has(placeOf(attack, index)),
        kept: (pairs) => say({ kind: 'kept', id, places: pairs.map(([attack, index]) => placeOf(attack, index)) }),
        begun: (attack, example) => underWay.set(pairName(attack, example), performance.now()),
        found: ({ attack, id: example, queries }) => {
          underWay.delete(pairName(attack, example));
          say({ kind: 'found', outcomes: 1, asked: queries.asked });
        },
      });
      if (receipt === 'differs')
        warn(`another machine found something else for ${id}: the run is ended by its coordinator`);
      say({ kind: 'ended', id });
    } catch (error) {
      const { message, code, hint } = error instanceof RobustError ? error : asRobust(error);
      if (code === 'RUN_OVER') say({ kind: 'ended', id });
      else say({ kind: 'failed', id, message, code, hint: hint ?? null, how: howOf(error, ending) });
    } finally {
      tasks.delete(id);
      if (tasks.size === 0) underWay.clear();
    }
  };

  process.on('message', (message: ToExecutor) => {
    if (message.kind === 'setup') setup = message.setup;
    else if (message.kind === 'address') {
      if (message.address === null) addresses.delete(message.run);
      else addresses.set(message.run, message.address);
    } else if (message.kind === 'task') void carryOut(message.id, message.job, message.delivered);
    else if (message.kind === 'go') tasks.get(message.id)?.go();
    else if (message.kind === 'stop') tasks.get(message.id)?.stop.abort();
    else tasks.get(message.id)?.abort.abort();
  });
  // Nobody is there any more to deliver for: as the worker, at once.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}

const pairName = (attack: string, id: string): string => `${attack} on example ${id}`;

const asRobust = (error: unknown) => {
  const { message = String(error), stack } = error as Error;
  return { message: `${message}\n${stack ?? ''}`, code: 'INTERNAL', hint: undefined };
};

function howOf(error: unknown, { stop, abort }: { stop: AbortController; abort: AbortController }) {
  if (stop.signal.aborted || abort.signal.aborted) return 'given-back';
  if (error instanceof ModelGone) return 'crash';
  if (error instanceof OutputError) return 'unable';
  if (!(error instanceof RobustError)) return 'broken';
  return ['QUEUE_MESSAGE', 'QUEUE_PLUGIN'].includes(error.code) ? 'bad' : 'refused';
}
