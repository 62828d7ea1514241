/** @file What a worker and the process that computes for it tell each other. Types only. */
import type { CoordinatorAddress } from './coordinator-link.js';
import type { FleetJob, Machine } from './messages.js';
import type { WorkerState } from './worker-state.js';
import type { StoreChoice } from './worker-store.js';

export interface ExecutorSetup extends StoreChoice {
  readonly machine: Machine;
  /** Threads that run a model. @default one a core */
  readonly threads: number | null;
  /** As its --device says; null where that is for the run to say. */
  readonly device: string | null;
  readonly offline: boolean;
  /** Packages that plans may name. */
  readonly plugins: readonly string[];
}

/** Places of pairs in a task: attack by attack, each over the examples. */
export type ToExecutor =
  | { readonly kind: 'setup'; readonly setup: ExecutorSetup }
  | { readonly kind: 'address'; readonly run: string; readonly address: CoordinatorAddress | 'over' | null }
  | { readonly kind: 'task'; readonly id: string; readonly job: FleetJob; readonly delivered: readonly number[] }
  /** `go`: it was noted that the task is begun. */
  | { readonly kind: 'go' | 'stop' | 'abort'; readonly id: string };

export type FromExecutor =
  /** All that the task needs is there: what happens from here on is of its own doing. Waits for `go`. */
  | { readonly kind: 'ready'; readonly id: string }
  | { readonly kind: 'kept'; readonly id: string; readonly places: readonly number[] }
  | { readonly kind: 'found'; readonly outcomes: number; readonly asked: number }
  /** Pairs under way, the slowest of them first. */
  | { readonly kind: 'slowest'; readonly pairs: WorkerState['slowest'] }
  | { readonly kind: 'ended'; readonly id: string }
  | {
      readonly kind: 'failed';
      readonly id: string;
      readonly message: string;
      readonly code: string;
      readonly hint: string | null;
      /**
       * `bad`: no worker should carry out the run; `refused`: this worker cannot; `unable`: this machine can do nothing at present; `crash`: the
       * model went down; `given-back`: it was told to end; `broken`: a defect.
       */
      readonly how: 'bad' | 'refused' | 'unable' | 'crash' | 'given-back' | 'broken';
    }
  | { readonly kind: 'warn'; readonly message: string };
