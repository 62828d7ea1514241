/** @file How wide weights may be for onnxruntime's products in 8 bits to be exact on this processor. */
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { WEIGHT_BITS, type WeightBits } from '../graph/int8-products.js';
import { OrtSession } from './session.js';

/** Rows, inner size, columns: one row and many take different kernels. */
const [ROWS, INNER, COLUMNS] = [4, 64, 32] as const;

/**
 * 8 where the largest products come out right. Processors without VNNI add pairs of products in 16 bits, and cut what does not fit:
 * there weights have 7 bits.
 */
export async function weightBits(): Promise<WeightBits> {
  const g = new GraphBuilder();
  const rows = g.input('rows', DataType.uint8, ['rows', INNER]);
  const weights = g.initializer('weights', [INNER, COLUMNS], new Int8Array(INNER * COLUMNS).fill(WEIGHT_BITS[8]));
  g.output(g.op('MatMulInteger', [rows, weights]), DataType.int32, ['rows', COLUMNS]);
  const session = await OrtSession.open({ source: g.build() });
  try {
    for (const rows of [1, ROWS]) {
      const data = new Uint8Array(rows * INNER).fill(255);
      const [product] = (
        await session.run(new Map([['rows', { type: DataType.uint8, dims: [rows, INNER], data }]]))
      ).values();
      if (Array.from(product?.data as Int32Array).some((value) => value !== INNER * 255 * WEIGHT_BITS[8])) return 7;
    }
    return 8;
  } finally {
    await session.release();
  }
}
