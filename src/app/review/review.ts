/** @file Reviews a run: by sheets that are exported and imported, or by a language model. It returns how far its readers are, and the figures. */
import { type GivenValues, nonEmptyText, pickSettings, type Settings } from '../../config/setting.js';
import { endpointSettings } from '../../config/settings/endpoint.js';
import { defined } from '../../core/defined.js';
import { messageOf, RobustError } from '../../core/errors.js';
import { readFileSync } from '../../files/read.js';
import { writeNamed } from '../../files/write.js';
import type { AttackMetrics } from '../../results/measures/attack-metrics.js';
import { valueAt } from '../../results/measures/measure.js';
import { REVIEWED_FIGURES } from '../../results/measures/review.js';
import type { Report } from '../../results/report/report.js';
import {
  countTexts,
  firstReadings,
  intervalWidth,
  type ReaderSession,
  type ReviewFolder,
  readSheet,
  sheetOf,
} from '../../review/index.js';
import type { UseCaseHooks } from '../context.js';
import { openReport } from '../runs/open-report.js';
import { checkWritable } from '../runs/output-files.js';
import { type UseCaseFunction, useCase } from '../use-case.js';
import { JUDGE_SECONDS, type JudgeResult, judgeReview } from './judge.js';
import { type OpenReviewOptions, openReview, reviewDesignSettings } from './open-review.js';

export type { JudgeResult } from './judge.js';

/** One reader on one machine. */
export const USUAL_READER = 'reader-1';

export const reviewSettings = {
  as: {
    schema: nonEmptyText.optional(),
    value: 'reader',
    help: `name of the reader; a pseudonym will do [default: ${USUAL_READER}; with --judge, the name of the model]`,
  },
  export: {
    schema: nonEmptyText.optional(),
    value: 'file.csv',
    path: 'output',
    help: 'write the texts that the reader has not answered to a sheet',
  },
  import: {
    schema: nonEmptyText.optional(),
    value: 'file.csv',
    path: 'input',
    help: 'take the answers of a sheet; its column reader, if there is one, names the readers',
  },
  judge: {
    schema: nonEmptyText.optional(),
    value: 'address',
    expands: true,
    exclusive: ['export', 'import'],
    help: 'let a language model read too, such as openai-chat+http://127.0.0.1:8080/v1#NAME; it never counts as a person',
  },
  ...reviewDesignSettings,
  ...pickSettings(endpointSettings, 'headers', 'rate', 'maxRequests'),
} as const satisfies Settings;

export interface ReviewOptions extends GivenValues<typeof reviewSettings>, UseCaseHooks {
  /** Id or folder of a finished run. @default 'latest' */
  readonly run?: string | undefined;
}

export interface ReviewSessionOptions extends OpenReviewOptions {
  /** Name of the reader. @default 'reader-1' */
  readonly as?: string | undefined;
}

export interface ReaderProgress {
  readonly name: string;
  readonly kind: 'person' | 'model';
  readonly answered: number;
  readonly total: number;
}

export interface ReviewResult {
  readonly run: string;
  /** Folder of the plan and the answers. */
  readonly folder: string;
  /** Is the plan, or a part of it, new? */
  readonly changed: boolean;
  readonly seed: number;
  readonly question: string;
  readonly texts: number;
  readonly controls: number;
  readonly repeats: number;
  /** Width of the widest 95 % interval of this number of texts. */
  readonly width: number;
  readonly readers: readonly ReaderProgress[];
  readonly exported?: { readonly file: string; readonly items: number };
  readonly imported?: { readonly file: string; readonly answers: Readonly<Record<string, number>> };
  /** The answers of a language model in this call. */
  readonly judged?: JudgeResult;
  /** Once somebody has answered: the figures of the report. */
  readonly review?: NonNullable<Report['review']>;
  readonly attacks?: readonly ({ readonly name: string } & Readonly<Record<string, unknown>>)[];
}

