/** @file Products of matrices. */
import { float } from '../../../../onnx/builder.js';
import type { DrawOp, OpCall } from '../op-call.js';
import { broadcast, type Dims, type TensorValue } from '../value.js';
import { FUNCTIONS } from './arithmetic.js';

const swapLast = (dims: Dims): Dims =>
  dims && [...dims.slice(0, -2), dims.at(-1) as number | null, dims.at(-2) as number | null];

/** A matrix, or several, its last two axes swapped where `wanted`. */
function transposeIf(call: OpCall, x: TensorValue, wanted: boolean, rank?: number): { name: string; dims: Dims } {
  if (!wanted) return x;
  const axes = rank ?? call.rank(x);
  if (axes < 2) throw call.refuse('matrices', `a tensor of ${axes} axes`);
  const perm = Array.from({ length: axes }, (_, axis) => axis);
  [perm[axes - 2], perm[axes - 1]] = [axes - 1, axes - 2];
  return { name: call.g.transpose(x.name, perm), dims: swapLast(x.dims) };
}

function product(call: OpCall, transposed: readonly [boolean, boolean], rank?: number): { name: string; dims: Dims } {
  const a = transposeIf(call, call.input(0), transposed[0], rank);
  const b = transposeIf(call, call.input(1), transposed[1], rank);
  const name = call.g.matmul(a.name, b.name);
  const batch = broadcast(a.dims?.slice(0, -2), b.dims?.slice(0, -2));
  if (batch === undefined || a.dims === undefined || b.dims === undefined) return { name, dims: undefined };
  return { name, dims: [...batch, a.dims.at(-2) ?? null, b.dims.at(-1) ?? null] };
}

const matMul: DrawOp = (call) => {
  const { attributes } = call;
  const { name, dims } = product(call, [attributes.flag('transpose_a'), attributes.flag('transpose_b')], 2);
  return call.value('float', name, dims ?? [null, null]);
};

const batchMatMul: DrawOp = (call) => {
  const { name, dims } = product(call, [call.attributes.flag('adj_x'), call.attributes.flag('adj_y')]);
  return call.value('float', name, dims);
};

/** Post-processing of a fused operator: a bias, a function. The inputs from `from` on are the bias and PReLU's slope. */
export function finish(call: OpCall, x: string, from: number): string {
  let name = x;
  let at = from;
  for (const each of call.attributes.texts('fused_ops')) {
    if (each === 'BiasAdd') name = call.g.add(name, call.input(at++).name);
    else if (each === 'Prelu') name = call.g.op('PRelu', [name, call.input(at++).name]);
    else if (each === 'LeakyRelu')
      name = call.g.op('LeakyRelu', [name], { alpha: float(call.attributes.float('leakyrelu_alpha', 0.2)) });
    else if (['Relu', 'Relu6', 'Elu', 'Sigmoid', 'Tanh'].includes(each)) name = FUNCTIONS[each]!(call, name);
    else if (each !== '') throw call.refuse('a bias and a function that is known', `the fused operator ${each}`);
  }
  return name;
}

const fusedMatMul: DrawOp = (call) => {
  const { attributes } = call;
  const { name, dims } = product(call, [attributes.flag('transpose_a'), attributes.flag('transpose_b')], 2);
  return call.value('float', finish(call, name, 2), dims ?? [null, null]);
};

const einsum: DrawOp = (call) => {
  const equation = call.attributes.text('equation').replaceAll(' ', '');
  const [left = '', right] = equation.split('->');
  const terms = left.split(',');
  if (right === undefined || terms.length !== call.inputs.length || !/^[A-Za-z,.]*$/.test(left + right))
    throw call.refuse('an equation with "->"', JSON.stringify(equation));
  const name = call.g.op(
    'Einsum',
    call.inputs.map((each) => each.name),
    { equation },
  );
  if (equation.includes('.')) return call.value('float', name, undefined);
  const sizes = new Map<string, number | null>();
  for (const [at, term] of terms.entries())
    for (const [axis, letter] of [...term].entries())
      sizes.set(letter, sizes.get(letter) ?? call.input(at).dims?.[axis] ?? null);
  return call.value(
    'float',
    name,
    [...right].map((letter) => sizes.get(letter) ?? null),
  );
};

export const PRODUCTS: Readonly<Record<string, DrawOp>> = {
  BatchMatMul: batchMatMul,
  BatchMatMulV2: batchMatMul,
  Einsum: einsum,
  MatMul: matMul,
  _FusedMatMul: fusedMatMul,
};
