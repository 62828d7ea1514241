/** Figures of the clean pass are declared once: records, reports and requirements know each of them. */
import { describe, expect, test } from 'vitest';
import { evaluationDocument } from '../../reports/documents/evaluation.js';
import type { DecisionRule } from '../../src/core/decision.js';
import { figuresOf } from '../../src/gate/figures.js';
import { thresholdsOf } from '../../src/gate/requirements.js';
import { checkSense } from '../../src/gate/sense.js';
import {
  CLEAN_FIGURES,
  CLEAN_MEASURES,
  type CleanMetrics,
  cleanSchema,
} from '../../src/results/clean/clean-metrics.js';
import { valueAt } from '../../src/results/measures/measure.js';
import { cleanFold } from '../../src/tasks/clean.js';
import { decisionOf } from '../../src/tasks/decide.js';
import { report } from '../gate/toys.js';
import { refusal } from '../refusal.js';

const LABELS = ['no', 'yes'];
const DETECTOR: DecisionRule = { kind: 'threshold', positive: ['yes'], by: 'max', at: 0.5 };
const SETS: DecisionRule = { kind: 'multi-label', at: [0.5, 0.5] };

function measured(rule?: DecisionRule): CleanMetrics {
  // F-beta has a row where beta is not 1.
  const fold = cleanFold(LABELS, 0.5, decisionOf(rule, LABELS));
  for (const [label, score] of [
    [0, 0.1],
    [0, 0.6],
    [1, 0.8],
    [1, 0.7],
  ] as const)
    fold.add({ label, labels: [label] }, Float32Array.of(1 - score, score));
  return fold.metrics();
}

const victims = [undefined, DETECTOR, SETS].map((rule) => ({ rule, clean: measured(rule) }));

describe.each(CLEAN_FIGURES)('$key', ({ key, label, better, unit }) => {
  const having = victims.filter(({ clean }) => valueAt(clean, key) !== undefined);

  test('is measured, and has a row in the document of each model that has it', () => {
    expect(having).not.toEqual([]);
    for (const { clean, rule } of having) {
      const { sections } = evaluationDocument({ model: 'm', data: 'd', labels: LABELS, clean, decision: rule });
      const renamed = key === 'accuracy' || key === 'fBeta.macro' ? /Accuracy|All labels right|Macro F0\.5/ : label;
      expect(JSON.stringify(sections)).toMatch(renamed);
    }
  });

  test('has its requirement, a fraction in the right direction', async () => {
    const { clean } = having[0] as (typeof victims)[number];
    expect(figuresOf({ ...report([]), clean }).get(`clean.${key}`)).toMatchObject({ fraction: true });
    const require = (expression: string) =>
      checkSense(thresholdsOf([`clean.${key} ${expression}`], { ci: 'value', minExamples: 1 }, () => '--require'));
    const [right, wrong] = better === 'higher' ? ['>= 0.5', '<= 0.5'] : ['<= 0.5', '>= 0.5'];
    expect(() => require(right)).not.toThrow();
    await refusal(() => require(wrong));
    expect(['rate', 'share', 'area']).toContain(unit);
  });
});

describe.each(CLEAN_MEASURES)('$name', ({ name, schema }) => {
  test('is read back as it was written, and not otherwise', () => {
    const clean = measured();
    expect(schema.safeParse(valueAt(clean, name)).success).toBe(true);
    expect(cleanSchema.safeParse(clean).success).toBe(true);
    expect(cleanSchema.safeParse({ ...clean, [name]: 'damaged' }).success).toBe(false);
  });
});
