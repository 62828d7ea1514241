/** @file A model whose graph is made of another's, with its weights in 4 bits: made once and kept, as conversions are. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { saveModel } from '../../convert/save.js';
import { ModelError } from '../../core/errors.js';
import { constants, everyGraph, tensors } from '../../onnx/edit.js';
import { FourBitWeights, withFourBitWeights } from '../../onnx/four-bit-weights.js';
import { readModelOutline } from '../../onnx/load.js';
import type { Model } from '../../onnx/model.js';
import { withPrunedRows } from '../../onnx/row-pruning.js';
import { Tensor } from '../../onnx/tensor.js';
import { CONTINUED, contentHash, conversions, graphsIn, keep, record } from './conversion.js';
import { describe } from './describe.js';
import { graphFacts } from './graph-facts.js';
import type { OnnxFiles } from './resolve.js';

interface FourBitOptions {
  readonly cache: string | undefined;
  onNote(line: string): void;
}

/** The same files with a graph whose weights are in 4 bits. Throws ModelError, OutputError. */
export async function withFourBits(files: OnnxFiles, { cache, onNote }: FourBitOptions): Promise<OnnxFiles> {
  const { name } = files;
  const { model: path, modelType = 'ONNX' } = await describe(files);
  const graphs = [path, ...(files.continued === undefined ? [] : [files.continued])];
  const key = await contentHash([...graphs, ...(await graphFacts(path)).dataFiles], 'weights of 4 bits, 2');
  const place = join(conversions(cache), key);
  if (existsSync(join(place, 'model.onnx'))) return { ...files, ...graphsIn(place) };
  const began = performance.now();
  const weights = new FourBitWeights();
  const whole = await readModelOutline(path);
  // A graph that continues texts has all its rows.
  const model = inFourBits(name, (files.continued === undefined && withPrunedRows(whole)) || whole, weights);
  const more =
    files.continued === undefined ? undefined : inFourBits(name, await readModelOutline(files.continued), weights);
  keep(place, (aside) => {
    const second = more && { model: withTensorsOf(model, more), path: join(aside, CONTINUED) };
    saveModel(model, join(aside, 'model.onnx'), 0, second);
    record(aside, { name: `${name}, weights of 4 bits`, family: modelType });
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  onNote(`${name}: its weights were written in 4 bits in ${seconds} s and are kept in ${place}`);
  return { ...files, ...graphsIn(place) };
}

function inFourBits(name: string, model: Model, weights: FourBitWeights): Model {
  const [, ...inner] = everyGraph(model.graph);
  const out = [...constants(model.graph), ...inner.flatMap(tensors)].some(({ external }) => external !== undefined);
  const made = out ? undefined : withFourBitWeights(model, weights);
  if (made !== undefined) return made;
  throw new ModelError(
    `${name}: expected a graph with products whose weights can be 4 bits wide, found ${out ? 'weights in constants of nodes' : 'none'}`,
    {
      code: 'PRECISION_UNAVAILABLE',
      hint: 'Leave --runtime precision=... out: this model is small, or made of other operators than MatMul and Gemm with constant weights.',
    },
  );
}

/** The second graph with those tensors of the first that lie in the same place, which are written once, and the others within it. */
function withTensorsOf({ graph: { initializers } }: Model, { graph, ...rest }: Model): Model {
  const placed = (own: Tensor): Tensor => {
    const { name, dims, type, external } = own;
    if (external === undefined) return own;
    const first = initializers.get(name);
    const { location, offset } = external;
    if (first?.external?.location === location && first.external.offset === offset) return first;
    return Tensor.of(name, dims, own.data, type);
  };
  const shared = new Map(Array.from(graph.initializers, ([name, own]) => [name, placed(own)]));
  return { ...rest, graph: { ...graph, initializers: shared } };
}
