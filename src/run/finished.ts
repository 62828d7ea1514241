/**
 * @file The outcomes of a finished run, none of them believed unseen: each line is an outcome of this run, in its place and there
 * once, as many as run.json says, and all bytes together have the hash that run.json keeps.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { must, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import type { Measure } from '../results/measures/measure.js';
import { cleanRecount } from '../results/report/recount.js';
import { decisionOf } from '../tasks/decide.js';
import type { RunFolder } from './folder.js';
import { type JournalEntry, journalCorrupt, type OnFault, tryParse } from './journal.js';
import { contradictedByAnswers } from './kept-answers.js';
import { type JournalLine, linesOf } from './lines.js';
import { type RunRecord, recordHash } from './record.js';
import { evidenceProblem } from './schemas.js';
import { partialRun, shardOf } from './shard.js';

/** An entry, and the place of its line in results.jsonl. */
export interface PlacedOutcome extends JournalEntry {
  readonly start: number;
  /** Without the line feed. */
  readonly bytes: number;
}

/**
 * The entries in file order, streaming. Faults of the whole show at the end only: draw no conclusion before. Throws
 * RobustError RUN_UNFINISHED; RobustError RUN_DAMAGED naming a line that is not an outcome of this run or is in the wrong place, or because the file was changed; RUN_DAMAGED where outcomes are missing. With `fault` these call it, leave the line out and continue. `missing` is called instead of `fault` for outcomes that are missing. `measures`: of
 * an attack, whose evidence must be as they write it.
 */
export async function* finishedOutcomes(
  folder: RunFolder,
  fault: OnFault = refuse,
  missing: OnFault = fault === refuse ? refusePart : fault,
  measures: (attack: string) => readonly Measure[] = () => [],
): AsyncGenerator<PlacedOutcome> {
  const { id, journal, record } = folder;
  if (record.status !== 'done' || record.clean === undefined) throw unfinished(id);
  const hash = createHash('sha256');
  let [size, end, number] = [0, 0, 0];
  let whole = true;
  const belongs = membership(record, record.clean.examples);
  const own = new Set(record.attacks.flatMap(({ name, ownGoal }) => (ownGoal ? [name] : [])));
  const { labels, decision } = record.model;
  const recount = cleanRecount(labels, decisionOf(decision, labels));
  const lines = linesOf(journal, (chunk) => {
    hash.update(chunk);
    size += chunk.length;
  });
  for await (const line of readable(lines, journal)) {
    number++;
    end = line.start + line.bytes + 1;
    const entry = tryParse(line.text);
    const wrong = entry === undefined ? NO_OUTCOME : (belongs.wrong(entry) ?? evidence(entry, measures));
    if (entry !== undefined && wrong === undefined) {
      if (!own.has(entry.outcome.attack)) recount.add(entry.outcome);
      yield place(entry, line);
    } else {
      whole = false;
      fault(`${journal}:${number}: ${wrong}`);
    }
  }
  const stated = recount.contradicts(record.clean.metrics);
  const wrong = stated === undefined ? (contradictedByAnswers(folder) ?? editedRecord(record)) : `run.json: ${stated}`;
  if (wrong !== undefined) fault(wrong);
  // A fault of a line implies one of the whole: that is reported only without a faulty line.
  const gap = belongs.missing();
  if (gap !== undefined) missing(`${journal}: ${gap}`);
  else if (whole) checkEnd(record, journal, { torn: size > end, lines: number, sum: hash.digest('hex') }, fault);
}

const editedRecord = (record: RunRecord): string | undefined =>
  record.recordSha256 === recordHash(record)
    ? undefined
    : 'run.json: expected the record that this run ended with (recordSha256), got another';

/** Is the file as the run left it? */
function checkEnd(
  { resultsSha256: then }: RunRecord,
  journal: string,
  { torn, lines, sum }: { readonly torn: boolean; readonly lines: number; readonly sum: string },
  fault: OnFault,
): void {
  if (torn) fault(`${journal}:${lines + 1}: expected an outcome, got a line that is cut short`);
  if (sum === then) return;
  const [was, now] = [then ?? '', sum].map((one) => one.slice(0, 12));
  fault(`${journal}: expected the bytes that this run ended with (sha256 ${was}), got others (${now})`);
}

