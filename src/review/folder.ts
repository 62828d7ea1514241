/** @file The folder of a review, `review/` in the folder of its run: plan.json, and a journal for each reader. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RobustError } from '../core/errors.js';
import { readState } from '../files/state.js';
import { checkNoLink, makeInnerFolder, PRIVATE, writeWhole } from '../files/write.js';
import { type JournalHeader, type ReviewJournal, readJournal } from './journal.js';
import { planSchema, type ReviewPlan } from './plan.js';
import { ReaderSession } from './session.js';

const PLAN = 'plan.json';
const JOURNAL = '.jsonl';
/** Names of readers are names of files, on every system. */
const READER = /^[a-z0-9][a-z0-9._-]{0,39}$/;

const reviewFolder = (runFolder: string): string => join(runFolder, 'review');

/** Is there a review of this run? */
export const isReviewed = (runFolder: string): boolean => existsSync(join(reviewFolder(runFolder), PLAN));

export class ReviewFolder {
  readonly path: string;
  #plan: ReviewPlan;

  private constructor(path: string, plan: ReviewPlan) {
    this.path = path;
    this.#plan = plan;
  }

  get plan(): ReviewPlan {
    return this.#plan;
  }

  /**
   * Opens the review of a run. `resultsSha256`: hash of the run's outcomes. Throws RobustError RUN_DAMAGED, REVIEW_MISMATCH if the outcomes
   * changed since it was planned.
   */
  static open(runFolder: string, resultsSha256: string | undefined): ReviewFolder {
    const path = reviewFolder(runFolder);
    checkNoLink(path);
    const plan = readState(join(path, PLAN), planSchema, 'the plan of a review') as ReviewPlan;
    if (resultsSha256 === plan.resultsSha256) return new ReviewFolder(path, plan);
    throw new RobustError(`${path}: expected a review of this run, got one of other outcomes`, {
      code: 'REVIEW_MISMATCH',
      hint: 'The outcomes changed after the review was planned: move that folder away and review the run again.',
    });
  }

  /** Stores the plan of a run that has none. Throws OutputError. */
  static create(runFolder: string, plan: ReviewPlan): ReviewFolder {
    const path = reviewFolder(runFolder);
    makeInnerFolder(path, 'the plan of a review');
    const folder = new ReviewFolder(path, plan);
    folder.#write(plan);
    return folder;
  }

  /** Replaces the plan by a larger one with the same key, which keeps all items and answers. Throws OutputError. */
  extend(plan: ReviewPlan): void {
    this.#write(plan);
    this.#plan = plan;
  }

  #write(plan: ReviewPlan): void {
    writeWhole(join(this.path, PLAN), `${JSON.stringify(plan, null, 2)}\n`, 'the plan of a review', PRIVATE);
  }

  /** Readers with a journal, people and models, by name. */
  get readers(): string[] {
    return readdirSync(this.path)
      .filter((name) => name.endsWith(JOURNAL) && READER.test(name.slice(0, -JOURNAL.length)))
      .map((name) => name.slice(0, -JOURNAL.length))
      .sort();
  }

  /** All journals of this plan. Throws RobustError REVIEW_DAMAGED. */
  journals(): ReviewJournal[] {
    return this.readers
      .map((name) => readJournal(this.#journal(name)))
      .filter(({ header }) => header.plan === this.#plan.key);
  }

  /** How far each reader is. Throws RobustError REVIEW_DAMAGED. */
  progress() {
    const ids = new Set(this.#plan.items.map(({ id }) => id));
    return this.journals().map(({ header: { reader, kind }, readings }) => ({
      name: reader,
      kind,
      answered: [...readings.keys()].filter((id) => ids.has(id)).length,
      total: ids.size,
    }));
  }

  /** Begins or continues the work of a reader. Throws RobustError NAME_INVALID for a bad name, and what `ReaderSession.open` throws. */
  session(reader: string, of: Pick<JournalHeader, 'kind' | 'address'> = { kind: 'person' }): ReaderSession {
    if (!READER.test(reader))
      throw new RobustError(`--as: expected a name of lower-case letters, digits, ".", "_" and "-", got "${reader}"`, {
        code: 'NAME_INVALID',
        hint: 'For example: --as reader-1. Pseudonyms keep readers anonymous.',
      });
    const header: JournalHeader = { schemaVersion: 1, plan: this.#plan.key, reader, ...of };
    return ReaderSession.open(this.#plan, this.#journal(reader), header);
  }

  #journal = (reader: string): string => join(this.path, `${reader}${JOURNAL}`);
}
