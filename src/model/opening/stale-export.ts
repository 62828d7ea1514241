/** @file A graph beside weights that it was not exported from: whoever fine-tuned the weights may have forgotten to export them again. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { floatsOf } from '../../../packages/onnx/src/convert/checkpoint/floats.js';
import { safetensorsHeader } from '../../../packages/onnx/src/convert/checkpoint/safetensors.js';
import type { Graph } from '../../../packages/onnx/src/graph/model.js';
import { RobustError } from '../../core/errors.js';

/** Weights this close are equal but for rounding. */
const ROUNDING = 1e-5;

/**
 * A warning if model.safetensors in the folder holds other numbers than the graph for a weight of both; else undefined. Compares biases and
 * norms, which exporters neither rename nor turn, at single precision.
 */
export function staleExport(folder: string, file: string, graph: Graph): string | undefined {
  const weights = join(folder, 'model.safetensors');
  if (!existsSync(weights)) return undefined;
  const differing = firstDifference(weights, graph);
  if (differing === undefined) return undefined;
  return `${file}: expected an export of the model.safetensors beside it, but ${differing} differs: ${basename(file)} is used, and the weights are not. Export them again, or move ${basename(file)} away, so that the weights are read`;
}

function firstDifference(path: string, graph: Graph): string | undefined {
  try {
    return safetensorsHeader(path).find((stored) => {
      const { data, dims } = graph.initializers.get(stored.name) ?? {};
      const comparable = data instanceof Float32Array && dims?.length === 1 && stored.dims.join() === dims.join();
      if (!comparable || !/^(?:F64|F32|F16|BF16)$/.test(stored.type)) return false;
      const values = floatsOf(stored);
      return data.some((value, at) => Math.abs(value - (values[at] ?? 0)) > ROUNDING * (1 + Math.abs(value)));
    })?.name;
  } catch (error) {
    // The graph answers: weights that cannot be read are no reason to stop.
    if (error instanceof RobustError) return undefined;
    throw error;
  }
}
