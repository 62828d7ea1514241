/** @file A TF.js model, model.json and its shards, drawn as an ONNX graph. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../core/json.js';
import type { Model } from '../../onnx/model.js';
import { damaged, parseCheckpointJson } from '../checkpoint/stored-tensor.js';
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
  const top = json.modelTopology;
  const draw = json.format === 'graph-model' || (isObject(top) && Array.isArray(top.node)) ? drawGraph : drawLayers;
  return draw(path, json, tfjsWeights(folder, json.weightsManifest));
}

function readJson(folder: string): JsonObject {
  const path = join(folder, TFJS_FILE);
  const value = parseCheckpointJson(path, readFileSync(path, 'utf8'));
  if (isObject(value)) return value;
  throw damaged(path, 'JSON that is not an object');
}
