/** @file A classifier's hidden state just before its last layer: the same graph with another output. */
import { availableParallelism } from 'node:os';
import type { HiddenStates } from '../../core/backdoor-findings.js';
import { ModelError } from '../../core/errors.js';
import { attributesOf } from '../../onnx/attributes.js';
import { DataType } from '../../onnx/data-type.js';
import { embedded, producers, prune, withGraph } from '../../onnx/edit.js';
import { loadModel as readOnnx } from '../../onnx/load.js';
import type { Graph, Node } from '../../onnx/model.js';
import type { LoadedModel } from '../loaded-model.js';
import { readsIds } from '../opening/input-kinds.js';
import { openVariant } from './graph-variant.js';

export interface OpenHiddenStates extends HiddenStates {
  close(): Promise<void>;
}

const PRODUCTS = ['MatMul', 'Gemm', 'FusedMatMul'];

/** Throws ModelError where the model has no graph, or no linear layer at its end. */
export async function openHiddenStates(
  model: LoadedModel,
  workers = availableParallelism(),
): Promise<OpenHiddenStates> {
  const { onnx } = model;
  if (onnx === undefined || !readsIds(onnx.encoder)) {
    throw new ModelError(
      `${model.name}: expected a local ONNX model of token ids for hidden states, got another kind`,
      {
        code: 'NO_HIDDEN_STATES',
        hint: 'Filters that need no hidden states run on it.',
      },
    );
  }
  const read = await readOnnx(onnx.file);
  const { state, width } = lastLayer(read.graph, onnx.wiring.output, model.name);
  const output = { name: state, type: DataType.float };
  const graph = prune({ ...embedded(read.graph), outputs: [output] });
  const rule = { activation: 'none', normalise: false, width } as const;
  const { rows, close } = await openVariant(onnx, withGraph(read, graph), rule, workers);
  return { width, states: rows, close };
}

/** Input of the last matrix product before `output`, and its width. */
function lastLayer(graph: Graph, output: string, name: string): { state: string; width: number } {
  const made = producers(graph);
  let node: Node | undefined = made.get(output);
  while (node !== undefined && !PRODUCTS.includes(node.op)) {
    const before: Node | undefined = node.inputs.map((input) => made.get(input)).find((found) => found !== undefined);
    node = before;
  }
  const [state, weights] = node?.inputs ?? [];
  const dims = graph.initializers.get(source(made, weights ?? ''))?.dims;
  const width = dims?.[node !== undefined && attributesOf(node).int('transB', 0) === 1 ? 1 : 0];
  if (state === undefined || width === undefined || width < 2 || dims?.length !== 2) {
    throw new ModelError(`${name}: expected a linear layer at the end of the graph, found none`, {
      code: 'NO_HIDDEN_STATES',
      hint: 'Filters that need no hidden states run on it.',
    });
  }
  return { state, width };
}

/** Where weights come from, through the casts that widen them. */
function source(made: ReadonlyMap<string, Node>, name: string): string {
  const node = made.get(name);
  return node !== undefined && ['Cast', 'Identity'].includes(node.op) ? source(made, node.inputs[0]!) : name;
}
