/** A victim that answers all texts alike is called so, a good one never is. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { degeneracy, degenerateLine, onlyClass } from '../../src/results/clean/degenerate.js';
import { cleanFold } from '../../src/tasks/clean.js';
import { decisionOf } from '../../src/tasks/decide.js';
import { matrix } from '../matrix.js';

const LABELS = ['ham', 'spam', 'other'];

/** Pairs of true and predicted label; the score of the predicted one differs from text to text, or not. */
function read(pairs: readonly (readonly [number, number])[], score = (at: number) => 0.6 + 0.001 * (at % 300)) {
  const fold = cleanFold(LABELS);
  pairs.forEach(([label, to], at) => {
    const row = new Float32Array(3).fill((1 - score(at)) / 2);
    row[to] = score(at);
    fold.add(label, row);
  });
  return fold.metrics();
}

const times = (count: number, label: number, to: number) => Array.from({ length: count }, () => [label, to] as const);

describe('degeneracy', () => {
  test.each([
    ['right on both', [...times(20, 0, 0), ...times(20, 1, 1)], 0],
    ['no texts', [], 0],
    ['one text', times(1, 0, 0), 0],
    ['one class of texts, rightly read', times(40, 0, 0), 0],
    ['one class of texts, a few of them wrongly', [...times(37, 0, 0), ...times(3, 0, 1)], 0],
    ['one class of texts, all of them wrongly', times(40, 0, 1), 1],
    ['one class for all', [...times(20, 0, 0), ...times(20, 1, 0)], 1],
    ['one class for all, of rare others', [...times(39, 0, 0), ...times(1, 1, 0)], 1],
    ['a class it never answers', [...times(20, 0, 0), ...times(20, 1, 1), ...times(5, 2, 1)], 0],
    ['a coin', [...times(25, 0, 0), ...times(25, 0, 1), ...times(25, 1, 0), ...times(25, 1, 1)], 0],
    [
      'a little below, as chance has it',
      [...times(45, 0, 0), ...times(5, 1, 0), ...times(2, 0, 1), ...times(1, 1, 1)],
      0,
    ],
    ['turned round', [...times(50, 0, 1), ...times(5, 0, 0), ...times(50, 1, 0)], 1],
    ['below a frequent class', [...times(80, 0, 0), ...times(110, 0, 1), ...times(10, 1, 1)], 1],
  ] as const)('%s', (_, pairs, reasons) => {
    const found = degeneracy(read(pairs));
    expect(found).toHaveLength(reasons);
    expect(found).toMatchSnapshot();
    expect(degenerateLine('toy', read(pairs))?.startsWith('DEGENERATE victim, toy: ')).toBe(
      reasons > 0 ? true : undefined,
    );
  });

  test('constant scores of label sets', () => {
    const scored = (score: (at: number) => number) => {
      const fold = cleanFold(LABELS, 0.5, decisionOf({ kind: 'multi-label', at: [0.5, 0.5, 0.5] }, LABELS));
      for (let at = 0; at < 40; at++) fold.add({ label: 0, labels: [at % 2] }, Float32Array.of(score(at), 0.1, 0.2));
      return fold.metrics().degenerate;
    };
    expect(scored(() => 0.7)).toEqual(['its scores are the same for all 40 texts']);
    expect(scored((at) => 0.7 + 0.001 * at)).toBeUndefined();
  });

  test('constant scores, beside what they come to', () => {
    expect(degeneracy(read([...times(20, 0, 0), ...times(20, 1, 0)], () => 0.7))).toEqual([
      'its scores are the same for all 40 texts',
      'it answers ham to all 40 texts, whatever their class',
    ]);
    expect(degeneracy(read(times(40, 0, 0), () => 0.7))).toEqual(['its scores are the same for all 40 texts']);
    expect(degeneracy(read(times(1, 0, 0), () => 0.7))).toEqual([]);
  });

  test('a run that did not note it is judged by its confusion matrix', () => {
    const { degenerate, ...old } = read([...times(20, 0, 0), ...times(20, 1, 0)]);
    expect(degenerate).toHaveLength(1);
    expect(degeneracy(old)).toEqual(degenerate);
  });

  test('the order of the texts changes nothing, and a victim that does better than any constant is never called so', () => {
    const label = fc.integer({ min: 0, max: 2 });
    fc.assert(
      fc.property(fc.array(fc.tuple(label, label), { minLength: 1, maxLength: 80 }), (pairs) => {
        const met = read(pairs);
        expect(read(pairs.toReversed(), (at) => 0.6 + 0.001 * ((pairs.length - 1 - at) % 300)).degenerate).toEqual(
          met.degenerate,
        );
        const right = pairs.filter(([of, to]) => of === to).length;
        const most = Math.max(...LABELS.map((_, at) => pairs.filter(([of]) => of === at).length));
        if (right > most) expect(met.degenerate).toBeUndefined();
      }),
    );
  });
});

test('texts of one class, all answered so', () => {
  expect(onlyClass(read(times(40, 1, 1)))).toBe('spam');
  expect(onlyClass(read([...times(40, 1, 1), ...times(1, 1, 0)]))).toBeUndefined();
  expect(onlyClass(read([...times(40, 1, 1), ...times(1, 0, 1)]))).toBeUndefined();
  expect(onlyClass(read(times(4, 1, 0)))).toBeUndefined();
});

test.each([
  ['labels', matrix('1 0; 0 1'), 'labels'],
  ['labels but for rounding', matrix('1 3e-8; 0 1'), 'labels'],
  ['one score for each label', matrix('0.1 0.9; 0.9 0.1'), 'labels'],
  ['saturated', matrix('0.000001 0.999999; 0.999998 0.000002; 0.000004 0.999996'), 'labels'],
  ['hundredths', matrix('0.37 0.63; 0.2 0.8; 0.44 0.56'), 'rounded'],
  ['tenths', matrix('0.3 0.7; 0.2 0.8; 0.4 0.6'), 'rounded'],
  ['a finer one among hundredths', matrix('0.37 0.63; 0.251 0.749; 0.2 0.8'), undefined],
  ['thousandths', matrix('0.371 0.629; 0.2 0.8; 0.4 0.6'), undefined],
  ['a very sure victim', matrix('0.99998 0.00002; 0.00003 0.99997; 0.99994 0.00006'), undefined],
  ['constant', [[0.3, 0.7]], undefined],
] as const)('scores: %s', (_, rows, coarseness) => {
  const fold = cleanFold(['no', 'yes']);
  for (let at = 0; at < 12; at++) fold.add(at % 2, Float32Array.from(rows[at % rows.length] as readonly number[]));
  expect(fold.metrics().scores).toBe(coarseness);
  const few = cleanFold(['no', 'yes']);
  for (let at = 0; at < 9; at++) few.add(at % 2, Float32Array.from(rows[at % rows.length] as readonly number[]));
  expect(few.metrics().scores).toBeUndefined();
});
