/**
 * @file Tensor bytes beside the model file (onnx/docs/ExternalData.md). The file names its own neighbours, so a hostile one may
 * name any path: only files that truly lie in the model's folder are opened.
 */
import { closeSync, fstatSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { OnnxError } from '../errors.js';
import { openToRead } from '../read-file.js';
import type { ReadExternal } from './read-tensor.js';
import type { ExternalData } from './tensor.js';

/** Reads external data of the model at `path`. */
export function externalReader(path: string): ReadExternal {
  return (tensor, where) => fileSlice(tensor, where, dataFile(path, tensor, where.location));
}

/**
 * The file an external location names. Throws OnnxError (MODEL_DAMAGED) where it lies outside the model's folder, by `..` or by a link. The
 * Hub's cache links every file of a model into one folder of blobs: a link to where the model file itself truly lies is no way out.
 */
export function dataFile(model: string, tensor: string, location: string): string {
  const refuse = (why: string, cause?: unknown) =>
    new OnnxError(`tensor "${tensor}": expected its data in a file beside ${model}, got "${location}": ${why}`, {
      code: 'MODEL_DAMAGED',
      hint: 'Put the data file the model was saved with beside it, under the name it was saved with.',
      cause,
    });
  const windowsPath = /^[A-Za-z]:|\\/.test(location);
  if (location === '' || isAbsolute(location) || windowsPath || location.split('/').includes('..')) {
    throw refuse('a path out of its folder');
  }
  const folder = dirname(model);
  let real: string;
  try {
    real = realpathSync(join(folder, location));
  } catch (cause) {
    throw refuse('no such file', cause);
  }
  const homes = [realpathSync(folder), dirname(realpathSync(model))];
  const inside = homes.some((home) => {
    const path = relative(home, real);
    return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  });
  if (!inside) throw refuse('a link out of its folder');
  if (!statSync(real).isFile()) throw refuse('no file');
  return real;
}

/** The bytes of a tensor that lie in the file at `path`. Throws OnnxError (MODEL_DAMAGED) where the file is shorter. */
export function fileSlice(tensor: string, { location, offset, length }: ExternalData, path: string): Uint8Array {
  const file = openToRead(path);
  try {
    const stat = fstatSync(file);
    const wanted = length ?? stat.size - offset;
    if (!stat.isFile() || wanted < 0 || offset + wanted > stat.size)
      throw new OnnxError(
        `tensor "${tensor}": expected ${wanted} bytes at ${offset} of ${location}, which has ${stat.size}`,
        { code: 'MODEL_DAMAGED', hint: 'Download the data file again: it is shorter than the model says.' },
      );
    const bytes = new Uint8Array(wanted);
    for (let at = 0; at < wanted; ) {
      const read = readSync(file, bytes, at, wanted - at, offset + at);
      if (read === 0) throw new OnnxError(`${path} shrank while it was read`, { code: 'MODEL_DAMAGED' });
      at += read;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}
