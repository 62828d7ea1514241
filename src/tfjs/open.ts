/** @file Opens a model that TF.js saved, and settles on what it computes. */
import type { NamedTensorMap } from '@tensorflow/tfjs-core';
import { ModelError, messageOf, must } from '../core/errors.js';
import { ownTfjs } from './backend.js';
import { GraphModel } from './graph-model.js';
import { LayersModel } from './layers-model.js';
import type { TfjsModel } from './model.js';
import { readTfjs } from './model-file.js';
import type { TFWithModels } from './tf.js';

export interface OpenTfjs {
  readonly tf: TFWithModels;
  readonly model: TfjsModel;
}

/** Loads the model of a model.json. Throws ModelError. */
export async function openTfjs(path: string): Promise<OpenTfjs> {
  const file = readTfjs(path);
  const tf = await ownTfjs();
  const handler = { load: async () => file.artifacts };
  try {
    const model = file.isGraph
      ? new GraphModel(tf, await tf.loadGraphModel(handler), file.json)
      : new LayersModel(await tf.loadLayersModel(handler));
    return { tf, model };
  } catch (cause) {
    throw refused(path, 'load', cause);
  }
}

/**
 * Tries a run on WebAssembly, and goes on in plain JavaScript where that lacks a kernel: decided once, by a run that needs all kernels, so that
 * all workers of a model compute on the same. Throws ModelError where the model cannot be run.
 */
export async function settleBackend(path: string, { tf }: OpenTfjs, run: () => void | Promise<void>): Promise<void> {
  try {
    await run();
  } catch {
    await tf.setBackend('cpu');
    try {
      await run();
    } catch (cause) {
      throw refused(path, 'run', cause);
    }
  }
}

/** Feeds of one text of zeros, for a trial. */
export function trialFeeds({ tf, model }: OpenTfjs): NamedTensorMap {
  return Object.fromEntries(
    model.inputs.map(({ name, type, shape }) => {
      const dims = shape.map((size, at) => (typeof size === 'number' ? size : at === 0 ? 1 : TRIAL_TOKENS));
      if (type !== 'string') return [name, tf.zeros(dims, type)];
      return [name, tf.fill(dims, 'a', 'string')];
    }),
  );
}

const TRIAL_TOKENS = 16;

export const firstLine = (error: unknown): string => must(messageOf(error).split('\n', 1)[0]).slice(0, 300);

/** The error for what TF.js says; an error of ours is itself. */
const refused = (path: string, act: 'load' | 'run', cause: unknown): unknown =>
  cause instanceof ModelError
    ? cause
    : new ModelError(`${path}: TF.js cannot ${act} it: ${firstLine(cause)}`, {
        code: 'MODEL_DAMAGED',
        hint: 'Layers of your own, such as Lambda, are no part of a model.json. Convert the Keras or TensorFlow model to ONNX with tf2onnx, and name that file.',
        cause,
      });
