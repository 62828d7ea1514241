/** @file Reads bytes of an open file of a checkpoint. Apart from the types of tensors, which are published and need no types of Node. */
import { readSync } from 'node:fs';
import { damaged } from './stored-tensor.js';

/** Bytes `from` to `from + length` of an open file. The caller has compared them with its size. Throws OnnxError where it shrank. */
export function bytesAt(file: number, path: string, from: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    // One read may return at most 2 GiB.
    const read = readSync(file, buffer, at, Math.min(length - at, 2 ** 30), from + at);
    if (read === 0) throw damaged(path, 'a file that ends too early');
    at += read;
  }
  return buffer;
}
