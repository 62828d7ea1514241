/** @file A report as `-o report.json` wrote it, read back. */
import { readFileSync } from 'node:fs';
import { RobustError, UsageError } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';
import type { Report } from '../core/report.js';

/** Of the documents this version reads. */
const SCHEMA_VERSION = 1;

interface Document {
  readonly schemaVersion: number;
  readonly ok: boolean;
  readonly result: Omit<Report, 'examples' | 'telling' | 'warnings' | 'command'> & {
    readonly examples: readonly Outcome[];
    readonly replay: string;
  };
  readonly warnings: readonly string[];
}

/** Throws UsageError for a document that is none, RobustError REPORT_NEWER for one of a newer version. */
export async function readReportFile(path: string): Promise<Report> {
  const { result, warnings } = parse(path);
  // What an earlier gate said of it is not the run's own.
  const { examples, replay, gate, verdict, ...rest } = result;
  return {
    ...rest,
    verdict: gate === undefined ? verdict : 'none',
    suites: rest.suites ?? [],
    examples: {
      async *[Symbol.asyncIterator]() {
        yield* examples;
      },
    },
    telling: [],
    warnings,
    command: replay,
  };
}

function parse(path: string): Document {
  let document: Partial<Document>;
  try {
    document = JSON.parse(readFileSync(path, 'utf8')) as Partial<Document>;
  } catch (cause) {
    throw notOne(path, cause);
  }
  const version = document?.schemaVersion;
  if (typeof version === 'number' && version > SCHEMA_VERSION) throw newer(path, version, SCHEMA_VERSION);
  const { result } = document ?? {};
  const whole =
    version === SCHEMA_VERSION &&
    document.ok === true &&
    typeof result?.clean?.accuracy === 'object' &&
    Array.isArray(result.attacks) &&
    Array.isArray(result.examples) &&
    typeof result.overall === 'object' &&
    typeof result.data?.examples === 'number';
  if (!whole) throw notOne(path);
  return document as Document;
}

/** What was written by a robust that knows more than this one. */
export const newer = (path: string, version: number, known: number): RobustError =>
  new RobustError(`${path}: expected schema version ${known} or older, got ${version}`, {
    code: 'REPORT_NEWER',
    hint: 'It was written by a newer robust: update this one.',
  });

const notOne = (path: string, cause?: unknown): UsageError =>
  new UsageError(`expected a report of attacks in ${path}, got something else`, {
    code: 'REPORT_SHAPE',
    hint: 'Write one with: robust attack -o report.json',
    cause,
  });
