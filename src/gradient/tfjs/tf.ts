/** @file TF.js as its type only: the module is large, and loaded when a backend is. */
import type * as Tfjs from '@tensorflow/tfjs-core';

export type TF = typeof Tfjs;
