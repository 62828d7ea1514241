/** @file The numbers of a stored tensor at single precision. */
import { bfloatsToFloats, halvesToFloats } from '../../half.js';
import { bytesAt } from './read-bytes.js';
import { damaged, type StoredTensor, sizeOf, WIDTHS, withFile } from './stored-tensor.js';

/** The numbers of a tensor, row by row, at single precision. */
export function floatsOf(tensor: StoredTensor): Float32Array {
  const { file, offset, bytes, type, dims, strides } = tensor;
  const raw = withFile(file, (handle, size) => {
    if (offset + bytes > size) throw damaged(file, 'a file that ends too early');
    return bytesAt(handle, file, offset, bytes);
  });
  const count = bytes / WIDTHS[type]!;
  const stored = widened(raw, type, count);
  return strides === undefined ? stored : inRows(stored, dims, strides);
}

function widened(raw: Buffer, type: string, count: number): Float32Array {
  const { buffer, byteOffset } = raw;
  if (type === 'F16') return halvesToFloats(new Uint16Array(buffer, byteOffset, count));
  if (type === 'BF16') return bfloatsToFloats(new Uint16Array(buffer, byteOffset, count));
  if (type === 'F64') return new Float32Array(new Float64Array(buffer, byteOffset, count));
  return new Float32Array(buffer, byteOffset, count);
}

function inRows(stored: Float32Array, dims: readonly number[], strides: readonly number[]): Float32Array {
  const values = new Float32Array(sizeOf(dims));
  const at = dims.map(() => 0);
  for (let i = 0; i < values.length; i++) {
    values[i] = stored[at.reduce((sum, index, axis) => sum + index * strides[axis]!, 0)]!;
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      at[axis] = at[axis]! + 1;
      if (at[axis]! < dims[axis]!) break;
      at[axis] = 0;
    }
  }
  return values;
}
