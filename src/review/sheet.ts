/**
 * @file A review as a CSV file, for readers without this tool and for crowd platforms. An exported sheet holds blind items only, in the
 * order of one reader; answers come back in the same columns.
 */
import { CsvError, parse } from 'csv-parse/sync';
import { csvLine } from '../core/csv-cell.js';
import { RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { isNumbered, type ReviewAnswer, type ReviewPlan, type ReviewQuestion } from './plan.js';
import type { BlindItem } from './session.js';

export const CANNOT_TELL = "can't tell";
/** The answer that no label fits, for several labels. */
const NONE = 'none';

/** Controls could steer a terminal and break a cell; line breaks and tabs are text. */
const CONTROLS = /\p{Cc}(?<![\t\n\r])/gu;

/** A text as readers see it: only control characters are replaced. */
const readable = (text: string): string => text.replace(CONTROLS, '\uFFFD');

/** The sheet of some items. Every row has the same question; items differ only in their texts and ids. */
export function sheetOf({ key, question }: ReviewPlan, items: readonly BlindItem[]): string {
  const pair = items.some(({ texts }) => texts.length === 2);
  const columns = ['review', 'item', ...(pair ? ['text', 'text2'] : ['text']), 'question', 'choices', 'answer', 'note'];
  const choices = choicesOf(question);
  const rows = items.map(({ id, texts }) => [key, id, ...texts.map(readable), question.prompt, choices, '', '']);
  return [columns, ...rows].map(csvLine).join('');
}

function choicesOf(question: ReviewQuestion): string {
  const { kind, options } = question;
  const number = (at: number): string => (isNumbered(question) ? `${at}: ` : '');
  return [
    ...options.map(({ name }, at) => `${number(at + 1)}${name}`),
    ...(kind === 'labels' ? [NONE] : []),
    `${number(0)}${CANNOT_TELL}`,
  ].join(' | ');
}

export interface SheetAnswer {
  readonly item: string;
  /** From the column `reader`, if there is one. */
  readonly reader?: string | undefined;
  readonly answer: ReviewAnswer;
  readonly note?: string | undefined;
  readonly seconds?: number | undefined;
}

type SheetRow = Readonly<Record<string, string>>;

const MOST_FAULTS = 10;

/**
 * The answers of a sheet that came back; rows without an answer are left out. `file` names it in errors. Throws RobustError REVIEW_DAMAGED
 * with every faulty row: another review, unknown items, answers that are no option, contradictions.
 */
export function readSheet(text: string, file: string, { key, question, items }: ReviewPlan): SheetAnswer[] {
  const rows = rowsOf(text, file);
  const known = new Set(items.map(({ id }) => id));
  const faults: string[] = [];
  const answers: SheetAnswer[] = [];
  const given = new Map<string, string>();
  for (const [at, row] of rows.entries()) {
    const { item = '', answer = '', reader = '' } = row;
    if (answer.trim() === '') continue;
    const earlier = given.get(`${reader} ${item}`) ?? answer;
    const read = row.review !== undefined && row.review !== key ? otherReview(row, key) : readRow(row, known, question);
    const fault = earlier === answer ? read : `item ${item} has two answers: "${earlier}", "${answer}"`;
    if (typeof fault === 'string') faults.push(`${file}, row ${at + 2}: ${fault}`);
    else answers.push(fault);
    if (typeof read === 'object') given.set(`${reader} ${item}`, answer);
  }
  if (faults.length > 0) throw sheetError(faults);
  return answers;
}

const otherReview = ({ review }: SheetRow, key: string): string =>
  `expected an item of review ${key}, got one of review "${review}"`;

/** The answer of a row, or what is wrong with it. */
function readRow(row: SheetRow, known: ReadonlySet<string>, question: ReviewQuestion): SheetAnswer | string {
  const { item = '', answer: written = '', note = '', reader = '', seconds = '' } = row;
  const answer = parseAnswer(written, question);
  const time = seconds.trim() === '' ? undefined : Number(seconds);
  if (!known.has(item)) return `expected an item of this review, got "${item}"`;
  if (answer === undefined) return `expected one of ${choicesOf(question)}, got "${written}"`;
  if (time !== undefined && !(time >= 0)) return `seconds: expected a number of at least 0, got "${seconds}"`;
  return { item, answer, reader: reader || undefined, note: note || undefined, seconds: time };
}

function sheetError(faults: readonly string[]): RobustError {
  const more = faults.length - MOST_FAULTS;
  const lines = [...faults.slice(0, MOST_FAULTS), ...(more > 0 ? [`and ${quantity(more, 'more row')}`] : [])];
  return new RobustError(lines.join('\n'), {
    code: 'REVIEW_DAMAGED',
    hint: 'Nothing was imported. Correct these rows, or export the sheet again: robust review --export sheet.csv.',
  });
}

function rowsOf(text: string, file: string): SheetRow[] {
  const [header = ''] = text.replace(/^\uFEFF/, '').split('\n', 1);
  const separator = [',', ';', '\t'].find((each) => header.includes(each)) ?? ',';
  let rows: SheetRow[];
  try {
    rows = parse(text, {
      bom: true,
      delimiter: separator,
      columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
      skip_empty_lines: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw sheetError([`${file}: ${error.message}`]);
  }
  const [first] = rows;
  const missing = ['item', 'answer'].filter((name) => first !== undefined && !(name in first));
  if (first === undefined) throw sheetError([`${file}: expected rows with answers, got none`]);
  if (missing.length > 0) throw sheetError([`${file}: expected the columns item and answer, got ${header.trim()}`]);
  return rows;
}

/** An answer as people write it: the number of an option, its name, unsure, or a list for several labels. Undefined for anything else. */
export function parseAnswer(written: string, question: ReviewQuestion): ReviewAnswer | undefined {
  const { kind, options } = question;
  const text = plain(written);
  const numbered = isNumbered(question);
  if ((text === '0' && numbered) || text === '?' || text === CANNOT_TELL) return null;
  const option = (part: string): number => {
    const named = options.findIndex(({ name }) => plain(name) === part);
    if (named >= 0) return named;
    const number = numbered && /^\d+$/.test(part) ? Number(part) - 1 : -1;
    return number in options ? number : -1;
  };
  if (kind !== 'labels') {
    const at = option(text);
    return at < 0 ? undefined : at;
  }
  const parts = text === NONE ? [] : text.split(/[,;|+]/).map((part) => option(part.trim()));
  return parts.includes(-1) ? undefined : [...new Set(parts)].sort((one, other) => one - other);
}

/** Without the apostrophe that keeps a spreadsheet from running a cell. */
const plain = (text: string): string =>
  text
    .trim()
    .replace(/^'(?=[=+\-@])/, '')
    .replace(/’/g, "'")
    .toLowerCase();
