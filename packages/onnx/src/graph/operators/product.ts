/** @file Products of matrices, convolutions and pools. */
import { broadcast, type SymbolicShape } from '../symbolic-shape.js';
import { any, each, family, type NodeView } from './operator.js';

/** The shape of a product over the last two axes, the others broadcast. */
function productShape(a: SymbolicShape | undefined, b: SymbolicShape | undefined): SymbolicShape | undefined {
  if (a === undefined || b === undefined || a.length < 2 || b.length < 2) return undefined;
  const batch = broadcast(a.slice(0, -2), b.slice(0, -2));
  return batch && [...batch, a.at(-2), b.at(-1)];
}

function gemmShape(at: NodeView): SymbolicShape | undefined {
  const [a, b] = [at.first, at.shape(1)];
  if (a?.length !== 2 || b?.length !== 2) return undefined;
  return [a[at.attributes.int('transA', 0)], b[1 - at.attributes.int('transB', 0)]];
}

const lastTwoSwapped = (shape: SymbolicShape | undefined, transposed: number): SymbolicShape | undefined =>
  transposed === 0 || shape === undefined || shape.length < 2
    ? shape
    : [...shape.slice(0, -2), shape.at(-1), shape.at(-2)];

/** Whether a convolution works on each place of its input by itself. */
export function isPointwise({ attributes }: NodeView, kernel: SymbolicShape): boolean {
  const all = (name: string, size: number): boolean => (attributes.ints(name) ?? []).every((given) => given === size);
  return (
    kernel.slice(2).every((size) => size === 1) &&
    all('pads', 0) &&
    all('strides', 1) &&
    attributes.string('auto_pad', 'NOTSET') === 'NOTSET'
  );
}

/** [batch, filters, ...space]; the sizes of space are known where the kernel sees one place at a time. */
function convolutionShape(at: NodeView): SymbolicShape | undefined {
  const [a, kernel] = [at.first, at.shape(1)];
  if (a === undefined || kernel?.length !== a.length) return undefined;
  return [a[0], kernel[0], ...a.slice(2).map((size) => (isPointwise(at, kernel) ? size : undefined))];
}

/** [batch, channels, ...space], whose sizes are unknown, or 1 where one window sees all. */
const poolShape =
  (size: 1 | undefined) =>
  ({ first }: NodeView): SymbolicShape | undefined =>
    first?.map((given, axis) => (axis < 2 ? given : size));

/** Each index of the result has the size it has in an operand; undefined where the equation has an ellipsis. */
function einsumShape(at: NodeView): SymbolicShape | undefined {
  const [terms = '', result] = at.attributes.string('equation', '').replaceAll(/\s/g, '').split('->');
  const shapes = at.shapes();
  const sizes = new Map(
    terms
      .split(',')
      .flatMap((term, input) => Array.from(term, (index, axis) => [index, shapes[input]?.[axis]] as const)),
  );
  return result === undefined || result.includes('.') ? undefined : Array.from(result, (index) => sizes.get(index));
}

const window = { auto_pad: any, dilations: any, kernel_shape: any, pads: any, strides: any } as const;
const gemm = { alpha: any, beta: any, transA: any, transB: any } as const;
const convolution = { shape: convolutionShape, linear: true } as const;
const matrix = { shape: (at: NodeView) => productShape(at.first, at.shape(1)), linear: true } as const;
const globalPool = { shape: poolShape(1), gradient: 'lowering' } as const;

export const products = family({
  MatMul: { ...matrix, gradient: 'rule' },
  Gemm: { shape: gemmShape, linear: true, gradient: 'rule', attributes: gemm },
  Einsum: { shape: einsumShape, linear: true, gradient: 'rule', attributes: { equation: any } },
  Conv: {
    ...convolution,
    gradient: 'rule',
    attributes: { ...window, group: any },
  },
  AveragePool: {
    shape: poolShape(undefined),
    gradient: 'lowering',
    attributes: { ...window, ceil_mode: any, count_include_pad: any },
  },
  MaxPool: {
    shape: poolShape(undefined),
    gradient: 'lowering',
    attributes: { ...window, ceil_mode: any, storage_order: any },
  },
  ...each(['GlobalAveragePool', 'GlobalMaxPool'], globalPool),
});

/** The products that onnxruntime's optimiser writes, with an activation or a transposition of their own. */
export const contributedProducts = family({
  FusedConv: {
    ...convolution,
    gradient: 'lowering',
    attributes: { ...window, group: any, activation: any, activation_params: any },
  },
  FusedGemm: {
    shape: gemmShape,
    gradient: 'lowering',
    attributes: { ...gemm, activation: any, activation_alpha: any, activation_beta: any, activation_gamma: any },
  },
  FusedMatMul: {
    shape: (at) =>
      productShape(
        lastTwoSwapped(at.first, at.attributes.int('transA', 0)),
        lastTwoSwapped(at.shape(1), at.attributes.int('transB', 0)),
      ),
    linear: true,
    gradient: 'lowering',
    attributes: { alpha: any, transA: any, transB: any, transBatchA: [0], transBatchB: [0] },
  },
  TransposeMatMul: { linear: true },
  MatMulNBits: { linear: true },
});

export const quantisedProducts = family({
  ConvInteger: { ...convolution, gradient: 'surrogate', attributes: { ...window, group: any } },
  MatMulInteger: { ...matrix, gradient: 'surrogate' },
  QLinearMatMul: { shape: (at) => productShape(at.first, at.shape(3)), linear: true, gradient: 'surrogate' },
});

export const contributedQuantisedProducts = family({
  DynamicQuantizeMatMul: { ...matrix, quantisesBatch: true, gradient: 'surrogate' },
  MatMulIntegerToFloat: { ...matrix, gradient: 'surrogate' },
  QGemm: { linear: true },
});
