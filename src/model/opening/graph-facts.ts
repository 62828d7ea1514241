import { everyGraph, tensors } from '../../../packages/onnx/src/graph/edit.js';
import { dataFile } from '../../../packages/onnx/src/graph/external.js';
import { readModelOutline } from '../../../packages/onnx/src/graph/load.js';
import type { Graph } from '../../../packages/onnx/src/graph/model.js';
import { SELF } from '../../../packages/onnx/src/graph/outline.js';
import { isTfjsFile, shardsOf } from '../../tfjs/model-file.js';
import { withPrunedRows } from '../graph/row-pruning.js';
import { quantisesBatches, rowScalesGain, withRowScales } from '../graph/row-scales.js';

/** Facts about a model file that are needed before onnxruntime opens it. */
export interface GraphFacts {
  /** The graph, its large tensors left in the file; undefined for a model of TF.js, of which its worker knows. */
  readonly graph: Graph | undefined;
  /** Absolute paths of the files its external data lies in. */
  readonly dataFiles: readonly string[];
  /** It quantises activations by the range of the whole batch, so that a text's answer depends on its company. */
  readonly quantisesBatches: boolean;
  /** It can quantise row by row instead (graph/row-scales.ts). */
  readonly rescalable: boolean;
  /** Which answers batches faster than the graph as it is answers text by text. */
  readonly gainsByRow: boolean;
  /** Its last block can be computed for fewer rows (graph/row-pruning.ts). */
  readonly prunable: boolean;
}

/** What holds of every model of TF.js. */
const OF_TFJS = { graph: undefined, quantisesBatches: false, rescalable: false, gainsByRow: false, prunable: false };

/** Throws ModelError where the file is no ONNX model, or no model.json, or names data outside its folder. */
export async function graphFacts(path: string): Promise<GraphFacts> {
  if (isTfjsFile(path)) return { ...OF_TFJS, dataFiles: shardsOf(path) };
  const model = await readModelOutline(path);
  const { graph } = model;
  const graphs = everyGraph(graph);
  const dataFiles = Array.from(locations(graphs), ([location, tensor]) => dataFile(path, tensor, location));
  return {
    graph,
    dataFiles,
    prunable: withPrunedRows(model) !== undefined,
    quantisesBatches: quantisesBatches(model),
    rescalable: withRowScales(model) !== undefined,
    gainsByRow: rowScalesGain(model),
  };
}

/** The files a model says its external data lies in, in its own words: they may be missing, or lead elsewhere. Throws ModelError. */
export async function dataLocations(path: string): Promise<string[]> {
  return [...locations(everyGraph((await readModelOutline(path)).graph)).keys()];
}

/** Location -> a tensor that lies there. */
function locations(graphs: readonly Graph[]): Map<string, string> {
  return new Map(
    graphs
      .flatMap(tensors)
      .flatMap(({ name, external }) =>
        external === undefined || external.location === SELF ? [] : [[external.location, name] as const],
      ),
  );
}
