/** @file One reader at work: the next text, the answer, the way back. All state is in the journal, so a session can end at any moment. */
import { RobustError } from '../core/errors.js';
import { queryParts, queryText } from '../core/pair.js';
import { random } from '../core/random.js';
import {
  appendReading,
  type ItemReading,
  type JournalHeader,
  type ReviewJournal,
  readJournal,
  repairJournal,
} from './journal.js';
import type { PlannedItem, ReviewAnswer, ReviewPlan } from './plan.js';

/** An item as readers see it: nothing here depends on its kind, its attack, its truth or the answers of others. */
export interface BlindItem {
  readonly id: string;
  /** The text, or both texts of a pair in the order in which a model reads them. */
  readonly texts: readonly [string] | readonly [string, string];
}

export interface ReviewProgress {
  readonly answered: number;
  readonly total: number;
}

export interface AnswerDetails {
  /** Time from showing the item to the answer. */
  readonly seconds?: number | undefined;
  readonly note?: string | undefined;
}

export class ReaderSession {
  readonly reader: string;
  readonly #plan: ReviewPlan;
  readonly #path: string;
  readonly #order: readonly PlannedItem[];
  readonly #readings: Map<string, ItemReading>;

  private constructor(plan: ReviewPlan, path: string, { header, readings }: ReviewJournal) {
    this.reader = header.reader;
    this.#plan = plan;
    this.#path = path;
    this.#order = orderOf(plan, header.reader);
    this.#readings = new Map(readings);
  }

  /**
   * Opens or begins the journal at `path`, whatever a killed process left there. Throws RobustError REVIEW_MISMATCH for the journal of another
   * plan or another kind of reader, RobustError REVIEW_DAMAGED, OutputError.
   */
  static open(plan: ReviewPlan, path: string, header: JournalHeader): ReaderSession {
    repairJournal(path, header);
    const journal = readJournal(path);
    const other = differenceOf(journal.header, header);
    if (other === undefined) return new ReaderSession(plan, path, journal);
    throw new RobustError(`${path}: ${other}`, { code: 'REVIEW_MISMATCH', hint: 'Choose another name: --as.' });
  }

  get question(): ReviewPlan['question'] {
    return this.#plan.question;
  }

  get progress(): ReviewProgress {
    const answered = this.#order.filter(({ id }) => this.#readings.has(id)).length;
    return { answered, total: this.#order.length };
  }

  /** The items without an answer, in the order of this reader. */
  get open(): BlindItem[] {
    return this.#order.filter(({ id }) => !this.#readings.has(id)).map(blind);
  }

  /** The next item without an answer; undefined at the end. */
  next(): BlindItem | undefined {
    const item = this.#order.find(({ id }) => !this.#readings.has(id));
    return item && blind(item);
  }

  /** This reader's own answer. */
  readingOf(id: string): ItemReading | undefined {
    return this.#readings.get(id);
  }

  /** Stores an answer, which replaces an earlier one. Throws RobustError REVIEW_INVALID; OutputError. */
  answer(id: string, answer: ReviewAnswer, details: AnswerDetails = {}): void {
    this.#check(id);
    const { kind, options } = this.question;
    const fits =
      answer === null ||
      (kind === 'labels'
        ? typeof answer === 'object' && answer.every((each, at) => each in options && each > (answer[at - 1] ?? -1))
        : typeof answer === 'number' && answer in options);
    if (!fits)
      throw new RobustError(
        `item ${id}: expected an answer to "${this.question.prompt}", got ${JSON.stringify(answer)}`,
        {
          code: 'REVIEW_INVALID',
          hint: `An answer is the index of one of ${options.length} options${kind === 'labels' ? ', ascending in a list' : ''}, or null.`,
        },
      );
    const { seconds, note } = details;
    const reading: ItemReading = {
      answer,
      ...(seconds !== undefined && { seconds: Math.round(seconds * 100) / 100 }),
      ...(note !== undefined && note !== '' && { note }),
    };
    appendReading(this.#path, { item: id, ...reading, at: new Date().toISOString() });
    this.#readings.delete(id);
    this.#readings.set(id, reading);
  }

  /** Takes the last answer back and returns its item, which is the next one again; undefined without an answer. */
  undo(): BlindItem | undefined {
    const last = [...this.#readings.keys()].at(-1);
    const item = this.#order.find(({ id }) => id === last);
    if (last === undefined || item === undefined) return undefined;
    appendReading(this.#path, { item: last, retracted: true, at: new Date().toISOString() });
    this.#readings.delete(last);
    return blind(item);
  }

  #check(id: string): void {
    if (this.#order.some((item) => item.id === id)) return;
    throw new RobustError(`expected an item of review ${this.#plan.key}, got "${id}"`, {
      code: 'REVIEW_INVALID',
      hint: 'Items are of one review: export its sheet again.',
    });
  }
}

/** How the header of a journal differs from that of the reader who opens it; undefined if it is the same reader's. */
function differenceOf(found: JournalHeader, wanted: JournalHeader): string | undefined {
  if (found.plan !== wanted.plan) return `expected answers of review ${wanted.plan}, got those of review ${found.plan}`;
  if (found.kind !== wanted.kind) return `expected the answers of a ${wanted.kind}, got those of a ${found.kind}`;
  if (found.address === wanted.address) return undefined;
  return `expected the answers of ${wanted.address}, got those of ${found.address}`;
}

/** The items in the order of a reader: a shuffle by the seed and the name. Ids are sorted first, so that no other order shows through. */
export const orderOf = ({ seed, items }: ReviewPlan, reader: string): PlannedItem[] =>
  random(seed, 'review', 'order', reader).shuffle(items.toSorted((one, other) => (one.id < other.id ? -1 : 1)));

const blind = (item: PlannedItem): BlindItem => ({ id: item.id, texts: queryParts(queryText(item.text, item)) });
