/** @file TF.js as its type only: the module is large, and loaded when a backend is. */
import type { loadGraphModel } from '@tensorflow/tfjs-converter';
import type * as Tfjs from '@tensorflow/tfjs-core';
import type { loadLayersModel } from '@tensorflow/tfjs-layers';

export type { NamedTensorMap, Tensor } from '@tensorflow/tfjs-core';

export type TF = typeof Tfjs;

/** With what runs models that TF.js saved. */
export type TFWithModels = TF & {
  readonly loadLayersModel: typeof loadLayersModel;
  readonly loadGraphModel: typeof loadGraphModel;
};
