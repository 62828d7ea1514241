/** @file The process that computes for a worker: its end of the messages. What it computes may take it down; the worker lives on. */
import { ModelGone, OutputError, RobustError } from '../core/errors.js';
import type { CoordinatorAddress, Receipt } from './coordinator-link.js';
import { workerStore } from './exchange.js';
import { Executor, type ExecutorOptions, type WorkerStore } from './executor.js';
import type { ExecutorSetup, FromExecutor, ToExecutor } from './executor-messages.js';
import type { FleetJob, QueuedJob } from './messages.js';
import { SLOWEST } from './worker-state.js';

/** Time between two reports of the slowest searches. */
const TELL_MS = 2000;

/** Takes messages until the worker is gone. `openWith` makes the options of the executor from the setup. */
export function serveWorker(
  openWith: (setup: ExecutorSetup, warn: (message: string) => void) => ExecutorOptions,
): void {
  const say = (message: FromExecutor): void => {
    // A worker that is gone needs nothing.
    if (process.connected) process.send?.(message, () => {});
  };
  const warn = (message: string) => say({ kind: 'warn', message });
  const addresses = new Map<string, CoordinatorAddress | 'over'>();
  const jobs = new Map<string, { stop: AbortController; abort: AbortController; go: () => void }>();
  /** Searches under way -> since when. */
  const underWay = new Map<string, number>();
  const reportSlowest = () => {
    const oldest = [...underWay].slice(0, SLOWEST);
    const searches = oldest.map(([what, began]) => ({ what, seconds: (performance.now() - began) / 1000 }));
    say({ kind: 'slowest', searches });
  };
  setInterval(reportSlowest, TELL_MS).unref();
  let setup: ExecutorSetup | undefined;
  let executor: Executor | undefined;

  const storeOf = (run: string, choice: ExecutorSetup, signal: AbortSignal): Promise<WorkerStore> =>
    workerStore(run, choice, { where: () => addresses.get(run), signal, warn });

  const carryOut = async (id: string, queued: QueuedJob, delivered: readonly number[]): Promise<void> => {
    if (setup === undefined) throw new Error('a job came before the setup');
    executor ??= new Executor(openWith(setup, warn));
    let go = () => {};
    const started = new Promise<void>((resolve) => {
      go = resolve;
    });
    const ending = { stop: new AbortController(), abort: new AbortController(), go };
    jobs.set(id, ending);
    const { run, job } = queued;
    const indexOf = indexIn(job);
    const known = new Set(delivered);
    try {
      const receipt: Receipt = await executor.execute(id, queued, {
        store: await storeOf(run, setup, ending.abort.signal),
        signal: AbortSignal.any([ending.stop.signal, ending.abort.signal]),
        ready() {
          say({ kind: 'ready', id });
          return started;
        },
        delivered: (attack, index) => known.has(indexOf(attack, index)),
        onKept: (searches) =>
          say({ kind: 'kept', id, searches: searches.map(([attack, index]) => indexOf(attack, index)) }),
        begun: (attack, example) => underWay.set(searchName(attack, example), performance.now()),
        onOutcome: ({ attack, id: example, queries }) => {
          underWay.delete(searchName(attack, example));
          say({ kind: 'found', outcomes: 1, queries: queries.asked });
        },
      });
      if (receipt === 'differs') warn(`another machine got a different result for ${id}: the coordinator ends the run`);
      say({ kind: 'ended', id });
    } catch (error) {
      say(failureOf(id, error, ending));
    } finally {
      jobs.delete(id);
      if (jobs.size === 0) underWay.clear();
    }
  };

  process.on('message', (message: ToExecutor) => {
    if (message.kind === 'setup') setup = message.setup;
    else if (message.kind === 'address') {
      if (message.address === null) addresses.delete(message.run);
      else addresses.set(message.run, message.address);
    } else if (message.kind === 'job') void carryOut(message.id, message.queued, message.delivered);
    else if (message.kind === 'go') jobs.get(message.id)?.go();
    else if (message.kind === 'stop') jobs.get(message.id)?.stop.abort();
    else jobs.get(message.id)?.abort.abort();
  });
  // There is no worker any more to deliver for.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}

/** Indices of the searches in a job, attack by attack, each over its examples. */
function indexIn(job: FleetJob): (attack: string, index: number) => number {
  if (job.kind !== 'search') return () => 0;
  return (attack, index) => job.attacks.indexOf(attack) * (job.to - job.from) + index - job.from;
}

const searchName = (attack: string, id: string): string => `${attack} on example ${id}`;

const asRobust = (error: unknown) => {
  const { message = String(error), stack } = error as Error;
  return { message: `${message}\n${stack ?? ''}`, code: 'INTERNAL' as const, hint: undefined };
};

function failureOf(
  id: string,
  error: unknown,
  ending: { stop: AbortController; abort: AbortController },
): FromExecutor {
  const { message, code, hint } = error instanceof RobustError ? error : asRobust(error);
  if (code === 'RUN_OVER') return { kind: 'ended', id };
  return { kind: 'failed', id, message, code, hint: hint ?? null, how: howOf(error, ending) };
}

function howOf(error: unknown, { stop, abort }: { stop: AbortController; abort: AbortController }) {
  if (stop.signal.aborted || abort.signal.aborted) return 'given-back';
  if (error instanceof ModelGone) return 'crash';
  if (error instanceof OutputError) return 'unable';
  if (!(error instanceof RobustError)) return 'broken';
  return ['QUEUE_DAMAGED', 'QUEUE_PLUGIN_NOT_FOUND'].includes(error.code) ? 'bad' : 'refused';
}
