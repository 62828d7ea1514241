/** @file Comparisons and logic. Their results are booleans, so that no gradient passes. */
import { attributesOf } from '../../../onnx/attributes.js';
import * as host from '../host.js';
import type { KernelContext, Op, Ops } from './kernel-context.js';

export const comparison = (k: KernelContext) => {
  const two =
    (f: (x: number, y: number) => boolean): Op =>
    ({ inputs: [a, b] }) => [host.zip(k.flat(a), k.flat(b), (x, y) => Number(f(x, y)))];
  return {
    Equal: two((x, y) => x === y),
    Greater: two((x, y) => x > y),
    GreaterOrEqual: two((x, y) => x >= y),
    Less: two((x, y) => x < y),
    LessOrEqual: two((x, y) => x <= y),
    And: two((x, y) => x !== 0 && y !== 0),
    Or: two((x, y) => x !== 0 || y !== 0),
    Xor: two((x, y) => (x !== 0) !== (y !== 0)),
    Not: ({ inputs: [x] }) => [host.map(k.flat(x), (v) => Number(v === 0))],
    IsNaN: ({ inputs: [x] }) => [host.map(k.flat(x), (v) => Number(Number.isNaN(v)))],
    IsInf: ({ node, inputs: [x] }) => {
      const { int } = attributesOf(node);
      const [below, above] = [int('detect_negative', 1) === 1, int('detect_positive', 1) === 1];
      const hit = (v: number) => (below && v === Number.NEGATIVE_INFINITY) || (above && v === Number.POSITIVE_INFINITY);
      return [host.map(k.flat(x), (v) => Number(hit(v)))];
    },
  } satisfies Ops;
};