const NO_OUTCOME = 'expected an outcome, got something else';

function evidence({ outcome }: JournalEntry, measures: (attack: string) => readonly Measure[]): string | undefined {
  const wrong = evidenceProblem(outcome, measures(outcome.attack));
  return wrong && `${NO_OUTCOME}: ${wrong}`;
}

/** A file that cannot be read at all holds no outcome, whoever goes on without some. */
async function* readable(lines: AsyncIterable<JournalLine>, journal: string): AsyncGenerator<JournalLine> {
  try {
    yield* lines;
  } catch (error) {
    const { syscall, code, message } = error as NodeJS.ErrnoException;
    throw syscall === undefined && code !== 'FILE_DAMAGED'
      ? error
      : journalCorrupt(`${journal} cannot be read: ${message}`);
  }
}

const refuse: OnFault = (what) => {
  throw journalCorrupt(what);
};
const refusePart: OnFault = (what) => {
  throw partialRun(what);
};

const place = ({ index, outcome }: JournalEntry, { start, bytes }: JournalLine): PlacedOutcome => ({
  index,
  outcome,
  start,
  bytes,
});

const unfinished = (id: string): RobustError =>
  new RobustError(`expected a finished run, but ${id} was interrupted`, {
    code: 'RUN_UNFINISHED',
    hint: `Finish it with: robust attack --resume ${id}`,
  });

/** Which outcomes a run has: attacks in their order, each over the examples in theirs. */
function membership({ attacks, model, shard, fingerprint, partial, outcomes }: RunRecord, examples: number) {
  const places = new Map(attacks.map(({ name }, at) => [name, at]));
  const labels = model.labels.length;
  /** For each example a byte of its id from 1 to 255; 0 = not seen. An index has one id, whatever the attack: two lists that differ soon differ in a byte. */
  const ids = new Uint8Array(examples);
  const found = new Array<number>(attacks.length).fill(0);
  let last = -1;
  const known = outcomes ?? (shard || partial || fingerprint.runBudget ? undefined : attacks.length * examples);

  function wrong({ index, outcome }: JournalEntry): string | undefined {
    const { id, attack, label, from, to } = outcome;
    const at = places.get(attack);
    if (at === undefined) return `expected an outcome of an attack of this run, got "${attack}"`;
    if (index >= examples) return `expected an outcome with an index below ${examples}, got ${index}`;
    if (Math.max(label, from, to) >= labels) {
      return `expected an outcome with labels below ${labels}, got ${label} (from ${from} to ${to})`;
    }
    if (shard !== undefined && shardOf(id, shard.count) !== shard.index) {
      return `expected an outcome of shard ${shard.index} of ${shard.count}, got "${id}"`;
    }
    const ordinal = at * examples + index;
    if (ordinal <= last)
      return `expected each outcome once and in its order, got ${attack} on "${id}" again or too late`;
    const sum = 1 + (crc32(id) % 255);
    if (ids[index] !== 0 && ids[index] !== sum)
      return `expected an outcome with the id that example ${index} has elsewhere, got "${id}"`;
    ids[index] = sum;
    last = ordinal;
    found[at] = must(found[at]) + 1;
    return undefined;
  }

  /** Undefined where nothing is. */
  function missing(): string | undefined {
    const all = found.reduce((sum, n) => sum + n, 0);
    if (known !== undefined && all !== known) return `expected ${quantity(known, 'outcome')}, found ${all}`;
    if (partial !== undefined) return undefined;
    if (shard === undefined && last >= all)
      return `expected outcomes without a gap, but some before the last are missing`;
    const whole = fingerprint.runBudget === undefined;
    if (whole && found.some((n) => n !== (shard === undefined ? examples : found[0]))) {
      return `expected ${shard === undefined ? examples : found[0]} outcomes of each attack, found ${found.join(', ')}`;
    }
    return undefined;
  }

  return { wrong, missing };
}
