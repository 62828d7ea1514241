import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { evaluationDocument } from '../../reports/documents/evaluation.js';
import { onScreen } from '../../reports/index.js';
import type { DecisionRule } from '../../src/core/decision.js';
import { cleanFold } from '../../src/tasks/clean.js';
import { decisionOf } from '../../src/tasks/decide.js';

const LABELS = ['joy', 'fear', 'envy', 'grief'];

test.each([
  [undefined, [0, 1, 0], [0, 1, 2], 'mean of 3 of 4 labels; left out: 1 without an example or a prediction'],
  [undefined, [0, 1, 2, 3], [0, 1, 2, 3], 'mean of 4 labels'],
  [
    { kind: 'multi-label', at: [0.5, 0.5, 0.5, 0.5] },
    [0, 1],
    [0, 2],
    'mean of 3 of 4 labels; left out: 1 without an example or a prediction',
  ],
] as [DecisionRule | undefined, number[], number[], string][])(
  'macro F1 says over which labels: %j',
  (rule, truths, found, says) => {
    const fold = cleanFold(LABELS, undefined, decisionOf(rule, LABELS));
    truths.forEach((label, at) => {
      fold.add(
        { label, ...(rule && { labels: [label] }) },
        Float32Array.from(LABELS, (_, each) => (each === found[at] ? 0.97 : 0.01)),
      );
    });
    const document = evaluationDocument({ model: 'm', data: 'd', labels: LABELS, clean: fold.metrics() });
    expect([...onScreen(document, { width: 200, chalk: new Chalk({ level: 0 }) })].join('')).toContain(says);
  },
);

test('with many labels the confusions are named, not a column each', () => {
  const many = Array.from({ length: 50 }, (_, at) => `l${at}`);
  const fold = cleanFold(many, undefined, decisionOf(undefined, many));
  for (let at = 0; at < 150; at++) {
    const found = at % 50 === 7 ? 3 : at % 50;
    fold.add(
      { label: at % 50 },
      Float32Array.from(many, (_, each) => (each === found ? 0.5 : 0.01)),
    );
  }
  const document = evaluationDocument({ model: 'm', data: 'd', labels: many, clean: fold.metrics() });
  const screen = [...onScreen(document, { width: 80, chalk: new Chalk({ level: 0 }) })].join('');
  expect(screen.split('\n').length).toBeLessThan(80);
  expect(screen).toContain('l3: 3');
});

test('of many labels, the classes that occur are shown with their most frequent wrong answers', () => {
  const labels = Array.from({ length: 101 }, (_, at) => `label ${at}`);
  const fold = cleanFold(labels);
  for (const [truth, to] of [
    [3, 70],
    [3, 70],
    [3, 99],
    [99, 99],
  ] as const)
    fold.add(
      truth,
      Float32Array.from(labels, (_, at) => Number(at === to)),
    );
  const document = evaluationDocument({ model: 'm', data: 'd', labels, clean: fold.metrics() });
  const screen = [...onScreen(document, { width: 200, chalk: new Chalk({ level: 0 }) })].join('');
  expect(screen).toMatch(/label 3 .*label 70: 2, label 99: 1\n/);
  expect(screen.match(/^label \d+/gm)).toEqual(['label 3', 'label 70', 'label 99']);
});
