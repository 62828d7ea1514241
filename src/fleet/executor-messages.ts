/** @file The messages between a worker and the process that computes for it. Types only. */
import type { CoordinatorAddress } from './coordinator-link.js';
import type { StoreChoice } from './exchange.js';
import type { Machine, QueuedJob } from './messages.js';
import type { WorkerState } from './worker-state.js';

export interface ExecutorSetup extends StoreChoice {
  readonly machine: Machine;
  /** Threads that run a model. @default one a core */
  readonly threads: number | null;
  /** As its --runtime device says; null where that is for the run to say. */
  readonly device: string | null;
  readonly offline: boolean;
  /** Packages that plans may name. */
  readonly plugins: readonly string[];
}

/** `searches`: their indices in the job, attack by attack, each over its examples. */
export type ToExecutor =
  | { readonly kind: 'setup'; readonly setup: ExecutorSetup }
  | { readonly kind: 'address'; readonly run: string; readonly address: CoordinatorAddress | 'over' | null }
  | { readonly kind: 'job'; readonly id: string; readonly queued: QueuedJob; readonly delivered: readonly number[] }
  /** `go`: the start of the job is on record. */
  | { readonly kind: 'go' | 'stop' | 'abort'; readonly id: string };

export type FromExecutor =
  /** All that the job needs is there, so a crash from here on is its own fault. Waits for `go`. */
  | { readonly kind: 'ready'; readonly id: string }
  | { readonly kind: 'kept'; readonly id: string; readonly searches: readonly number[] }
  | { readonly kind: 'found'; readonly outcomes: number; readonly queries: number }
  /** Searches under way, the slowest first. */
  | { readonly kind: 'slowest'; readonly searches: WorkerState['slowest'] }
  | { readonly kind: 'ended'; readonly id: string }
  | {
      readonly kind: 'failed';
      readonly id: string;
      readonly message: string;
      readonly code: string;
      readonly hint: string | null;
      /**
       * `bad`: no worker should carry out the run; `refused`: this worker cannot; `unable`: this machine can do nothing at present; `crash`: the
       * model went down; `given-back`: it had to end; `broken`: a defect.
       */
      readonly how: 'bad' | 'refused' | 'unable' | 'crash' | 'given-back' | 'broken';
    }
  | { readonly kind: 'warn'; readonly message: string };
