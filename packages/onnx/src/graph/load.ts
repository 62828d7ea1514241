/** @file A model from disk. */
import { OnnxError } from '../errors.js';
import { openFile } from '../read-file.js';
import { externalReader, fileSlice } from './external.js';
import type { Model } from './model.js';
import { readOutline, SELF } from './outline.js';
import { readModel } from './read.js';

/** Placeholder that git leaves for a file that it has not fetched. */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/** Reads a model file whole and, when their values are asked for, the data files beside it. Throws OnnxError. */
export async function loadModel(path: string): Promise<Model> {
  return named(path, async () => {
    const file = await openFile(path);
    try {
      const { buffer, byteOffset, length } = await file.readFile();
      return readModel(new Uint8Array(buffer, byteOffset, length), externalReader(path));
    } finally {
      await file.close();
    }
  });
}

/**
 * As loadModel, with large tensors left in the file until their values are asked for: for a look at the graph, or to take
 * weights one by one. The file must stay as it is meanwhile. What the outline leaves out counts as external data (SELF).
 */
export async function readModelOutline(path: string): Promise<Model> {
  return named(path, async () => {
    const beside = externalReader(path);
    return readModel(readOutline(path), (tensor, where) =>
      where.location === SELF ? fileSlice(tensor, where, path) : beside(tensor, where),
    );
  });
}

/** Reads a model and names the file in its errors. */
async function named(path: string, read: () => Promise<Model>): Promise<Model> {
  try {
    if ((await head(path)) === LFS_POINTER)
      throw new OnnxError('expected an ONNX model, got a Git LFS pointer to one', {
        code: 'MODEL_DAMAGED',
        hint: 'Fetch the file itself with `git lfs pull`.',
      });
    return await read();
  } catch (error) {
    if (error instanceof OnnxError && error.code !== 'FILE_DAMAGED') {
      const hint = error.hint !== undefined && { hint: error.hint };
      throw new OnnxError(`${path}: ${error.message}`, { code: error.code, ...hint, cause: error });
    }
    if (!(error instanceof OnnxError || (error instanceof Error && 'syscall' in error))) throw error;
    throw new OnnxError(`expected an ONNX model at ${path}, could not read it: ${error.message}`, {
      code: 'MODEL_NOT_FOUND',
      cause: error,
    });
  }
}

/** The first bytes of a file, as many as an LFS pointer starts with. */
async function head(path: string): Promise<string> {
  const file = await openFile(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LFS_POINTER.length), 0, LFS_POINTER.length, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
