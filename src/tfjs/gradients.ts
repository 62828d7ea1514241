/**
 * @file The derivative of every TF.js kernel the interpreter uses. Those that TF.js brings lack some, share nothing between equal maxima, and
 * are slow on wasm. Where they are tfjs-node's, they stay. dy is d(loss)/d(output), in the output's shape.
 */
import type { Tensor } from '@tensorflow/tfjs-core';
import { must } from '../core/errors.js';
import { Derivatives, type GradientFunction, type KernelAttributes, type KernelGradients } from './derivatives.js';
import type { TF } from './tf.js';

/** `replacing`: rules that TF.js brings, too. */
export function registerGradients(tf: TF, { replacing = false } = {}): void {
  const d = new Derivatives(tf);
  const all: KernelGradients = {
    ...arithmetic(d),
    ...functions(d),
    ...reductions(d),
    ...products(d),
    ...places(d),
    ...movements(d),
  };
  for (const [kernelName, rule] of Object.entries(all)) {
    const theirs = tf.getGradient(kernelName);
    if (!replacing && theirs != null && rule.always !== true) continue;
    tf.registerGradient({
      kernelName,
      saveAllInputs: rule.saveAllInputs === true,
      inputsToSave: rule.saveInputs ?? [],
      outputsToSave: rule.saveOutput === true ? [true] : [],
      gradFunc: (dy, saved, given) => {
        const attributes = given as unknown as KernelAttributes;
        if (theirs != null && rule.unless?.(attributes)) return theirs.gradFunc(dy, saved, given);
        return rule.gradient(Array.isArray(dy) ? must(dy[0]) : dy, saved, attributes) as GradientFunction;
      },
    });
  }
}

function arithmetic(d: Derivatives): KernelGradients {
  const { tf } = d;
  return {
    Add: d.binary(
      (dy) => dy,
      (dy) => dy,
    ),
    Sub: d.binary(
      (dy) => dy,
      (dy) => tf.neg(dy),
    ),
    Multiply: d.binary(
      (dy, _a, b) => tf.mul(dy, b),
      (dy, a) => tf.mul(dy, a),
    ),
    // d(a/b) = da/b - a db/b^2
    RealDiv: d.binary(
      (dy, _a, b) => tf.div(dy, b),
      (dy, a, b) => tf.neg(tf.div(tf.mul(dy, a), tf.square(b))),
    ),
    // d(a^b) = b a^(b-1) da + a^b ln(a) db; ln only where a > 0
    Pow: d.binary(
      (dy, a, b) => tf.mul(dy, tf.mul(b, tf.pow(a, tf.sub(b, 1)))),
      (dy, a, b) => tf.mul(dy, tf.mul(tf.pow(a, b), tf.where(tf.greater(a, 0), tf.log(a), tf.zerosLike(a)))),
    ),
    // Equal operands share dy, as all equal maxima do below: TF.js's own rules give it to one, or whole to each.
    Maximum: {
      ...d.binary(
        (dy, a, b) => tf.mul(dy, d.greater(a, b)),
        (dy, a, b) => tf.mul(dy, d.greater(b, a)),
      ),
      always: true,
    },
    Minimum: {
      ...d.binary(
        (dy, a, b) => tf.mul(dy, d.greater(b, a)),
        (dy, a, b) => tf.mul(dy, d.greater(a, b)),
      ),
      always: true,
    },
    Select: {
      saveInputs: ['condition'],
      gradient: (dy, [condition]) => ({
        condition: () => tf.cast(tf.zerosLike(must(condition)), 'float32'),
        t: () => tf.where(must(condition), dy, tf.zerosLike(dy)),
        e: () => tf.where(must(condition), tf.zerosLike(dy), dy),
      }),
    },
  };
}

