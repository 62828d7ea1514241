/** Limits that hardly anybody means are refused; a range with both ends is taken as it is written. */
import { expect, test } from 'vitest';
import { thresholdsOf } from '../../src/gate/requirements.js';
import { checkSense, checkWaiverDays } from '../../src/gate/sense.js';
import { refusal } from '../refusal.js';

const check = (...flags: readonly string[]) =>
  checkSense(thresholdsOf(flags, { ci: 'value', minExamples: 1 }, () => '--require'));

test.each([
  // Percentages below 1.
  ['clean.accuracy>=0.9%', /">=0\.9%" is 0\.009, .* write ">= 0\.009", or ">= 90 %" for 0\.9/],
  ['typos.attackSuccessRate <= .3 %', /is 0\.003, .* "<= 30 %"/],
  ['deepwordbug.perturbedWords <= 0.25%', /is 0\.0025/],
  ['clean.accuracy >= 0.5 % and <= 0.9', /">= 0\.5 %" is 0\.005/],
  // The wrong direction.
  ['clean.accuracy <= 0.9', /too good: more is better here\. Did you mean ">= 0\.9"\? .* ">= 0 and <= 0\.9"/],
  ['overall.accuracyUnderAttack < 40 %', /Did you mean "> 0\.4"/],
  ['typos.attackSuccessRate >= 0.3', /too good: less is better here\. Did you mean "<= 0\.3"\? .* ">= 0\.3 and <= 1"/],
  ['clean.perClass.positive.recall <= 0.5', /Did you mean ">= 0\.5"/],
  ['clean.falsePositiveRate > 0.02', /Did you mean "<\s*0\.02"/],
  ['negation.capabilities.litotes.MFT.failureRate >= 0.1', /Did you mean "<= 0\.1"/],
  ['verify.proved <= 0.4', /Did you mean ">= 0\.4"/],
  ['verify.broken >= 0.4', /Did you mean "<= 0\.4"/],
  ['tags.leakRate >= 0.02', /Did you mean "<= 0\.02"/],
  ['tags.leakRate.PERSON >= 0.02', /Did you mean "<= 0\.02"/],
  ['tags.recallUnderAttack.creative.work <= 0.9', /Did you mean ">= 0\.9"/],
  ['clean.tags.byType.PERSON.leakRate >= 0.02', /Did you mean "<= 0\.02"/],
  // Limits that can never fail.
  ['clean.accuracy >= 0', /can never fail/],
  ['overall.attackSuccessRate <= 1', /can never fail/],
  ['overall.attackSuccessRate <= 100 %', /can never fail/],
  // Limits that can never be met.
  ['clean.accuracy > 1', /can never be met/],
  ['overall.attackSuccessRate < 0', /can never be met/],
])('%s is refused', (flag, told) => expect(() => check(flag)).toThrow(told));

test.each([
  'clean.accuracy >= 0.9',
  'clean.accuracy >= 1',
  'clean.accuracy > 0',
  'typos.attackSuccessRate <= 0',
  'clean.falsePositiveRate <= 0.005',
  'clean.falsePositiveRate <= 1 %',
  'clean.falsePositiveRate <= 1.5 %',
  'clean.falsePositiveRate <= 10.5 %',
  'clean.accuracy >= 0 and <= 0.9',
  'typos.attackSuccessRate >= 0.3 and <= 1',
  'overall.attackSuccessRate >= 0 and <= 1',
  'tags.leakRate.PERSON <= 0.02',
  'tags.leakRate.PERSON >= 0 and <= 1',
  // Figures without a better direction, or not fractions.
  'deepwordbug.queries.asked <= 100',
  'deepwordbug.queries.asked >= 0',
  'clean.regression.pearson >= 0',
  'clean.regression.meanAbsoluteError <= 1',
])('%s is taken as it is written', (flag) => expect(() => check(flag)).not.toThrow());

test('two requirements of one figure make a range', () =>
  expect(() => check('clean.accuracy>=0', 'clean.accuracy<=1')).not.toThrow());

test('all limits that make no sense are named at once, with where each was written', async () => {
  const flags = ['clean.accuracy <= 0.9', 'typos.attackSuccessRate >= 0.3'];
  await refusal(() => check(...flags));
});

test.each([
  ['2027-11-23', true],
  ['2026-11-22', true],
  ['0001-01-01', true],
  ['2027-11-25', false],
  ['9999-12-31', false],
])('a waiver until %s on 2026-11-23', (expires, taken) => {
  const waived = () => checkWaiverDays([{ metric: 'a.b', owner: 'me', reason: 'x', expires }], '2026-11-23');
  if (taken) expect(waived).not.toThrow();
  else expect(waived).toThrow(`within a year, by 2027-11-24, got ${expires}`);
});
