/**
 * @file A graph whose weights stay in the file of the original. It refers to their places in the file, and onnxruntime reads them from
 * there, so that memory contains them once while a session opens. This applies only to weights that onnxruntime copies then, to reorder
 * them for its products or to compute with them. It would map the others from the file as long as it runs, and a change of the file would
 * change answers or crash the process.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { constants, everyGraph, reads, tensors, withGraph } from '../../../packages/onnx/src/graph/edit.js';
import { dataFile } from '../../../packages/onnx/src/graph/external.js';
import { externalTensor } from '../../../packages/onnx/src/graph/external-tensor.js';
import type { Graph, Model } from '../../../packages/onnx/src/graph/model.js';
import { SELF } from '../../../packages/onnx/src/graph/outline.js';
import { Tensor } from '../../../packages/onnx/src/graph/tensor.js';
import { writeModel } from '../../../packages/onnx/src/graph/write.js';

export interface LinkedGraph {
  /** The bytes of the graph. */
  readonly bytes: Uint8Array;
  /** Where the files lie that it names: absolute. */
  readonly folder: string;
}

/** Bytes that may be held in memory to open a session. */
const MAX_BYTES = 2 ** 30;

/**
 * The bytes of a graph made of the model whose outline was read at `path` (load.ts). Undefined where its data lies in several folders or in constants
 * of its nodes, or where too much would have to be held: such a graph has to be opened as it is. Throws OnnxError where a data file is
 * missing or lies outside the model's folder.
 */
export function linkedGraph(model: Model, path: string): LinkedGraph | undefined {
  const { graph } = model;
  const [, ...inner] = everyGraph(graph);
  if ([...constants(graph), ...inner.flatMap(tensors)].some(isExternal)) return undefined;
  const folder = dirname(realpathSync(path));
  const copied = copiedAtOpening(graph);
  const initializers = new Map(graph.initializers);
  let held = 0;
  for (const [name, tensor] of graph.initializers) {
    const { external, type, dims } = tensor;
    if (external === undefined) continue;
    if (!copied.has(name)) {
      held += tensor.size * Float32Array.BYTES_PER_ELEMENT;
      if (held > MAX_BYTES) return undefined;
      initializers.set(name, Tensor.of(name, dims, tensor.data, type));
      continue;
    }
    const file = external.location === SELF ? realpathSync(path) : dataFile(path, name, external.location);
    if (dirname(file) !== folder) return undefined;
    const link = { ...external, location: basename(file) };
    initializers.set(
      name,
      externalTensor({ name, type, dims }, link, () => tensor.once()),
    );
  }
  return { bytes: writeModel(withGraph(model, { ...graph, initializers })), folder };
}

/** Operator -> which of its inputs. None of these has optional inputs before it, or subgraphs. */
const COPIED_INPUT: Readonly<Record<string, number>> = { MatMul: 1, Gemm: 1, Cast: 0, Transpose: 0 };

/** The tensors that onnxruntime holds in another form once a session is open: right sides of products are packed, the rest is folded. */
function copiedAtOpening({ nodes, outputs }: Graph): ReadonlySet<string> {
  const copied = new Set<string>();
  const read = new Set(outputs.map(({ name }) => name));
  for (const each of nodes) {
    const at = each.domain === '' ? COPIED_INPUT[each.op] : undefined;
    for (const [input, name] of reads(each).entries()) (input === at ? copied : read).add(name);
  }
  return new Set([...copied].filter((name) => !read.has(name)));
}

const isExternal = ({ external }: Tensor): boolean => external !== undefined;