/** Functions of one operand, element by element. */
function functions(d: Derivatives): KernelGradients {
  const { tf } = d;
  return {
    Neg: d.ofInput((dy) => tf.neg(dy)),
    Abs: d.ofInput((dy, x) => tf.mul(dy, tf.sign(x))),
    Square: d.ofInput((dy, x) => tf.mul(dy, tf.mul(x, 2))),
    Log: d.ofInput((dy, x) => tf.div(dy, x)),
    Relu: d.ofInput((dy, x) => tf.mul(dy, tf.cast(tf.greater(x, 0), 'float32'))),
    LeakyRelu: d.ofInput((dy, x, { alpha }) =>
      tf.mul(dy, tf.where(tf.greater(x, 0), tf.onesLike(x), tf.fill(x.shape, alpha))),
    ),
    ClipByValue: d.ofInput((dy, x, { clipValueMin, clipValueMax }) => {
      const inside = tf.logicalAnd(tf.greaterEqual(x, clipValueMin), tf.lessEqual(x, clipValueMax));
      return tf.mul(dy, tf.cast(inside, 'float32'));
    }),
    // erf'(x) = 2/sqrt(pi) exp(-x^2)
    Erf: d.ofInput((dy, x) => tf.mul(dy, tf.mul(tf.exp(tf.neg(tf.square(x))), 2 / Math.sqrt(Math.PI)))),
    Softplus: d.ofInput((dy, x) => tf.mul(dy, tf.sigmoid(x))),
    Sin: d.ofInput((dy, x) => tf.mul(dy, tf.cos(x))),
    Cos: d.ofInput((dy, x) => tf.neg(tf.mul(dy, tf.sin(x)))),
    Exp: d.ofOutput((dy, y) => tf.mul(dy, y)),
    Tanh: d.ofOutput((dy, y) => tf.mul(dy, tf.sub(1, tf.square(y)))),
    Sigmoid: d.ofOutput((dy, y) => tf.mul(dy, tf.mul(y, tf.sub(1, y)))),
    // d sqrt(x) = dx / (2 sqrt(x)); d x^(-1/2) = -x^(-3/2)/2 dx
    Sqrt: d.ofOutput((dy, y) => tf.div(dy, tf.mul(y, 2))),
    Rsqrt: d.ofOutput((dy, y) => tf.mul(dy, tf.mul(-0.5, tf.mul(y, tf.square(y))))),
    Reciprocal: d.ofOutput((dy, y) => tf.neg(tf.mul(dy, tf.square(y)))),
  };
}

function reductions(d: Derivatives): KernelGradients {
  const { tf } = d;
  return {
    // dx = y (dy - sum(dy y)); TF.js softmax is over the last axis
    Softmax: d.ofOutput((dy, y) => {
      const weighted = tf.mul(dy, y);
      return tf.sub(weighted, tf.mul(tf.sum(weighted, -1, true), y));
    }, 'logits'),
    // dx = dy - exp(y) sum(dy)
    LogSoftmax: d.ofOutput((dy, y) => tf.sub(dy, tf.mul(tf.sum(dy, -1, true), tf.exp(y))), 'logits'),
    Sum: d.ofInput((dy, x, { axis, reductionIndices }) => d.spread(dy, x.shape, d.axes(axis ?? reductionIndices, x))),
    Mean: d.ofInput((dy, x, { axis }) => {
      const axes = d.axes(axis, x);
      return tf.div(
        d.spread(dy, x.shape, axes),
        axes.reduce((n, each) => n * must(x.shape[each]), 1),
      );
    }),
    // Equal maxima share dy: padding makes hundreds of them, and a whole dy to each would count it hundreds of times.
    Max: {
      saveInputs: ['x'],
      saveOutput: true,
      always: true,
      gradient: (dy, [x, y], { reductionIndices }) => ({
        x: () => {
          const axes = d.axes(reductionIndices, must(x));
          const hit = tf.cast(tf.equal(must(x), d.spread(must(y), must(x).shape, axes)), 'float32');
          return tf.mul(tf.div(d.spread(dy, must(x).shape, axes), tf.sum(hit, axes, true)), hit);
        },
      }),
    },
    Cumsum: {
      gradient: (dy, _saved, { axis, exclusive, reverse }) => ({ x: () => tf.cumsum(dy, axis, exclusive, !reverse) }),
    },
  };
}

