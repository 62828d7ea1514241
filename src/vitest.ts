/**
 * @file `robust-text/vitest`: a model's robustness as an assertion of a test.
 *
 *     import { toBeRobust } from 'robust-text/vitest';
 *     expect.extend({ toBeRobust });
 *     await expect('./my-model').toBeRobust({ data: 'dev.tsv', suites: ['typos'], accuracyUnderAttack: '>= 0.6' });
 *
 * `assertRobust` is the same for node:test and other runners.
 */
import type {} from 'vitest';
import { type GateOptions, gate } from './app/gate.js';
import { RobustError } from './core/errors.js';
import { measuredText, requiredText } from './results/report/judged-text.js';
import type { JudgedThreshold } from './results/report/verdict.js';

declare module 'vitest' {
  interface Matchers<T> {
    /** The model of this name or path meets the limits. An inconclusive run fails the assertion and its negation. */
    toBeRobust(expected: Robustness): Promise<void>;
  }
}

/** Figures over all attacks of the run, as limits: ">= 0.6", "<= 30 %", ">= 0.1 and <= 0.3". */
const FIGURES = {
  accuracyUnderAttack: 'overall.accuracyUnderAttack',
  attackSuccessRate: 'overall.attackSuccessRate',
  accuracy: 'clean.accuracy',
} as const;

export interface Robustness extends Omit<GateOptions, 'model' | 'run'> {
  /** At least one of these, or of `require`. */
  readonly accuracyUnderAttack?: string;
  readonly attackSuccessRate?: string;
  /** Accuracy on the unedited texts. */
  readonly accuracy?: string;
  /** Not allowed, because a finished run may be of another model than the one named. */
  readonly run?: never;
}

interface JudgedMatch {
  readonly passed: boolean;
  readonly message: string;
}

/** Throws RobustError if no limit is given, RobustError INCONCLUSIVE if the run is inconclusive. */
async function judge(model: string, expected: Robustness): Promise<JudgedMatch> {
  if (expected.run !== undefined)
    throw new RobustError(`expected no run: it may be of another model than ${model}, which is attacked here`, {
      code: 'FLAG_INVALID',
      hint: "Leave run out; to judge a finished run, call gate({ run }) of 'robust-text'.",
    });
  const { accuracyUnderAttack, attackSuccessRate, accuracy, require = [], ...options } = expected;
  const limits = Object.entries({ accuracyUnderAttack, attackSuccessRate, accuracy }).flatMap(([name, limit]) =>
    limit === undefined ? [] : [`${FIGURES[name as keyof typeof FIGURES]} ${limit}`],
  );
  if (limits.length + require.length === 0)
    throw new RobustError('toBeRobust: expected a limit, got none', {
      code: 'FLAG_INVALID',
      hint: `For example: { accuracyUnderAttack: '>= 0.6' }`,
    });
  const report = await gate({ ...options, model, require: [...require, ...limits] });
  const lines = (report.gate?.thresholds ?? []).map(line);
  if (report.verdict === 'inconclusive')
    throw new RobustError([`${model}: the run is inconclusive:`, ...lines, ...(report.reasons ?? [])].join('\n  '), {
      code: 'INCONCLUSIVE',
      hint: 'Use more examples, or see the reasons.',
    });
  return { passed: report.verdict === 'passed', message: [`${model}:`, ...lines, report.command].join('\n  ') };
}

const line = (one: JudgedThreshold): string =>
  `${one.verdict}: ${one.metric} ${requiredText(one)}, got ${measuredText(one)}${one.reason === undefined ? '' : ` (${one.reason})`}`;

/** A matcher for `expect.extend`. An inconclusive run fails the assertion, also under `.not`. */
export async function toBeRobust(
  received: unknown,
  expected: Robustness,
): Promise<{ pass: boolean; message(): string }> {
  if (typeof received !== 'string')
    throw new RobustError(`toBeRobust: expected a model by name or path, got ${typeof received}`, {
      code: 'FLAG_INVALID',
    });
  const { passed, message } = await judge(received, expected);
  return { pass: passed, message: () => message };
}

/** Rejects with RobustError NOT_ROBUST if the model does not meet the limits. */
export async function assertRobust(model: string, expected: Robustness): Promise<void> {
  const { passed, message } = await judge(model, expected);
  if (!passed) throw new RobustError(message, { code: 'NOT_ROBUST', hint: 'The run is kept in .robust/runs.' });
}
