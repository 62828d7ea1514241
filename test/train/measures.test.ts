import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Dataset } from '../../src/core/dataset.js';
import { holdOut } from '../../src/train/holdout.js';
import { scores } from '../../src/train/scores.js';

test('accuracy and macro-F1 of a table computed by hand', () => {
  // Label 0: tp 2, fp 1, fn 0; label 1: tp 1, fp 0, fn 1; label 2: neither there nor predicted.
  const { accuracy, macroF1 } = scores([0, 0, 0, 1], [0, 0, 1, 1], 3);
  expect(accuracy).toBe(0.75);
  expect(macroF1).toBeCloseTo((4 / 5 + 2 / 3 + 0) / 3);
});

test('scores lie in [0, 1] and reach 1 only for a perfect answer', () => {
  const answers = fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(answers, (pairs) => {
      const [predicted, labels] = [pairs.map(([p]) => p), pairs.map(([, l]) => l)];
      const { accuracy, macroF1 } = scores(predicted, labels, 3);
      for (const value of [accuracy, macroF1]) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }
      expect(accuracy === 1).toBe(pairs.every(([p, l]) => p === l));
    }),
  );
});

describe('holdOut', () => {
  const data: Dataset = {
    name: 'toy',
    labels: ['no', 'yes'],
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      for (let at = 0; at < 1000; at++) yield { id: String(at), text: 'x', label: at % 2 };
    },
  };
  const ids = async (side: Dataset) => {
    const found: string[] = [];
    for await (const { id } of side.examples()) found.push(id);
    return found;
  };

  test('splits every example to one side, by about the share, alike every time', async () => {
    const { train, validation } = holdOut(data, 0.1, 42);
    const [kept, held] = [await ids(train), await ids(validation)];
    expect([...kept, ...held].sort()).toEqual(Array.from({ length: 1000 }, (_, at) => String(at)).sort());
    expect(held.length).toBeGreaterThan(60);
    expect(held.length).toBeLessThan(140);
    expect(await ids(holdOut(data, 0.1, 42).validation)).toEqual(held);
    expect(await ids(holdOut(data, 0.1, 43).validation)).not.toEqual(held);
  });
});
