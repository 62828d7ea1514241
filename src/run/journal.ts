/**
 * @file results.jsonl, the truth of a run: one outcome a line, appended as each search ends. While the run goes on the
 * lines are in the order in which searches ended; `finish` puts them into canonical order (the plan's attacks, each
 * over the data set's order), so that equal runs end with equal bytes.
 *
 * Appending does not wait for the disk: if the process dies, nothing is lost, because the system has the data. A power cut may lose the
 * last seconds; `open` then keeps the lines before the first unreadable one.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, readSync } from 'node:fs';
import { closingOnError } from '../core/closing-stack.js';
import { RobustError } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';
import { copyRange, openToWrite, outputError, replaceFile, writeAll } from '../files/write.js';
import { LineIndex } from './line-index.js';
import { linesOf } from './lines.js';
import { entrySchema } from './schemas.js';

/** An outcome and its example's position in the run, from 0: ids need not be numbers, nor sorted. */
export interface JournalEntry {
  readonly index: number;
  readonly outcome: Outcome;
}

/** Called for a line that is not an outcome, which is then left out. */
export type OnFault = (what: string) => void;

export const journalCorrupt = (what: string): RobustError =>
  new RobustError(what, {
    code: 'RUN_DAMAGED',
    hint: 'The file was damaged or edited. Run again. robust report and robust gate use the other lines: --allow-partial.',
  });

/** An entry as it is written. */
export function lineOf({ index, outcome: { id, ...rest } }: JournalEntry): string {
  return JSON.stringify({ id, index, ...rest });
}

/** Undefined for what is no outcome. */
export function tryParse(text: string): JournalEntry | undefined {
  try {
    const value = JSON.parse(text) as Outcome & { readonly index: number };
    if (!entrySchema.safeParse(value).success) return undefined;
    const { index, ...outcome } = value;
    return { index, outcome };
  } catch {
    return undefined;
  }
}

export interface JournalPlan {
  readonly attacks: readonly string[];
  readonly examples: number;
  /** Completes the hint of write errors. */
  readonly resume: string;
  /** Called before anything is written; throws where it may not be any more. */
  readonly guard?: (() => void) | undefined;
}

export class Journal {
  readonly #path: string;
  readonly #resume: string;
  #file: number;
  readonly #guard: () => void;
  readonly #attacks: ReadonlyMap<string, number>;
  readonly #examples: number;
  /** Where each outcome's line stands, by ordinal. */
  readonly #index: LineIndex;
  #end = 0;

  private constructor(path: string, { attacks, examples, resume, guard = () => {} }: JournalPlan) {
    this.#path = path;
    this.#resume = resume;
    this.#guard = guard;
    this.#attacks = new Map(attacks.map((label, at) => [label, at]));
    this.#examples = examples;
    try {
      this.#file = openToWrite(path);
      this.#index = new LineIndex(`${path}.index`, attacks.length * examples);
    } catch (error) {
      throw outputError('the outcomes', path, error, resume);
    }
  }

  /**
   * Opens or begins a journal and calls `found` for every outcome it already holds. A torn last line is cut off, as is
   * everything from the first unreadable line on.
   */
  static async open(
    path: string,
    plan: JournalPlan,
    found: (ordinal: number, outcome: Outcome) => void,
  ): Promise<Journal> {
    const journal = new Journal(path, plan);
    return closingOnError(journal, async () => {
      await journal.#read(found);
      journal.#renew();
      return journal;
    });
  }

  async #read(found: (ordinal: number, outcome: Outcome) => void): Promise<void> {
    for await (const line of linesOf(this.#path)) {
      const entry = tryParse(line.text);
      const ordinal = entry === undefined ? undefined : this.#ordinalOf(entry);
      if (entry === undefined || ordinal === undefined) break;
      this.#end = line.start + line.bytes + 1;
      if (this.has(ordinal)) continue;
      try {
        this.#index.set(ordinal, line);
      } catch (error) {
        throw outputError('the index of the outcomes', this.#path, error, this.#resume);
      }
      found(ordinal, entry.outcome);
    }
  }

  /** The lines that are whole, in a file that whoever wrote the old one does not have open. */
  #renew(): void {
    try {
      if (fstatSync(this.#file).size === 0) return;
      replaceFile(this.#path, (into) => {
        copyRange(this.#file, 0, this.#end, into);
        this.#guard();
      });
      closeSync(this.#file);
      this.#file = openToWrite(this.#path);
    } catch (error) {
      throw outputError('the outcomes', this.#path, error, this.#resume);
    }
  }

  /** Position in canonical order. Undefined for an entry of some other run. */
  #ordinalOf({ index, outcome }: JournalEntry): number | undefined {
    const at = this.#attacks.get(outcome.attack);
    const known = at !== undefined && Number.isInteger(index) && index >= 0 && index < this.#examples;
    return known ? at * this.#examples + index : undefined;
  }

  has(ordinal: number): boolean {
    return this.#index.has(ordinal);
  }

  /** The line of an outcome that is there, without its line feed. */
  line(ordinal: number): string {
    const { start, bytes } = this.#index.get(ordinal);
    const line = Buffer.alloc(bytes);
    readSync(this.#file, line, 0, line.length, start);
    return line.toString('utf8');
  }

  /** Adds the outcome of the pair at `ordinal`. Throws OutputError, leaving whole lines only. */
  append(ordinal: number, outcome: Outcome): void {
    const line = Buffer.from(`${lineOf({ index: ordinal % this.#examples, outcome })}\n`);
    this.#guard();
    try {
      writeAll(this.#file, line, this.#end);
      this.#index.set(ordinal, { start: this.#end, bytes: line.length - 1 });
    } catch (error) {
      ftruncateSync(this.#file, this.#end);
      throw outputError('an outcome', this.#path, error, this.#resume);
    }
    this.#end += line.length;
  }

  /**
   * Leaves the outcomes of ordinals below `end`, in canonical order; those of examples that are not `mine` need not be there.
   * Returns how many there are, and the hash of the file. Killed at any moment, the old file or the new one stands.
   */
  finish(end: number, mine: (index: number) => boolean): { readonly outcomes: number; readonly resultsSha256: string } {
    const hash = createHash('sha256');
    try {
      replaceFile(this.#path, (into) => {
        for (const [from, to] of this.#ranges(end, mine)) {
          copyRange(this.#file, from, to, into, (bytes) => hash.update(bytes));
        }
        this.#guard();
      });
    } catch (error) {
      throw outputError('the ordered outcomes', this.#path, error, this.#resume);
    }
    let outcomes = 0;
    for (let ordinal = 0; ordinal < end; ordinal++) if (this.has(ordinal)) outcomes++;
    return { outcomes, resultsSha256: hash.digest('hex') };
  }

  /** Byte ranges of the lines in canonical order; neighbours in the file are one range. */
  *#ranges(end: number, mine: (index: number) => boolean): Generator<[number, number]> {
    let from = 0;
    let to = 0;
    for (const [ordinal, place] of this.#index.places(end)) {
      if (place === undefined && !mine(ordinal % this.#examples)) continue;
      if (place === undefined) throw new Error(`outcome ${ordinal} of ${end} is missing`);
      if (place.start !== to) {
        if (to > from) yield [from, to];
        from = place.start;
      }
      to = place.start + place.bytes + 1;
    }
    if (to > from) yield [from, to];
  }

  close(): void {
    closeSync(this.#file);
    this.#index.close();
  }
}
