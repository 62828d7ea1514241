/** @file A report with everything a renderer must handle: success, failure, hostile text, no text, an attack without successes. */
import { defined } from '../core/defined.js';
import { wilson } from '../core/statistics/stats.js';
import type { Measure, Outcome, Report } from '../plugin.js';
import type { AttackMetrics } from '../results/measures/attack-metrics.js';
import { attackRates } from '../results/measures/attack-rates.js';
import { capabilities } from '../results/measures/capabilities.js';
import { GENERAL_MEASURES as generalMeasures } from '../results/measures/index.js';
import { embeddingMeasures } from '../search/embedding-measures.js';
import { headlineOf } from '../tasks/headline.js';

const outcome = (
  id: string,
  attack: string,
  text: string,
  adversarial: string | undefined,
  rest: Partial<Outcome> = {},
): Outcome => ({
  id,
  attack,
  status: adversarial === undefined ? 'failed' : 'succeeded',
  text,
  label: 1,
  from: 1,
  to: adversarial === undefined ? 1 : 0,
  scoreBefore: 0.98,
  scoreAfter: adversarial === undefined ? 0.81 : 0.12,
  ...defined({ adversarial }),
  words: text.split(' ').length,
  changed: adversarial === undefined ? 0 : 1,
  queries: { asked: 12, computed: 11 },
  ...rest,
});

export const HOSTILE =
  "=cmd|' /C calc'!A0 \u001B[31mred\u001B[0m \u202Eevil\u202C <img src=x> [a](http://x.y) | `code` @you";

export const outcomes: readonly Outcome[] = [
  outcome('1', 'deepwordbug', 'What an idiot !', 'What an idiit !', {
    label: 0,
    from: 0,
    to: 1,
    scoreBefore: 0.85,
    scoreAfter: 0.07,
  }),
  outcome('2', 'deepwordbug', 'A warm, funny film.', undefined),
  outcome('3', 'zero-width', 'A good, honest film.', 'A go\u200Bod, honest film.'),
  outcome('4', 'homoglyphs', 'A good, honest film.', 'A g\u043E\u043Ed, honest film.'),
  outcome('5', 'deepwordbug', HOSTILE, HOSTILE.replace('evil', 'evl')),
  outcome('6', 'deepwordbug', 'Never mind.', undefined, {
    status: 'skipped',
    from: 0,
    to: 0,
    scoreBefore: 0.2,
    scoreAfter: 0.2,
  }),
  outcome('7', 'zero-width', 'Lost.', undefined, { status: 'errored', reason: 'the worker died' }),
];

/** Measures of the built-in attacks. */
export const measures: readonly Measure[] = [...embeddingMeasures, capabilities, ...generalMeasures];

/** `rest`: further fields, including values of measures. */
export const attack = (name: string, succeeded: number, failed: number, rest: object = {}): AttackMetrics => ({
  name,
  suite: 'typos',
  constraints: ['at most 30 edits', 'no stop word is edited'],
  options: { maxEdits: 30 },
  succeeded,
  failed,
  tied: 0,
  skipped: 3,
  errored: 0,
  ...attackRates({ flipped: succeeded, kept: failed, wrong: 3 }),
  perturbedWords: succeeded === 0 ? null : 0.125,
  queries: { asked: 31.25, computed: 29.5 },
  perClass: [],
  seconds: 1.5,
  ...rest,
});

export function report(rest: Partial<Report> = {}): Report {
  const whole = {
    model: { name: 'distilbert', sha256: 'a'.repeat(64), labels: ['negative', 'positive'] },
    data: { name: 'reviews', sha256: 'b'.repeat(64), examples: 20 },
    seed: 42,
    engine: 'onnx',
    toolVersion: '0.1.0',
    clean: {
      accuracy: wilson(17, 20),
      macroF1: 0.8496,
      microF1: 0.85,
      fBeta: { beta: 1, macro: 0.8496 },
      perClass: [
        { label: 'negative', precision: 0.8889, recall: 0.8, f1: 0.8421, support: 10 },
        { label: 'positive', precision: 0.8182, recall: 0.9, f1: 0.8571, support: 10 },
      ],
      confusion: [
        [8, 2],
        [1, 9],
      ],
      calibration: { error: 0.071, bins: [] },
    },
    attacks: [attack('deepwordbug', 14, 3), attack('homoglyphs', 17, 0), attack('zero-width', 0, 16, { errored: 1 })],
    measures,
    suites: [
      {
        name: 'typos',
        attacks: ['deepwordbug', 'homoglyphs', 'zero-width'],
        ...attackRates({ flipped: 17, kept: 0, wrong: 3 }),
      },
    ],
    overall: attackRates({ flipped: 17, kept: 0, wrong: 3 }),
    examples: {
      async *[Symbol.asyncIterator]() {
        yield* outcomes;
      },
    },
    closest: outcomes.filter((o) => o.status === 'succeeded'),
    warnings: ['2 texts were truncated to 512 tokens'],
    verdict: 'none',
    run: '20261120T211400Z-ab12cd',
    command: 'robust attack --model distilbert --suite typos --seed 42',
    ...rest,
  } satisfies Partial<Report>;
  return { headline: headlineOf(whole), ...whole } as Report;
}
