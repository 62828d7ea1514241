/** @file Types and helpers for the derivatives of kernels. */
import type { GradConfig, Tensor } from '@tensorflow/tfjs-core';
import { must } from '../core/errors.js';
import type { TF } from './tf.js';

export type GradientFunction = ReturnType<GradConfig['gradFunc']>;

/** The attributes that rules read, as the kernels have them. */
export interface KernelAttributes {
  readonly axis: number;
  readonly reductionIndices: number | number[];
  readonly alpha: number;
  readonly clipValueMin: number;
  readonly clipValueMax: number;
  readonly perm: readonly number[];
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  readonly begin: number[];
  readonly size: number[];
  readonly paddings: readonly (readonly [number, number])[];
  readonly exclusive: boolean;
  readonly reverse: boolean;
  readonly batchDims?: number;
  readonly end: number[];
  readonly strides: number[];
  readonly beginMask: number;
  readonly endMask: number;
  readonly ellipsisMask: number;
  readonly newAxisMask: number;
  readonly shrinkAxisMask: number;
  readonly equation: string;
}

export interface KernelGradient {
  readonly saveInputs?: string[];
  /** Where the inputs are a list. */
  readonly saveAllInputs?: boolean;
  readonly saveOutput?: boolean;
  /** Also where TF.js has a rule of its own. */
  readonly always?: boolean;
  /** For which attributes the rule of TF.js has to do. */
  readonly unless?: (attributes: KernelAttributes) => boolean;
  readonly gradient: (
    dy: Tensor,
    saved: readonly Tensor[],
    attributes: KernelAttributes,
  ) => GradientFunction | (() => Tensor)[];
}

export type KernelGradients = Readonly<Record<string, KernelGradient>>;

export class Derivatives {
  readonly tf: TF;

  constructor(tf: TF) {
    this.tf = tf;
  }

  /** Sums over the dimensions that broadcasting repeated. */
  unbroadcast(dy: Tensor, shape: readonly number[]): Tensor {
    const lead = dy.rank - shape.length;
    const repeated = dy.shape.flatMap((d, i) => (i < lead || (shape[i - lead] === 1 && d !== 1) ? [i] : []));
    return this.tf.reshape(repeated.length > 0 ? this.tf.sum(dy, repeated) : dy, [...shape]);
  }

  binary(
    byA: (dy: Tensor, a: Tensor, b: Tensor) => Tensor,
    byB: (dy: Tensor, a: Tensor, b: Tensor) => Tensor,
  ): KernelGradient {
    return {
      saveInputs: ['a', 'b'],
      gradient: (dy, saved) => {
        const [a, b] = [must(saved[0]), must(saved[1])];
        return { a: () => this.unbroadcast(byA(dy, a, b), a.shape), b: () => this.unbroadcast(byB(dy, a, b), b.shape) };
      },
    };
  }

  /** A rule that needs the input. */
  ofInput(f: (dy: Tensor, x: Tensor, attributes: KernelAttributes) => Tensor, input = 'x'): KernelGradient {
    return { saveInputs: [input], gradient: (dy, [x], attributes) => ({ [input]: () => f(dy, must(x), attributes) }) };
  }

  /** A rule that needs the output. */
  ofOutput(f: (dy: Tensor, y: Tensor) => Tensor, input = 'x'): KernelGradient {
    return { saveOutput: true, gradient: (dy, [y]) => ({ [input]: () => f(dy, must(y)) }) };
  }

  /** The last two axes swapped where `wanted`. */
  swapAxes(x: Tensor, wanted = true): Tensor {
    const axes = x.shape.map((_, i) => i);
    return wanted ? this.tf.transpose(x, [...axes.slice(0, -2), x.rank - 1, x.rank - 2]) : x;
  }

  /** dy of a reduction over `axes`, repeated over the input's shape. */
  spread(dy: Tensor, shape: readonly number[], axes: readonly number[]): Tensor {
    const kept = shape.map((d, i) => (axes.includes(i) ? 1 : d));
    return this.tf.mul(this.tf.reshape(dy, kept), this.tf.ones([...shape]));
  }

  /** Axes counted from the front. */
  axes(axis: number | number[], { shape }: Tensor): number[] {
    return this.tf.util.parseAxisParam(axis, shape);
  }

  /** 1 where a is greater than b, 1/2 where they are equal, else 0. */
  greater(a: Tensor, b: Tensor): Tensor {
    const { tf } = this;
    return tf.mul(tf.add(tf.cast(tf.greater(a, b), 'float32'), tf.cast(tf.greaterEqual(a, b), 'float32')), 0.5);
  }
}
