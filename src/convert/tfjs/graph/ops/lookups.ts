/** @file Rows of a table by their ids, and the other way about. */
import type { DrawOp } from '../op-call.js';
import { followed, readDims } from '../value.js';

const gather: DrawOp = (call) => {
  const [x, ids] = [call.input(0), call.input(1)];
  const given = call.inputs.length > 2 ? call.constant(2, 'axis') : 0;
  const axis = x.dims === undefined && given >= 0 ? given : call.axis(given, call.rank(x));
  const shared = call.attributes.int('batch_dims', 0);
  if (ids.type !== 'int') throw call.refuse('whole numbers as places', ids.type);
  if (shared !== 0) {
    if (shared !== axis) throw call.refuse('batch_dims that end at the axis', `${shared} and the axis ${axis}`);
    const name = call.g.op('GatherND', [x.name, call.g.unsqueeze(ids.name, [-1])], {
      batch_dims: shared,
    });
    return call.value(x.type, name, ids.dims && x.dims && [...ids.dims, ...x.dims.slice(axis + 1)]);
  }
  const dims = x.dims && ids.dims && [...x.dims.slice(0, axis), ...ids.dims, ...x.dims.slice(axis + 1)];
  const known =
    followed('int', dims) && ids.known?.every((id) => id !== null)
      ? x.known && ids.known.map((id) => x.known?.at(id) ?? null)
      : undefined;
  return call.value(x.type, call.g.op('Gather', [x.name, ids.name], { axis }), dims, known);
};

const gatherNd: DrawOp = (call) => {
  const [x, places] = [call.input(0), call.input(1)];
  const depth = places.dims?.at(-1);
  const dims =
    typeof depth === 'number' && x.dims ? [...(places.dims?.slice(0, -1) ?? []), ...x.dims.slice(depth)] : undefined;
  return call.value(x.type, call.g.op('GatherND', [x.name, places.name]), dims);
};

/** Ids outside 0 to depth - 1 are rows of `off` throughout, as TF has them; ONNX counts those below 0 from the end. */
const oneHot: DrawOp = (call) => {
  const [ids, depth, on, off] = [call.input(0), call.input(1), call.input(2), call.input(3)];
  const rank = call.rank(ids);
  const axis = call.attributes.int('axis', -1);
  // TF.js has it there whatever the file says.
  if (axis !== -1 && axis !== rank) throw call.refuse('the last axis', `${axis}`);
  const columns = call.g.op('Range', [call.g.int(0), call.g.squeeze(call.vector(depth), [0]), call.g.int(1)]);
  const chosen = call.g.op('Equal', [call.g.unsqueeze(ids.name, [-1]), columns]);
  const dims = [...(ids.dims ?? []), depth.known?.[0] ?? null];
  return call.value(on.type, call.g.where(chosen, on.name, off.name), dims);
};

/** The places [n, axes] at which a condition holds. */
const where: DrawOp = (call) => {
  const { dims, name } = call.input(0);
  return call.value('int', call.g.transpose(call.g.op('NonZero', [name]), [1, 0]), [null, dims?.length ?? null]);
};

/** Values at their places, another elsewhere. */
const sparseToDense: DrawOp = (call) => {
  const [places, shape, values, otherwise] = [call.input(0), call.input(1), call.input(2), call.input(3)];
  if (call.rank(places) !== 2 || call.rank(values) !== 1)
    throw call.refuse('places [n, axes] and values [n]', 'others');
  const base = call.g.expand(otherwise.name, call.vector(shape));
  return call.value(values.type, call.g.op('ScatterND', [base, places.name, values.name]), readDims(shape));
};

const scatterUpdate: DrawOp = (call) => {
  const [x, places, values] = [call.input(0), call.input(1), call.input(2)];
  return call.value(x.type, call.g.op('ScatterND', [x.name, places.name, values.name]), x.dims);
};

export const LOOKUPS: Readonly<Record<string, DrawOp>> = {
  Gather: gather,
  GatherNd: gatherNd,
  GatherV2: gather,
  OneHot: oneHot,
  SparseToDense: sparseToDense,
  TensorScatterUpdate: scatterUpdate,
  Where: where,
};
