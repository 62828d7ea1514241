/** @file The work of a run that other processes do for the one that keeps its folder. Types only. */
import type { Example } from '../core/dataset.js';
import type { Outcome } from '../core/outcome.js';
import type { AnswerFile } from './answer-file.js';

export interface Fleet {
  /** Has the examples answered that `answers` lacks, in their order. */
  answer(answers: AnswerFile): Promise<void>;
  /** Has every (attack, example) pair searched that has no outcome yet. Throws SearchCancelled once the run ends. */
  search(work: FleetWork): Promise<void>;
  close(): Promise<void>;
}

export interface FleetWork {
  readonly answers: AnswerFile;
  readonly examples: number;
  /** Examples that attacks may learn from. */
  readonly sample: readonly Example[];
  /** Texts that represent the data set. */
  readonly texts: readonly string[];
  has(ordinal: number): boolean;
  /** The line of an outcome that is there. */
  line(ordinal: number): string;
  /** Keeps an outcome that is not there yet. */
  add(ordinal: number, outcome: Outcome): void;
  /** Adds seconds spent on an attack. */
  spent(attack: string, seconds: number): void;
  /** Notes a warning that belongs to the result. */
  warn(message: string): void;
}
