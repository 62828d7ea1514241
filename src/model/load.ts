/** @file The way into this room: a model by name, ready to classify. */
import type { Classifier } from '../core/types.js';
import { openModule } from './module-classifier.js';
import { openOnnx } from './onnx-classifier.js';
import type { QueueFigures } from './queue.js';
import { resolve } from './resolve.js';

export { bundledModels } from './resolve.js';

export interface LoadOptions {
  /** Worker threads, each with a copy of the weights. @default the cores this process may use; minimum 1 */
  readonly workers?: number;
  /** Most texts per run. @default 16; minimum 1 */
  readonly batchSize?: number;
  /** Answers remembered. @default 32768; minimum 0 */
  readonly cacheEntries?: number;
  /** Label names instead of the model's own, in column order. */
  readonly labels?: readonly string[];
  /** Called with what a user should know but need not stop for. */
  readonly onWarning?: (message: string) => void;
}

export interface InferenceFigures extends QueueFigures {
  /** Distinct texts that were longer than the model's maximum. */
  readonly truncated: number;
}

export interface LoadedModel extends Classifier {
  readonly name: string;
  /** SHA-256, hex, over everything that changes its answers: weights, tokenizer, configuration. */
  readonly sha256: string;
  /** The files it covers, the model file first. */
  readonly paths: readonly string[];
  /** Most tokens of a text; the rest is cut off. */
  readonly maximumTokens: number;
  figures(): InferenceFigures;
  /** Ends the workers; warns if texts were truncated. Texts still waiting are rejected. */
  close(): Promise<void>;
}

/**
 * Loads a model: a bundled name, a folder in Hugging Face layout or with a robust.json, an .onnx file, or a module whose
 * default export is a Classifier. Throws ModelError.
 */
export async function loadModel(spec: string, options: LoadOptions = {}): Promise<LoadedModel> {
  const source = resolve(spec);
  return source.kind === 'onnx' ? openOnnx(source, options) : openModule(source, options);
}
