/**
 * @file The derivative of every TF.js kernel the interpreter uses. tfjs-core brings the tape (`tf.grad`, `tf.variableGrads`)
 * but registers no kernel's gradient; the package that does weighs 290 MB. Where a rule exists already (tfjs-node), it stays.
 * dy is d(loss)/d(output), in the output's shape.
 */
import type { GradConfig, NamedAttrMap, Tensor } from '@tensorflow/tfjs-core';
import type { TF } from './tf.js';

type GradientFunction = ReturnType<GradConfig['gradFunc']>;
interface KernelGradient {
  readonly saveInputs?: readonly string[];
  /** Where the inputs are a list. */
  readonly saveAllInputs?: boolean;
  readonly saveOutput?: boolean;
  /** Also where TF.js has a rule of its own. */
  readonly always?: boolean;
  readonly gradient: (
    dy: Tensor,
    saved: readonly Tensor[],
    attributes: NamedAttrMap,
  ) => GradientFunction | (() => Tensor)[];
}

export function registerGradients(tf: TF): void {
  for (const [kernelName, rule] of Object.entries(rules(tf))) {
    if (tf.getGradient(kernelName) != null && rule.always !== true) continue;
    tf.registerGradient({
      kernelName,
      ...(rule.saveAllInputs === true && { saveAllInputs: true }),
      ...(rule.saveInputs !== undefined && { inputsToSave: [...rule.saveInputs] }),
      ...(rule.saveOutput === true && { outputsToSave: [true] }),
      gradFunc: (dy, saved, attributes) =>
        rule.gradient(Array.isArray(dy) ? dy[0]! : dy, saved, attributes) as GradientFunction,
    });
  }
}

