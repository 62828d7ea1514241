/**
 * @file A reader's journal: one line for each answer, appended and flushed to disk before the next text is shown. A later line replaces an
 * earlier one about the same item. A torn last line is cut off when the journal is opened, so a killed process loses no answer.
 */
import { closeSync, existsSync, ftruncateSync } from 'node:fs';
import { z } from 'zod';
import { type Declared, nonEmpty } from '../core/declared.js';
import { RobustError } from '../core/errors.js';
import { readFileSync } from '../files/read.js';
import { appendWhole, openToWrite, outputError } from '../files/write.js';
import { answerSchema, type ReviewAnswer } from './plan.js';

const headerSchema = z.object({
  schemaVersion: z.literal(1),
  plan: nonEmpty,
  reader: nonEmpty,
  kind: z.enum(['person', 'model']),
  address: z.string().describe('Address of a model, without secrets.').exactOptional(),
});

export interface JournalHeader extends Declared<typeof headerSchema> {}

const lineSchema = z.object({
  item: nonEmpty,
  answer: answerSchema.exactOptional(),
  retracted: z.literal(true).exactOptional(),
  seconds: z.number().min(0).exactOptional(),
  note: z.string().exactOptional(),
  at: z.string(),
});

export interface ReviewLine extends Declared<typeof lineSchema> {}

/** The last answer about an item. */
export interface ItemReading {
  readonly answer: ReviewAnswer;
  /** Time until the answer; absent where it was not measured. */
  readonly seconds?: number;
  readonly note?: string;
}

export interface ReviewJournal {
  readonly header: JournalHeader;
  /** Item -> answer, in the order of the answers. */
  readonly readings: ReadonlyMap<string, ItemReading>;
}

/** Reads a journal without changing it. Throws RobustError REVIEW_DAMAGED for a line that cannot be read. */
export function readJournal(path: string): ReviewJournal {
  const [first = '', ...lines] = wholeLines(path);
  const header = parsed(path, 1, first, headerSchema) as JournalHeader;
  const readings = new Map<string, ItemReading>();
  for (const [at, text] of lines.entries()) {
    const line = parsed(path, at + 2, text, lineSchema) as ReviewLine;
    const { item, answer, seconds, note } = line;
    if (line.retracted) readings.delete(item);
    if (answer === undefined) continue;
    readings.delete(item);
    readings.set(item, { answer, ...(seconds !== undefined && { seconds }), ...(note !== undefined && { note }) });
  }
  return { header, readings };
}

/** Cuts off what follows the last line feed; begins the journal where it has no whole line. Throws OutputError. */
export function repairJournal(path: string, header: JournalHeader): void {
  if (existsSync(path)) {
    const bytes = readFileSync(path);
    const end = bytes.lastIndexOf(10) + 1;
    if (end < bytes.length) truncate(path, end);
    if (end > 0) return;
  }
  append(path, header);
}

/** Adds a line. When it returns, the answer is on the disk. Throws OutputError. */
export const appendReading = (path: string, line: ReviewLine): void => append(path, line);

const append = (path: string, line: JournalHeader | ReviewLine): void =>
  appendWhole(path, `${JSON.stringify(line)}\n`, 'an answer', { flush: true });

function truncate(path: string, end: number): void {
  try {
    const file = openToWrite(path);
    ftruncateSync(file, end);
    closeSync(file);
  } catch (error) {
    throw outputError('the answers', path, error);
  }
}

function wholeLines(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.pop();
  return lines;
}

function parsed<T>(path: string, line: number, text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new RobustError(`${path}:${line}: expected an answer of a review, got something else`, {
      code: 'REVIEW_DAMAGED',
      hint: 'The file was damaged or edited: remove that line.',
      cause,
    });
  }
}
