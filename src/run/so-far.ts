/** @file The outcomes that an unfinished run has at this moment, even if it is resumed meanwhile. */
import { statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { isLocked } from '../files/lock.js';
import { Bitmap } from './bitmap.js';
import type { RunFolder } from './folder.js';
import { type JournalEntry, tryParse } from './journal.js';
import { linesOf } from './lines.js';

export class OutcomesSoFar {
  readonly #folder: RunFolder;
  readonly #examples: number;
  /** Attack -> its place in the run. */
  readonly #places: ReadonlyMap<string, number>;
  /** Size of the journal when it was first read: others append to it, and the end of the run changes the order of its lines. */
  readonly #size: number;
  /** CRC-32 of the lines that were read first. */
  #sum: number | undefined;
  /** Number of attacks that have searched each example. */
  readonly #searched: Uint16Array;
  readonly #running: boolean;
  #count = 0;

  private constructor(folder: RunFolder, examples: number) {
    this.#folder = folder;
    this.#examples = examples;
    this.#places = new Map(folder.record.attacks.map(({ name }, at) => [name, at]));
    this.#size = statSync(folder.journal, { throwIfNoEntry: false })?.size ?? 0;
    this.#searched = new Uint16Array(examples);
    this.#running = isLocked(folder.path);
  }

  /** Reads them once. Throws RobustError RUN_UNFINISHED where the clean pass is not over yet. */
  static async of(folder: RunFolder): Promise<OutcomesSoFar> {
    const { clean } = folder.record;
    if (clean === undefined)
      throw new RobustError(`expected a run with outcomes, but ${folder.id} has none yet: its clean pass is not over`, {
        code: 'RUN_UNFINISHED',
        hint: `Wait for it, or finish it with: robust attack --resume ${folder.id}`,
      });
    const found = new OutcomesSoFar(folder, clean.examples);
    for await (const { index } of found.entries()) {
      found.#searched[index]!++;
      found.#count++;
    }
    return found;
  }

  /**
   * Each outcome once, in the order in which searches ended; those that were there when this was made, every time. Throws RobustError
   * RUN_DAMAGED, at the end, where the run was ended since then.
   */
  async *entries(): AsyncGenerator<JournalEntry> {
    const { journal, id } = this.#folder;
    if (this.#size === 0) return;
    const seen = new Bitmap(this.#places.size * this.#examples);
    let sum = 0;
    for await (const { text, start, bytes } of linesOf(journal)) {
      if (start + bytes >= this.#size) break;
      const entry = tryParse(text);
      const place = entry && this.#places.get(entry.outcome.attack);
      // As in a resumed run, everything after a torn line is searched again.
      if (entry === undefined || place === undefined || entry.index >= this.#examples) break;
      sum = crc32(text, sum);
      const ordinal = place * this.#examples + entry.index;
      if (seen.has(ordinal)) continue;
      seen.add(ordinal);
      yield entry;
    }
    this.#sum ??= sum;
    if (sum === this.#sum) return;
    throw new RobustError(`run ${id} was ended while it was read`, {
      code: 'RUN_DAMAGED',
      hint: 'Run the command again.',
    });
  }

  /** Has every attack searched this example? Where some have not, one of them may still break it. */
  isWhole(index: number): boolean {
    return this.#searched[index] === this.#places.size;
  }

  /** Too early for rates: the outcomes of short searches come first, and mislead. */
  get isEarly(): boolean {
    return 2 * this.#count < this.#places.size * this.#examples;
  }

  /** The warning for readers of the figures. */
  get remark(): string {
    const { record, id } = this.#folder;
    const total = this.#places.size * this.#examples;
    const shown = record.shard === undefined ? `${this.#count} of ` : '';
    const many = `${shown}${quantity(record.shard === undefined ? total : this.#count, 'outcome')}`;
    const state = this.#running ? 'still running' : `interrupted (robust attack --resume ${id})`;
    return `${state}: ${many} are available, those of short searches first; ${this.isEarly ? 'rates are given from half of them on' : 'overall rates cover the examples that all attacks have searched'}`;
  }
}
