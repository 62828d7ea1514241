import { expect, test } from 'vitest';
import { defined } from '../../src/core/defined.js';

test('keeps each value but undefined, in the order given', () => {
  const { signal }: { signal?: string } = {};
  const kept = defined({ zero: 0, signal, empty: '', no: false, nothing: null });
  expect(Object.entries(kept)).toEqual([
    ['zero', 0],
    ['empty', ''],
    ['no', false],
    ['nothing', null],
  ]);
});
