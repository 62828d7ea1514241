/** @file What a classifier knows of a text just before its last layer: the same graph with that as its output. */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HiddenStates } from '../core/detection.js';
import { ModelError } from '../core/errors.js';
import { writeWhole } from '../files/write.js';
import { DataType } from '../onnx/data-type.js';
import { embedded, producers, prune, withGraph } from '../onnx/edit.js';
import { loadModel as readOnnx } from '../onnx/load.js';
import type { Graph, Node } from '../onnx/model.js';
import { writeModel } from '../onnx/write.js';
import { readsIds } from './input-kinds.js';
import type { LoadedModel } from './loaded-model.js';
import { WorkerPool } from './pool.js';
import { InferenceQueue } from './queue.js';

export interface OpenHiddenStates extends HiddenStates {
  close(): Promise<void>;
}

const PRODUCTS = ['MatMul', 'Gemm', 'FusedMatMul'];
/** Texts per run. */
const BATCH = 16;

/** Throws ModelError where the model has no graph, or no linear layer at its end. */
export async function openHiddenStates(model: LoadedModel, workers?: number): Promise<OpenHiddenStates> {
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
  const { encoder, wiring } = onnx;
  const read = await readOnnx(onnx.file);
  const { state, width } = lastLayer(read.graph, wiring.output, model.name);
  const output = { name: state, type: DataType.float };
  const graph = prune({ ...embedded(read.graph), outputs: [output] });
  const folder = await mkdtemp(join(tmpdir(), 'robust-states-'));
  const file = join(folder, 'model.onnx');
  let queue: InferenceQueue | undefined;
  const pool = new WorkerPool({
    model: file,
    size: workers ?? availableParallelism(),
    isolate: onnx.isolate,
    onFree: () => queue?.wake(),
    check: async () => {},
  });
  const close = async (): Promise<void> => {
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    writeWhole(file, writeModel(withGraph(read, graph)), 'the graph of the hidden states');
    await pool.open();
    // Inputs only the last layer reads are gone with it.
    const inputs = wiring.inputs.filter(({ name }) => graph.inputs.some((input) => input.name === name));
    const batch = wiring.fixedBatch;
    const rule = { activation: 'none', normalise: false, width } as const;
    const running = new InferenceQueue(pool, { ...wiring, inputs, output: state }, rule, {
      least: batch ?? 1,
      most: batch ?? BATCH,
    });
    queue = running;
    return {
      width,
      states: (texts) => Promise.all(texts.map((text) => running.ask(text, encoder.encode(text).ids))),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What the last product before `output` multiplies by its weights, and how wide it is. */
function lastLayer(graph: Graph, output: string, name: string): { state: string; width: number } {
  const made = producers(graph);
  let node: Node | undefined = made.get(output);
  while (node !== undefined && !PRODUCTS.includes(node.op)) {
    const before: Node | undefined = node.inputs.map((input) => made.get(input)).find((found) => found !== undefined);
    node = before;
  }
  const [state, weights] = node?.inputs ?? [];
  const transposed = node?.attributes.get('transB');
  const dims = graph.initializers.get(source(made, weights ?? ''))?.dims;
  const width = dims?.[transposed?.kind === 'int' && transposed.value === 1 ? 1 : 0];
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
  return node !== undefined && ['Cast', 'Identity'].includes(node.op) ? source(made, node.inputs[0] as string) : name;
}
