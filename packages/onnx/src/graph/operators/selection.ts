/** @file Operators that pick, cut, join and overwrite parts of tensors. */
import { must } from '../../errors.js';
import { type SymbolicDim, sum } from '../symbolic-dim.js';
import { isFew, isNumber, type SymbolicShape, sliceLength } from '../symbolic-shape.js';
import { any, axis, family, type NodeView, shapeOfFirst } from './operator.js';

/** From here on the end of a slice is the end of the axis, and below the negative, its beginning. */
const BEYOND = 2 ** 31;

export interface SlicedAxis {
  readonly axis: number;
  readonly start: number;
  /** Undefined to the end; a symbol where the end is computed from shapes. */
  readonly end: SymbolicDim;
  /** The size of the slice of an axis of this size. */
  size(of: SymbolicDim): SymbolicDim;
}

/** The parts that a Slice of step 1 takes, where they start at constants and end at constants or symbols. */
export function slicedAxes(at: NodeView): readonly SlicedAxis[] | undefined {
  const [starts, ends] = [at.list('starts', 1), at.list('ends', 2)];
  const named = at.has(3) || at.attributes.ints('axes') !== undefined;
  const axes = named ? at.axes(3) : starts?.map((_, axis) => axis);
  const steps = at.has(4) ? at.values(4) : [1];
  if (!starts?.every(isNumber) || axes === undefined || ends === undefined) return undefined;
  if (!steps?.every((step) => step === 1)) return undefined;
  return starts.map((start, i) => {
    const end = isNumber(ends[i]) && ends[i] >= BEYOND - 1 ? undefined : ends[i];
    const known = isNumber(ends[i]) || ends[i] === undefined;
    return {
      axis: must(axes[i]),
      start,
      end,
      size: (of) => (known || start === 0 ? sliceLength(of, start, end) : undefined),
    };
  });
}

/** Whether a Slice takes all of the first axis from its end to its beginning. */
function reverses(at: NodeView): boolean {
  const [start, end, axis, step] = [1, 2, 3, 4].map((input) => at.values(input)?.join());
  return start === '-1' && axis === '0' && step === '-1' && Number(end) < -BEYOND;
}

function sliceShape(at: NodeView): SymbolicShape | undefined {
  if (reverses(at)) return at.first;
  const sliced = slicedAxes(at);
  if (sliced === undefined) return at.first?.map(() => undefined);
  return at.first?.map((size, axis) => {
    const part = sliced.find((each) => each.axis === axis);
    return part === undefined ? size : part.size(size);
  });
}

function sliceValues(at: NodeView): readonly SymbolicDim[] | undefined {
  const elements = at.values(0);
  if (elements === undefined) return undefined;
  if (reverses(at)) {
    const width = elements.length / Number(at.first?.[0]);
    return elements.map((_, i) => elements[elements.length - width * (Math.floor(i / width) + 1) + (i % width)]);
  }
  const [part] = at.rank === 1 ? (slicedAxes(at) ?? []) : [];
  return part && typeof part.end !== 'string' ? elements.slice(part.start, part.end) : undefined;
}

function gatherValues(at: NodeView): readonly SymbolicDim[] | undefined {
  const [elements, indices] = [at.values(0), at.values(1)];
  if (elements === undefined || at.rank !== 1) return undefined;
  return indices?.map((index) => (isNumber(index) ? elements.at(index) : undefined));
}

/** Elements that nothing is known of, where it is known how many they are. */
function unknownElements(shape: SymbolicShape | undefined): undefined[] | undefined {
  const [size = 1] = shape ?? [undefined];
  return shape !== undefined && shape.length < 2 && isFew(size) ? Array(size).fill(undefined) : undefined;
}