function products(d: Derivatives): KernelGradients {
  const { tf } = d;
  return {
    // With explicit transposes: the transpose flags are slow on wasm.
    BatchMatMul: {
      saveInputs: ['a', 'b'],
      gradient: (dy, saved, { transposeA, transposeB }) => {
        const [a, b] = [must(saved[0]), must(saved[1])];
        const product = (left: Tensor, right: Tensor, transposed: boolean, { shape }: Tensor) =>
          d.unbroadcast(d.swapAxes(tf.matMul(left, right), transposed), shape);
        return {
          a: () => product(dy, d.swapAxes(b, !transposeB), transposeA, a),
          b: () => product(d.swapAxes(a, !transposeA), dy, transposeB, b),
        };
      },
    },
    // An index that was picked twice gets both gradients. The axis comes first, for that is where ScatterNd adds.
    GatherV2: {
      saveInputs: ['x', 'indices'],
      unless: ({ batchDims = 0 }) => batchDims !== 0,
      gradient: (dy, saved, { axis }) => {
        const [x, indices] = [must(saved[0]), must(saved[1])];
        return {
          indices: () => indices,
          x: () => {
            const at = must(d.axes(axis, x)[0]);
            const before = x.shape.slice(0, at).reduce((n, dim) => n * dim, 1);
            const after = x.shape.slice(at + 1).reduce((n, dim) => n * dim, 1);
            const [count, size] = [indices.size, must(x.shape[at])];
            if (count === 0) return tf.zerosLike(x);
            const rows = tf.transpose(tf.reshape(dy, [before, count, after]), [1, 0, 2]);
            const places = tf.reshape(indices, [count, 1]);
            const added = tf.scatterND(places as never, tf.reshape(rows, [count, before * after]), [
              size,
              before * after,
            ]);
            return tf.reshape(tf.transpose(tf.reshape(added, [size, before, after]), [1, 0, 2]), x.shape);
          },
        };
      },
    },
  };
}

/** Kernels of graphs that TF.js saved, for which it has no rule, or a wrong one. */
function places(d: Derivatives): KernelGradients {
  const { tf } = d;
  return {
    // The rule of TF.js knows nothing of broadcasting.
    SquaredDifference: d.binary(
      (dy, a, b) => tf.mul(dy, tf.mul(tf.sub(a, b), 2)),
      (dy, a, b) => tf.mul(dy, tf.mul(tf.sub(b, a), 2)),
    ),
    // Each element goes back to where it came from.
    StridedSlice: d.ofInput((dy, x, { begin, end, strides, ...masks }) => {
      const { beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask } = masks;
      const numbered = tf.reshape(tf.range(0, x.size, 1, 'int32'), x.shape);
      const from = tf.stridedSlice(
        ...([numbered, begin, end, strides, beginMask, endMask, ellipsisMask, newAxisMask, shrinkAxisMask] as const),
      );
      const back = tf.scatterND(tf.reshape(from, [from.size, 1]) as never, tf.reshape(dy, [dy.size]), [x.size]);
      return tf.reshape(back, x.shape);
    }),
    // Of operands with all labels in the result or in the other operand.
    Einsum: {
      saveAllInputs: true,
      gradient: (dy, parts, { equation }) => {
        const [terms = '', result = ''] = equation.replaceAll(' ', '').split('->');
        const labels = terms.split(',');
        return parts.map((_, at) => () => {
          const others = parts.filter((_, other) => other !== at);
          const left = [result, ...labels.filter((_, other) => other !== at)].join(',');
          return tf.einsum(`${left}->${labels[at]}`, dy, ...others);
        });
      },
    },
  };
}

/** Kernels that move elements and change none. */
function movements(d: Derivatives): KernelGradients {
  const { tf } = d;
  return {
    Identity: d.ofInput((dy) => dy),
    Cast: d.ofInput((dy) => dy),
    Reshape: d.ofInput((dy, x) => tf.reshape(dy, x.shape)),
    ExpandDims: d.ofInput((dy, x) => tf.reshape(dy, x.shape), 'input'),
    Transpose: {
      gradient: (dy, _saved, { perm }) => ({
        x: () =>
          tf.transpose(
            dy,
            perm.map((_, axis) => perm.indexOf(axis)),
          ),
      }),
    },
    Slice: d.ofInput((dy, x, { begin, size }) => {
      const [from, length] = tf.slice_util.parseSliceParams(x, begin, size) as [number[], number[]];
      return tf.pad(
        dy,
        from.map((start, i): [number, number] => [start, must(x.shape[i]) - start - must(length[i])]),
      );
    }),
    PadV2: d.ofInput((dy, x, { paddings }) =>
      tf.slice(
        dy,
        paddings.map(([before]) => before),
        x.shape,
      ),
    ),
    Concat: {
      saveAllInputs: true,
      gradient: (dy, parts, { axis }) => {
        const along = must(d.axes(axis, must(parts[0]))[0]);
        let end = 0;
        return parts.map((part) => {
          const start = end;
          end += must(part.shape[along]);
          const from = dy.shape.map((_, i) => (i === along ? start : 0));
          return () => tf.slice(dy, from, part.shape);
        });
      },
    },
  };
}
