/**
 * @file The header of a safetensors file (github.com/huggingface/safetensors, "Format"): a little-endian u64 length, a JSON
 * object of names, types, shapes and offsets, then the bytes. What it claims is compared with the file before anything is
 * read; the bytes of a tensor are read when it is used.
 */
import { isObject, type JsonObject } from '../../json.js';
import { bytesAt } from './read-bytes.js';
import { damaged, isSizes, parseCheckpointJson, type StoredTensor, sizeOf, WIDTHS, withFile } from './stored-tensor.js';

/** Longest header read: the format's own bound. */
const MAX_HEADER_BYTES = 100_000_000;

/** The tensors of the file. Throws OnnxError where it is damaged. */
export function safetensorsHeader(path: string): StoredTensor[] {
  return withFile(path, (file, size) => {
    if (size < 8) throw damaged(path, `a file of ${size} bytes`);
    const length = Number(bytesAt(file, path, 0, 8).readBigUInt64LE());
    if (length > Math.min(MAX_HEADER_BYTES, size - 8)) throw damaged(path, `a header that claims ${length} bytes`);
    const header = parse(path, bytesAt(file, path, 8, length).toString('utf8'));
    const start = 8 + length;
    return Object.entries(header)
      .filter(([name]) => name !== '__metadata__')
      .map(([name, entry]) => tensorOf(path, name, entry, start, size - start));
  });
}

function parse(path: string, json: string): JsonObject {
  const value = parseCheckpointJson(path, json, 'a header that is not JSON');
  if (isObject(value)) return value;
  throw damaged(path, 'a header that is not a JSON object');
}

function tensorOf(file: string, name: string, entry: unknown, start: number, available: number): StoredTensor {
  const { dtype, shape, data_offsets } = isObject(entry) ? entry : {};
  const refuse = () => damaged(file, `the tensor "${name}" as ${JSON.stringify(entry)?.slice(0, 200)}`);
  if (typeof dtype !== 'string' || !isSizes(shape) || !isSizes(data_offsets) || data_offsets.length !== 2)
    throw refuse();
  const [from, to] = data_offsets as [number, number];
  const bytes = to - from;
  if (bytes < 0) throw refuse();
  if (to > available)
    throw damaged(
      file,
      `a file that breaks off: its tensor "${name}" ends at byte ${start + to}, the file at ${start + available}`,
    );
  const width = Object.hasOwn(WIDTHS, dtype) ? WIDTHS[dtype] : undefined;
  if (width !== undefined && sizeOf(shape) * width !== bytes) throw refuse();
  return { name, type: dtype, dims: shape, file, offset: start + from, bytes };
}
