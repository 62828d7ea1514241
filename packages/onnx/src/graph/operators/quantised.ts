/** @file Numbers rounded to 8 bits or fewer, and back. Products of them stand with the other products. */
import { any, family, shapeOfFirst } from './operator.js';

const rounding = { shape: shapeOfFirst, gradient: 'surrogate' } as const;

export const quantisers = family({
  DequantizeLinear: { ...rounding, attributes: { axis: any, block_size: [0], output_dtype: any } },
  DynamicQuantizeLinear: { ...rounding, quantisesBatch: true },
  QuantizeLinear: {
    ...rounding,
    attributes: { axis: any, block_size: [0], saturate: any, output_dtype: any, precision: any },
  },
});

export const contributedQuantisers = family({
  DequantizeLinear: { ...rounding, attributes: { axis: any, block_size: [0] } },
  QuantizeLinear: { ...rounding, attributes: { axis: any, block_size: [0], saturate: any } },
  GatherBlockQuantized: { looksUp: 1 },
  QLinearSoftmax: { shape: shapeOfFirst },
  QLinearSigmoid: { shape: shapeOfFirst },
});