function rules(tf: TF): Record<string, KernelGradient> {
  /** Sums over the dimensions that broadcasting repeated. */
  const unbroadcast = (dy: Tensor, shape: readonly number[]): Tensor => {
    const lead = dy.rank - shape.length;
    const repeated = dy.shape.flatMap((d, i) => (i < lead || (shape[i - lead] === 1 && d !== 1) ? [i] : []));
    const summed = repeated.length > 0 ? tf.sum(dy, repeated) : dy;
    return tf.reshape(summed, [...shape]);
  };
  const binary = (
    byA: (dy: Tensor, a: Tensor, b: Tensor) => Tensor,
    byB: (dy: Tensor, a: Tensor, b: Tensor) => Tensor,
  ): KernelGradient => ({
    saveInputs: ['a', 'b'],
    gradient: (dy, [a, b]) => ({
      a: () => unbroadcast(byA(dy, a!, b!), a!.shape),
      b: () => unbroadcast(byB(dy, a!, b!), b!.shape),
    }),
  });
  const ofInput = (f: (dy: Tensor, x: Tensor, attributes: NamedAttrMap) => Tensor): KernelGradient => ({
    saveInputs: ['x'],
    gradient: (dy, [x], attributes) => ({ x: () => f(dy, x!, attributes) }),
  });
  const ofOutput = (f: (dy: Tensor, y: Tensor, attributes: NamedAttrMap) => Tensor, input = 'x'): KernelGradient => ({
    saveOutput: true,
    gradient: (dy, [y], attributes) => ({ [input]: () => f(dy, y!, attributes) }),
  });
  const swap = (x: Tensor): Tensor => {
    const axes = x.shape.map((_, i) => i);
    return tf.transpose(x, [...axes.slice(0, -2), x.rank - 1, x.rank - 2]);
  };
  /** dy of a reduction, spread over the input's shape again. */
  const spread = (dy: Tensor, shape: readonly number[], axes: readonly number[]): Tensor => {
    const kept = shape.map((d, i) => (axes.includes(i) ? 1 : d));
    return tf.mul(tf.reshape(dy, kept), tf.ones([...shape]));
  };
  const axesOf = (attributes: NamedAttrMap, rank: number): number[] =>
    tf.util.parseAxisParam(
      (attributes.axis ?? attributes.reductionIndices) as number | number[],
      new Array(rank).fill(0),
    );

  /** 1 where a is greater than b, 1/2 where they are equal, else 0. */
  const chosen = (a: Tensor, b: Tensor): Tensor =>
    tf.mul(tf.add(tf.cast(tf.greater(a, b), 'float32'), tf.cast(tf.greaterEqual(a, b), 'float32')), 0.5);

  return {
    Add: binary(
      (dy) => dy,
      (dy) => dy,
    ),
    Sub: binary(
      (dy) => dy,
      (dy) => tf.neg(dy),
    ),
    Multiply: binary(
      (dy, _a, b) => tf.mul(dy, b),
      (dy, a) => tf.mul(dy, a),
    ),
    // d(a/b) = da/b - a db/b^2
    RealDiv: binary(
      (dy, _a, b) => tf.div(dy, b),
      (dy, a, b) => tf.neg(tf.div(tf.mul(dy, a), tf.square(b))),
    ),
    // d(a^b) = b a^(b-1) da + a^b ln(a) db; ln only where a > 0
    Pow: binary(
      (dy, a, b) => tf.mul(dy, tf.mul(b, tf.pow(a, tf.sub(b, 1)))),
      (dy, a, b) => tf.mul(dy, tf.mul(tf.pow(a, b), tf.where(tf.greater(a, 0), tf.log(a), tf.zerosLike(a)))),
    ),
    // Equal operands share dy, as all equal maxima do below: TF.js's own rules give it to one, or whole to each.
    Maximum: {
      ...binary(
        (dy, a, b) => tf.mul(dy, chosen(a, b)),
        (dy, a, b) => tf.mul(dy, chosen(b, a)),
      ),
      always: true,
    },
    Minimum: {
      ...binary(
        (dy, a, b) => tf.mul(dy, chosen(b, a)),
        (dy, a, b) => tf.mul(dy, chosen(a, b)),
      ),
      always: true,
    },
    Neg: ofInput((dy) => tf.neg(dy)),
    Abs: ofInput((dy, x) => tf.mul(dy, tf.sign(x))),
    Square: ofInput((dy, x) => tf.mul(dy, tf.mul(x, 2))),
    Log: ofInput((dy, x) => tf.div(dy, x)),
    Relu: ofInput((dy, x) => tf.mul(dy, tf.cast(tf.greater(x, 0), 'float32'))),
    LeakyRelu: ofInput((dy, x, { alpha }) =>
      tf.mul(dy, tf.where(tf.greater(x, 0), tf.onesLike(x), tf.fill(x.shape, alpha as number))),
    ),
    ClipByValue: ofInput((dy, x, { clipValueMin, clipValueMax }) => {
      const inside = tf.logicalAnd(tf.greaterEqual(x, clipValueMin as number), tf.lessEqual(x, clipValueMax as number));
      return tf.mul(dy, tf.cast(inside, 'float32'));
    }),
    // erf'(x) = 2/sqrt(pi) exp(-x^2)
    Erf: ofInput((dy, x) => tf.mul(dy, tf.mul(tf.exp(tf.neg(tf.square(x))), 2 / Math.sqrt(Math.PI)))),
    Softplus: ofInput((dy, x) => tf.mul(dy, tf.sigmoid(x))),
    Sin: ofInput((dy, x) => tf.mul(dy, tf.cos(x))),
    Cos: ofInput((dy, x) => tf.neg(tf.mul(dy, tf.sin(x)))),
    Tan: ofOutput((dy, y) => tf.mul(dy, tf.add(tf.square(y), 1))),
    Sinh: ofInput((dy, x) => tf.mul(dy, tf.cosh(x))),
    Cosh: ofInput((dy, x) => tf.mul(dy, tf.sinh(x))),
    Asin: ofInput((dy, x) => tf.div(dy, tf.sqrt(tf.sub(1, tf.square(x))))),
    Acos: ofInput((dy, x) => tf.neg(tf.div(dy, tf.sqrt(tf.sub(1, tf.square(x)))))),
    Atan: ofInput((dy, x) => tf.div(dy, tf.add(tf.square(x), 1))),
    Asinh: ofInput((dy, x) => tf.div(dy, tf.sqrt(tf.add(tf.square(x), 1)))),
    Acosh: ofInput((dy, x) => tf.div(dy, tf.sqrt(tf.sub(tf.square(x), 1)))),
    Atanh: ofInput((dy, x) => tf.div(dy, tf.sub(1, tf.square(x)))),
    Exp: ofOutput((dy, y) => tf.mul(dy, y)),
    Tanh: ofOutput((dy, y) => tf.mul(dy, tf.sub(1, tf.square(y)))),
    Sigmoid: ofOutput((dy, y) => tf.mul(dy, tf.mul(y, tf.sub(1, y)))),
    // d sqrt(x) = dx / (2 sqrt(x)); d x^(-1/2) = -x^(-3/2)/2 dx
    Sqrt: ofOutput((dy, y) => tf.div(dy, tf.mul(y, 2))),
    Rsqrt: ofOutput((dy, y) => tf.mul(dy, tf.mul(-0.5, tf.mul(y, tf.square(y))))),
    Reciprocal: ofOutput((dy, y) => tf.neg(tf.mul(dy, tf.square(y)))),
    // dx = y (dy - sum(dy y)); TF.js softmax is over the last axis
    Softmax: ofOutput((dy, y) => {
      const weighted = tf.mul(dy, y);
      return tf.sub(weighted, tf.mul(tf.sum(weighted, -1, true), y));
    }, 'logits'),
    // dx = dy - exp(y) sum(dy)
    LogSoftmax: ofOutput((dy, y) => tf.sub(dy, tf.mul(tf.sum(dy, -1, true), tf.exp(y))), 'logits'),
    Identity: ofInput((dy) => dy),
    Cast: ofInput((dy) => dy),
    Reshape: ofInput((dy, x) => tf.reshape(dy, x.shape)),
    ExpandDims: {
      saveInputs: ['input'],
      gradient: (dy, [x]) => ({ input: () => tf.reshape(dy, x!.shape) }),
    },
    Transpose: {
      gradient: (dy, _saved, { perm }) => {
        const inverse: number[] = [];
        for (const [to, from] of (perm as number[]).entries()) inverse[from] = to;
        return { x: () => tf.transpose(dy, inverse) };
      },
    },
    Sum: ofInput((dy, x, attributes) => spread(dy, x.shape, axesOf(attributes, x.rank))),
    Mean: ofInput((dy, x, attributes) => {
      const axes = tf.util.parseAxisParam(attributes.axis as number | number[], x.shape);
      const count = axes.reduce((n, axis) => n * x.shape[axis]!, 1);
      return tf.div(spread(dy, x.shape, axes), count);
    }),
    // Equal maxima share dy: padding makes hundreds of them, and a whole dy to each would count it hundreds of times.
    Max: {
      saveInputs: ['x'],
      saveOutput: true,
      always: true,
      gradient: (dy, [x, y], attributes) => ({
        x: () => {
          const input = x!;
          const axes = tf.util.parseAxisParam(attributes.reductionIndices as number | number[], input.shape);
          const hit = tf.cast(tf.equal(input, spread(y!, input.shape, axes)), 'float32');
          return tf.mul(tf.div(spread(dy, input.shape, axes), tf.sum(hit, axes, true)), hit);
        },
      }),
    },
    // With explicit transposes: the transpose flags are slow on wasm.
    BatchMatMul: {
      saveInputs: ['a', 'b'],
      gradient: (dy, [a, b], { transposeA, transposeB }) => {
        const [x, y] = [a!, b!];
        const left = transposeA === true ? swap(x) : x;
        const right = transposeB === true ? swap(y) : y;
        return {
          a: () => {
            const d = tf.matMul(dy, swap(right));
            return unbroadcast(transposeA === true ? swap(d) : d, x.shape);
          },
          b: () => {
            const d = tf.matMul(swap(left), dy);
            return unbroadcast(transposeB === true ? swap(d) : d, y.shape);
          },
        };
      },
    },
    Select: {
      saveInputs: ['condition'],
      gradient: (dy, [condition]) => {
        const zeros = (): Tensor => tf.zerosLike(dy);
        return {
          condition: () => tf.cast(tf.zerosLike(condition!), 'float32'),
          t: () => tf.where(condition!, dy, zeros()),
          e: () => tf.where(condition!, zeros(), dy),
        };
      },
    },
    Slice: ofInput((dy, x, { begin, size }) => {
      const [from, length] = tf.slice_util.parseSliceParams(x, begin as number[], size as number[]);
      const around = from!.map((b, i): [number, number] => [b, x.shape[i]! - b - length![i]!]);
      return tf.pad(dy, around);
    }),
    PadV2: ofInput((dy, x, { paddings }) =>
      tf.slice(
        dy,
        (paddings as [number, number][]).map(([before]) => before),
        x.shape,
      ),
    ),
    Cumsum: {
      gradient: (dy, _saved, { axis, exclusive, reverse }) => ({
        x: () => tf.cumsum(dy, axis as number, exclusive as boolean, reverse !== true),
      }),
    },
    Concat: {
      saveAllInputs: true,
      gradient: (dy, parts, { axis }) => {
        const along = tf.util.parseAxisParam(axis as number, parts[0]!.shape)[0]!;
        let end = 0;
        return parts.map((part) => {
          const size = part.shape[along]!;
          end += size;
          const start = dy.shape.map((_, i) => (i === along ? end - size : 0));
          return () => tf.slice(dy, start, part.shape);
        });
      },
    },
    // An index that was picked twice gets both gradients. The axis comes first, for that is where ScatterNd adds.
    GatherV2: {
      saveInputs: ['x', 'indices'],
      gradient: (dy, [x, indices], { axis }) => ({
        indices: () => indices!,
        x: () => {
          const input = x!;
          const at = tf.util.parseAxisParam(axis as number, input.shape)[0]!;
          const before = input.shape.slice(0, at).reduce((n, d) => n * d, 1);
          const after = input.shape.slice(at + 1).reduce((n, d) => n * d, 1);
          const [count, size] = [indices!.size, input.shape[at]!];
          if (count === 0) return tf.zerosLike(input);
          const rows = tf.transpose(tf.reshape(dy, [before, count, after]), [1, 0, 2]);
          const places = tf.reshape(indices!, [count, 1]);
          const added = tf.scatterND(places as never, tf.reshape(rows, [count, before * after]), [
            size,
            before * after,
          ]);
          return tf.reshape(tf.transpose(tf.reshape(added, [size, before, after]), [1, 0, 2]), input.shape);
        },
      }),
    },
  };
}
