/** @file Operators that take sums, extremes and products of some axes. */
import type { SymbolicShape } from '../symbolic-shape.js';
import { any, each, family, type NodeView, shapeOfFirst } from './operator.js';

/** The axes that a reduction works along: all where none are named, unless that means none. */
export function reducedAxes(at: NodeView): readonly number[] | undefined {
  const axes = at.axes();
  const named = at.has(1) || at.attributes.ints('axes') !== undefined;
  if (axes !== undefined && axes.length > 0) return axes;
  if (at.first === undefined || (named && axes === undefined)) return undefined;
  return at.attributes.int('noop_with_empty_axes', 0) === 1 ? [] : at.first.map((_, each) => each);
}

function without(at: NodeView, axes: readonly number[] | undefined): SymbolicShape | undefined {
  if (axes === undefined) return undefined;
  const keeps = at.attributes.int('keepdims', 1) === 1;
  const ones = at.first?.map((size, each) => (axes.includes(each) ? 1 : size));
  return keeps ? ones : ones?.filter((_, each) => !axes.includes(each));
}

const reduction = {
  shape: (at: NodeView) => without(at, reducedAxes(at)),
  gradient: 'rule',
  attributes: { axes: any, keepdims: any, noop_with_empty_axes: any },
} as const;

const extremePlace = { shape: (at: NodeView) => without(at, at.first && [at.axis(0)]), gradient: 'none' } as const;

export const reductions = family({
  ...each(['ReduceL1', 'ReduceL2', 'ReduceLogSumExp', 'ReduceMax', 'ReduceMean'], reduction),
  ...each(['ReduceMin', 'ReduceSum', 'ReduceSumSquare'], reduction),
  ...each(['ReduceLogSum', 'ReduceProd'], { shape: reduction.shape }),
  ...each(['ArgMax', 'ArgMin'], extremePlace),
  CumSum: { shape: shapeOfFirst, gradient: 'rule', attributes: { exclusive: any, reverse: any } },
});
