/** @file A model from disk. */
import { readFile } from 'node:fs/promises';
import { ModelError } from '../core/errors.js';
import { externalReader } from './external.js';
import type { Model } from './model.js';
import { readModel } from './read.js';

/** What git leaves in place of a file it has not fetched. */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/** Reads a model file and, when their values are asked for, the data files beside it. Throws ModelError. */
export async function loadModel(path: string): Promise<Model> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new ModelError(`expected an ONNX model at ${path}, could not read it: ${(cause as Error).message}`, {
      code: 'MODEL_NOT_FOUND',
      cause,
    });
  }
  if (bytes.subarray(0, LFS_POINTER.length).toString('latin1') === LFS_POINTER) {
    throw new ModelError(`expected an ONNX model at ${path}, got a Git LFS pointer to one`, {
      code: 'MODEL_MALFORMED',
      hint: 'Fetch the file itself with `git lfs pull`.',
    });
  }
  try {
    return readModel(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), externalReader(path));
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new ModelError(`${path}: ${error.message}`, {
      code: error.code,
      ...(error.hint !== undefined && { hint: error.hint }),
      cause: error,
    });
  }
}
