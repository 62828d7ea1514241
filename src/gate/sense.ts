/**
 * @file Refuses limits that hardly anybody means: those that can never fail or never pass, point in the wrong direction, or are
 * a hundredth of what was meant. A range with both ends, ">= 0 and <= 0.9", always says what is meant and is accepted.
 */
import { must, RobustError } from '../core/errors.js';
import { CLEAN_FIGURES, type CleanFigure } from '../results/clean/clean-metrics.js';
import type { Waiver } from '../results/report/verdict.js';
import { isUpper, type Limit, type Threshold } from './threshold.js';

const lastPart = (metric: string): string => metric.slice(metric.lastIndexOf('.') + 1);

/** `leakRate` of `tags.leakRate.US_SSN`: behind a figure of entities is their type. */
const figureIn = (metric: string): string => /^tags\.([^.]+)/.exec(metric)?.[1] ?? lastPart(metric);

const cleanFigures = (better: CleanFigure['better']): string[] =>
  CLEAN_FIGURES.flatMap((figure) => (figure.better === better ? [lastPart(figure.key)] : []));

/** Fractions of which more is better, by the last part of their names. */
const HIGHER_IS_BETTER = new Set([
  ...['originalAccuracy', 'accuracyUnderAttack', 'worstCaseAccuracy', 'originalRecall', 'recallUnderAttack'],
  ...['f1', 'labelKept', 'proved', 'notBroken', ...cleanFigures('higher')],
]);
/** Fractions of which less is better. */
const LOWER_IS_BETTER = new Set([
  ...['attackSuccessRate', 'evasionRate', 'alarmRate', 'failureRate'],
  ...['originalFalsePositiveRate', 'falsePositiveRateUnderAttack'],
  ...['leakRate', 'leakRateBefore', 'leakedCharacters', 'leakedTexts'],
  ...['validSuccessRate', 'broken', 'unfinished', ...cleanFigures('lower')],
]);

/** Days ahead that a waiver may last. */
const LONGEST_WAIVER = 366;

/** Throws RobustError with all limits that make no sense. */
export function checkSense(thresholds: readonly Threshold[]): void {
  const lines = thresholds.flatMap((threshold) => {
    const problem = problemOf(threshold);
    return problem === undefined ? [] : [`${threshold.origin}: ${threshold.metric}: ${problem}`];
  });
  if (lines.length === 0) return;
  throw new RobustError(lines.join('\n'), {
    code: 'REQUIREMENT_INVALID',
    hint: 'A range with both ends, such as ">= 0 and <= 0.9", is taken as it is written.',
  });
}

function problemOf({ metric, expected, limits }: Threshold): string | undefined {
  const [, number] = /([<>]=?\s*(?:0?\.\d*[1-9]\d*)\s*%)/.exec(expected) ?? [];
  if (number !== undefined) return smallPercentage(number);
  const figure = figureIn(metric);
  const higher = HIGHER_IS_BETTER.has(figure);
  if (!higher && !LOWER_IS_BETTER.has(figure)) return undefined;
  const impossible = limits.find(({ operator, limit }) =>
    operator === '>' ? limit === 1 : operator === '<' && limit === 0,
  );
  if (impossible !== undefined) return `"${expected}" can never be met: the figure is a fraction from 0 to 1`;
  const upper = limits.some(isUpper);
  if (upper && limits.some((limit) => !isUpper(limit))) return undefined;
  if (upper === higher) return wrongDirection(limits, expected, higher);
  const idle = higher ? { operator: '>=', limit: 0 } : { operator: '<=', limit: 1 };
  if (limits.every(({ operator, limit }) => operator === idle.operator && limit === idle.limit)) {
    return `"${expected}" can never fail: the figure is a fraction from 0 to 1. Set the limit that the model must meet; to demand only that the figure is measured, write ">= 0 and <= 1"`;
  }
  return undefined;
}

/** `<= 0.5 %` is 0.005, and was as likely meant to be 0.5. */
function smallPercentage(written: string): string {
  const [, operator = '', number] = /^([<>]=?)\s*([\d.]+)/.exec(written) ?? [];
  const [fraction, percent] = [Number(number) / 100, Number(number) * 100].map((each) => Number(each.toPrecision(12)));
  return `"${written}" is ${fraction}, a hundredth of ${number}: write "${operator} ${fraction}", or "${operator} ${percent} %" for ${number}`;
}

const MIRRORED = { '<=': '>=', '<': '>', '>=': '<=', '>': '<' } as const;

function wrongDirection([first]: readonly Limit[], expected: string, higher: boolean): string {
  const { operator, limit } = must(first);
  const both = higher ? `>= 0 and ${operator} ${limit}` : `${operator} ${limit} and <= 1`;
  return `"${expected}" fails a model for being too good: ${higher ? 'more' : 'less'} is better here. Did you mean "${MIRRORED[operator]} ${limit}"? If it is meant, write both ends: "${both}"`;
}

/** Throws RobustError for a waiver that lasts so long that its threshold counts no more. `today`: YYYY-MM-DD. */
export function checkWaiverDays(waivers: readonly Waiver[], today: string): void {
  const last = new Date(Date.parse(today) + LONGEST_WAIVER * 86_400_000).toISOString().slice(0, 10);
  const endless = waivers.find(({ expires }) => expires > last);
  if (endless === undefined) return;
  throw new RobustError(
    `waivers: ${endless.metric}: expected a last day within a year, by ${last}, got ${endless.expires}`,
    {
      code: 'REQUIREMENT_INVALID',
      hint: 'A waiver is for a while and can be renewed. A threshold that is not to count has the level "warn" or "off".',
    },
  );
}