function concatValues(at: NodeView): readonly SymbolicDim[] | undefined {
  const parts = at.shapes().map((shape, input) => at.values(input) ?? unknownElements(shape));
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

function concatShape(at: NodeView): SymbolicShape | undefined {
  const shapes = at.shapes();
  const along = at.axis(0);
  if (at.first === undefined || shapes.some((shape) => shape?.length !== at.rank)) return undefined;
  const sizes = shapes.map((shape) => shape?.[along]);
  const whole = sizes.every(isNumber) ? sizes.reduce((total, size) => total + size, 0) : undefined;
  return at.first.map((size, each) => (each === along ? whole : size));
}

/** The first part of a Split: of the sizes that are named, or an equal one. */
function splitShape(at: NodeView): SymbolicShape | undefined {
  if (at.first === undefined) return undefined;
  const along = at.axis(0);
  const named = at.has(1) || at.attributes.ints('split') !== undefined;
  const size = at.first[along];
  const equal = isNumber(size) ? Math.ceil(size / at.node.outputs.length) : undefined;
  const part = named ? at.list('split', 1)?.[0] : equal;
  return at.first.map((given, each) => (each === along ? part : given));
}

function padShape(at: NodeView): SymbolicShape | undefined {
  const pads = at.list('pads', 1);
  if (pads?.length !== 2 * at.rank || at.has(3)) return at.first?.map(() => undefined);
  return at.first?.map((size, axis) => {
    const [before, after] = [pads[axis], pads[axis + at.rank]];
    return isNumber(before) && isNumber(after) ? sum(size, before + after) : undefined;
  });
}

/** Index tuples pick what lies behind the axes that they index. */
function gatherNdShape(at: NodeView): SymbolicShape | undefined {
  const indices = at.shape(1);
  const depth = indices?.at(-1);
  if (at.first === undefined || !isNumber(depth) || at.attributes.int('batch_dims', 0) !== 0) return undefined;
  return [...must(indices).slice(0, -1), ...at.first.slice(depth)];
}

const scattering = {
  shape: shapeOfFirst,
  moves: { how: 'mix', inputs: [0, 2] },
  looksUp: 1,
  gradient: 'rule',
} as const;

export const selections = family({
  Concat: {
    shape: concatShape,
    values: concatValues,
    moves: { how: 'mix', inputs: 'all' },
    gradient: 'rule',
    attributes: axis,
  },
  Gather: {
    shape: (at) => {
      const [indices, along] = [at.shape(1), at.axis(0)];
      return at.first && indices && [...at.first.slice(0, along), ...indices, ...at.first.slice(along + 1)];
    },
    values: gatherValues,
    moves: { how: 'pick' },
    looksUp: 1,
    gradient: 'rule',
    attributes: axis,
  },
  GatherElements: {
    shape: (at) => at.shape(1),
    moves: { how: 'pick' },
    looksUp: 1,
    gradient: 'rule',
    attributes: axis,
  },
  GatherND: {
    shape: gatherNdShape,
    moves: { how: 'pick' },
    looksUp: 1,
    gradient: 'rule',
    attributes: { batch_dims: [0] },
  },
  Pad: { shape: padShape, moves: { how: 'mix', inputs: [0, 2] }, gradient: 'rule', attributes: { mode: ['constant'] } },
  Scatter: { shape: shapeOfFirst, looksUp: 1 },
  ScatterElements: { ...scattering, attributes: { axis: any, reduction: ['none'] } },
  ScatterND: { ...scattering, attributes: { reduction: ['none'] } },
  Slice: { shape: sliceShape, values: sliceValues, moves: { how: 'pick' }, gradient: 'rule' },
  Split: {
    shape: splitShape,
    moves: { how: 'pick' },
    gradient: 'rule',
    attributes: { axis: any, num_outputs: any, split: any },
  },
  TopK: {
    shape: (at) => at.first?.map((size, each) => (each === at.axis(-1) ? at.values(1)?.[0] : size)),
    gradient: 'rule',
    attributes: { axis: any, largest: any, sorted: any },
  },
});
