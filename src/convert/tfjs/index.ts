/** @file A TF.js model, model.json and its shards, drawn as an ONNX graph. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../../onnx/model.js';
import { damaged } from '../checkpoint/stored-tensor.js';
import { drawGraph } from './graph/index.js';
import { drawLayers } from './layers-model.js';
import { TFJS_FILE } from './model-file.js';
import { shardsIn, tfjsWeights } from './weights.js';

/** Every file that the graph is drawn from, absolute. Throws ModelError. */
export const tfjsFiles = (folder: string): string[] => [
  join(folder, TFJS_FILE),
  ...shardsIn(folder, readJson(folder).weightsManifest),
];

/** Draws the graph of the model in a folder. Throws ModelError where a layer, an operator, one of its options or a weight is not known. */
export function convertTfjs(folder: string): Model {
  const path = join(folder, TFJS_FILE);
  const json = readJson(folder);
  const top = (json.modelTopology ?? {}) as Record<string, unknown>;
  const draw = json.format === 'graph-model' || Array.isArray(top.node) ? drawGraph : drawLayers;
  return draw(path, json, tfjsWeights(folder, json.weightsManifest));
}

function readJson(folder: string): Record<string, unknown> {
  const path = join(folder, TFJS_FILE);
  try {
    const value = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw damaged(path, 'what is no JSON', cause);
  }
  throw damaged(path, 'JSON that is no object');
}
