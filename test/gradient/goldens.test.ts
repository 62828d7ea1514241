/** PyTorch's loss, logits and gradients of whole transformers, exported at several opsets. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ort from 'onnxruntime-node';
import { describe, expect, test } from 'vitest';
import { differentiate } from '../../src/gradient/differentiate.js';
import { appendLoss } from '../../src/gradient/loss.js';
import { lower } from '../../src/gradient/lower/index.js';
import { openSession } from '../../src/gradient/session.js';
import { observe } from '../../src/gradient/shapes.js';
import { withGraph, withOutputs } from '../../src/onnx/edit.js';
import { loadModel } from '../../src/onnx/load.js';
import { splitShared } from '../../src/onnx/split-shared.js';
import { writeModel } from '../../src/onnx/write.js';

const goldens = new URL('../../../shared/goldens/', import.meta.url).pathname;

interface Golden {
  readonly ids: readonly (readonly number[])[];
  readonly am: readonly (readonly number[])[];
  readonly y: readonly number[];
  readonly loss: number;
  readonly logits: readonly (readonly number[])[];
  /** By weight name: nested lists. */
  readonly grads: Readonly<Record<string, unknown>>;
}
