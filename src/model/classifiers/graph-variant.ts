/** @file A graph derived from a loaded model's graph, with the same interface: texts in, rows of its output out. */

import { join } from 'node:path';
import { closingOnError } from '../../core/closing-stack.js';
import { temporaryFolder } from '../../files/temporary-folder.js';
import { writeWhole } from '../../files/write.js';
import type { Model } from '../../onnx/model.js';
import { writeModel } from '../../onnx/write.js';
import type { GraphParts } from '../loaded-model.js';
import type { OutputRule } from '../output/activation.js';
import { inferencePool, inferenceQueue } from '../workers/queue.js';

export interface GraphVariant {
  /** The row of each text: what the rule makes of the output. */
  rows(texts: readonly string[]): Promise<Float32Array[]>;
  /** Ends the workers and removes the file. */
  close(): Promise<void>;
}

/** Texts per run. */
const BATCH = 16;

/** Opens `model`, which takes inputs of the loaded model's graph; its first output is read. Throws ModelError, OutputError. */
export async function openVariant(
  { encoder, wiring, isolate }: GraphParts,
  model: Model,
  rule: OutputRule,
  workers: number,
): Promise<GraphVariant> {
  const folder = temporaryFolder('graph');
  // Workers read it from a file: in a message each would hold a copy.
  const file = join(folder.path, 'model.onnx');
  const pool = inferencePool({ file }, { size: workers, isolate });
  const close = async (): Promise<void> => {
    await pool.close();
    await folder.remove();
  };
  return closingOnError({ close }, async () => {
    writeWhole(file, writeModel(model), 'a graph made of the model');
    await pool.open();
    const { graph } = model;
    // Inputs that nothing of the graph reads are gone.
    const inputs = wiring.inputs.filter(({ name }) => graph.inputs.some((input) => input.name === name));
    const output = graph.outputs[0]!.name;
    const batch = wiring.fixedBatch;
    const queue = inferenceQueue(pool, { ...wiring, inputs, output }, rule, {
      least: batch ?? 1,
      most: batch ?? BATCH,
    });
    return {
      rows: (texts) => Promise.all(texts.map((text) => queue.ask(encoder.encode(text)))),
      close,
    };
  });
}
