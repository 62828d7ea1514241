/** @file Matrix products. */
import type { Tensor } from '@tensorflow/tfjs-core';
import { parseEinsum } from '../../../../packages/onnx/src/autodiff/einsum.js';
import { attributesOf } from '../../../../packages/onnx/src/graph/attributes.js';
import { must } from '../../../core/errors.js';
import type { TF } from '../../../tfjs/tf.js';
import * as host from '../host.js';
import type { KernelContext, Ops } from './kernel-context.js';

/** A tensor whose axes have names, one letter each. */
interface Named {
  readonly value: Tensor;
  readonly axes: string;
}

/** Sums, orders and multiplies tensors by the letters of their axes. */
function einsum(tf: TF) {
  const sum = ({ value, axes }: Named, kept: ReadonlySet<string>): Named => {
    const gone = Array.from(axes).flatMap((letter, i) => (kept.has(letter) ? [] : [i]));
    if (gone.length === 0) return { value, axes };
    return {
      value: tf.sum(value, gone),
      axes: Array.from(axes)
        .filter((letter) => kept.has(letter))
        .join(''),
    };
  };
  const orderAxes = ({ value, axes }: Named, order: string): Tensor => {
    const perm = Array.from(order, (letter) => axes.indexOf(letter));
    return perm.every((axis, i) => axis === i) ? value : tf.transpose(value, perm);
  };
  /** One batched matrix product: letters of both that are kept count batches, those that are not are summed over. */
  const contract = (a: Named, b: Named, kept: ReadonlySet<string>): Named => {
    const left = sum(a, new Set([...kept, ...b.axes]));
    const right = sum(b, new Set([...kept, ...a.axes]));
    const size = new Map(
      [left, right].flatMap(({ value, axes }) =>
        Array.from(axes, (letter, i) => [letter, must(value.shape[i])] as const),
      ),
    );
    const sizes = (letters: string) => Array.from(letters, (letter) => must(size.get(letter)));
    const shared = Array.from(left.axes).filter((letter) => right.axes.includes(letter));
    const batch = shared.filter((letter) => kept.has(letter)).join('');
    const inner = shared.filter((letter) => !kept.has(letter)).join('');
    const rows = Array.from(left.axes)
      .filter((letter) => !shared.includes(letter))
      .join('');
    const columns = Array.from(right.axes)
      .filter((letter) => !shared.includes(letter))
      .join('');
    const flat = (x: Named, first: string, second: string) =>
      tf.reshape(
        orderAxes(x, batch + first + second),
        [batch, first, second].map((part) => host.sizeOf(sizes(part))),
      );
    const matrix = tf.matMul(flat(left, rows, inner), flat(right, inner, columns));
    const axes = batch + rows + columns;
    return { value: tf.reshape(matrix, sizes(axes)), axes };
  };
  return { summed: sum, ordered: orderAxes, contract };
}

export const product = (k: KernelContext) => {
  const { tf } = k;
  const { summed, ordered, contract } = einsum(tf);
  return {
    /** A vector counts as a matrix of one row (a) or one column (b). */
    MatMul: ({ inputs }) => {
      const [a, b] = inputs.map((x) => k.up(x)) as [Tensor, Tensor];
      const y = k.matMul(a.rank === 1 ? tf.reshape(a, [1, a.size]) : a, b.rank === 1 ? tf.reshape(b, [b.size, 1]) : b);
      const missing = [...(a.rank === 1 ? [y.rank - 2] : []), ...(b.rank === 1 ? [y.rank - 1] : [])];
      return [
        missing.length === 0
          ? y
          : tf.reshape(
              y,
              y.shape.filter((_, i) => !missing.includes(i)),
            ),
      ];
    },
    Gemm: ({ node, inputs: [a, b, c] }) => {
      const { int, float } = attributesOf(node);
      const y = tf.matMul(k.up(a) as never, k.up(b) as never, int('transA', 0) !== 0, int('transB', 0) !== 0);
      const [alpha, beta] = [float('alpha', 1), float('beta', 1)];
      const scaled = alpha === 1 ? y : tf.mul(y, alpha);
      if (c === undefined) return [scaled];
      return [tf.add(scaled, beta === 1 ? k.up(c) : tf.mul(k.up(c), beta))];
    },
    Einsum: ({ node, inputs }) => {
      const operands = inputs.map((x) => k.up(x));
      const { terms, result } = parseEinsum(
        attributesOf(node).string('equation', ''),
        operands.map((x) => x.shape),
      );
      const named = operands.map((value, i): Named => ({ value, axes: must(terms[i]) }));
      const total = named.slice(1).reduce((done, next, i) => {
        const later = terms.slice(i + 2).join('');
        return contract(done, next, new Set(result + later));
      }, must(named[0]));
      return [ordered(summed(total, new Set(result)), result)];
    },
  } satisfies Ops;
};