/**
 * Plans the review of a run that has no plan yet, does what the options ask for, and returns its figures. Throws what `openReview` throws;
 * RobustError NAME_INVALID, REVIEW_DAMAGED, REVIEW_MISMATCH, EXAMPLES_TOO_FEW, ADDRESS_INVALID; RobustError REVIEW_DAMAGED, INTERRUPTED; ModelError; OutputError.
 */
export const review: UseCaseFunction<ReviewOptions, ReviewResult> = useCase({
  settings: reviewSettings,
  others: ['run'],
  async run(choice, context, { run }) {
    const { as, export: sheet, import: back, judge, width, numExamples, seed } = choice;
    if (sheet !== undefined) checkWritable(sheet, '--export');
    const opened = await openReview({ run, width, numExamples, seed });
    const { folder } = opened;
    const exported = sheet === undefined ? undefined : exportSheet(folder.session(as ?? USUAL_READER), folder, sheet);
    const imported = back === undefined ? undefined : importSheet(folder, as ?? USUAL_READER, back);
    const judging = context.with({ access: { ...choice, timeout: JUDGE_SECONDS } });
    const judged = judge === undefined ? undefined : await judgeReview(folder, judge, as, judging);
    return {
      ...stateOf(folder),
      run: opened.run.id,
      changed: opened.changed,
      ...defined({ exported, imported, judged }),
      ...(await figuresOf(opened.run.path)),
    };
  },
});

/** Opens the review of a run for one reader. Throws what `openReview` throws; RobustError NAME_INVALID, REVIEW_MISMATCH; RobustError REVIEW_DAMAGED. */
export async function reviewSession({
  as = USUAL_READER,
  ...options
}: ReviewSessionOptions = {}): Promise<ReaderSession> {
  const { folder } = await openReview(options);
  return folder.session(as);
}

function stateOf(review: ReviewFolder) {
  const { path, plan } = review;
  const first = firstReadings(plan).length;
  const texts = countTexts(plan);
  return {
    folder: path,
    seed: plan.seed,
    question: plan.question.prompt,
    texts,
    controls: first - texts,
    repeats: plan.items.length - first,
    width: intervalWidth(texts),
    readers: review.progress(),
  };
}

async function figuresOf(run: string): Promise<Pick<ReviewResult, 'review' | 'attacks'>> {
  const { report } = await openReport(run);
  return report.review === undefined ? {} : { review: report.review, attacks: report.attacks.map(reviewedOf) };
}

const reviewedOf = (attack: AttackMetrics) => ({
  name: attack.name,
  ...Object.fromEntries(
    [...REVIEWED_FIGURES].flatMap((key) => {
      const value = valueAt(attack, key);
      return value === undefined ? [] : [[key, value]];
    }),
  ),
});

function exportSheet(session: ReaderSession, { plan }: ReviewFolder, file: string) {
  const { open } = session;
  if (open.length === 0)
    throw new RobustError(`expected texts that ${session.reader} has not answered, got none`, {
      code: 'EXAMPLES_TOO_FEW',
      hint: 'Name another reader: --as reader-2. Or add texts: -n.',
    });
  writeNamed(file, sheetOf(plan, open), 'the sheet');
  return { file, items: open.length };
}

/** All answers of a sheet are checked before the first is stored. */
function importSheet(folder: ReviewFolder, as: string, file: string): NonNullable<ReviewResult['imported']> {
  const rows = readSheet(textOf(file), file, folder.plan);
  const sessions = new Map<string, ReaderSession>();
  for (const { reader = as } of rows) if (!sessions.has(reader)) sessions.set(reader, folder.session(reader));
  const answers: Record<string, number> = {};
  for (const { item, reader = as, answer, ...details } of rows) {
    sessions.get(reader)?.answer(item, answer, details);
    answers[reader] = (answers[reader] ?? 0) + 1;
  }
  return { file, answers };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new RobustError(`--import: expected a sheet in ${file}: ${messageOf(cause)}`, {
      code: 'REVIEW_DAMAGED',
      hint: 'Name the CSV file that came back.',
      cause,
    });
  }
}
