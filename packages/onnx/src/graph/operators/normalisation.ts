/** @file Softmax, normalisation layers, and the attention and embedding layers that transformer optimisers fuse them into. */
import type { SymbolicShape } from '../symbolic-shape.js';
import { any, axis, each, epsilon, family, type NodeView, shapeOfFirst } from './operator.js';

const softmax = {
  shape: shapeOfFirst,
  gradient: 'rule',
  attributes: axis,
} as const;

/** A norm along the axes from one on. */
const alongLast = {
  shape: shapeOfFirst,
  attributes: { axis: any, epsilon: any, stash_type: [1] },
} as const;

const lowered = { shape: shapeOfFirst, gradient: 'lowering' } as const;

export const normalisations = family({
  ...each(['LogSoftmax', 'Softmax'], softmax),
  Hardmax: { ...softmax, gradient: 'none' },
  LayerNormalization: { ...alongLast, gradient: 'rule' },
  ...each(['RMSNormalization', 'SimplifiedLayerNormalization'], { ...alongLast, gradient: 'lowering' }),
  BatchNormalization: { ...lowered, attributes: { epsilon: any, momentum: any, training_mode: [0] } },
  GroupNormalization: { shape: shapeOfFirst },
  InstanceNormalization: { ...lowered, attributes: epsilon },
  LpNormalization: { ...lowered, attributes: { axis: any, p: [2, 1] } },
  MeanVarianceNormalization: { ...lowered, attributes: { axes: any } },
});

/** The sum of the first two inputs is normed along the last axis. */
const skipped = {
  shape: shapeOfFirst,
  gradient: 'lowering',
  attributes: epsilon,
} as const;

const attention = { num_heads: any, mask_filter_value: any, scale: any, unidirectional: any } as const;
const packed = { ...attention, do_rotary: [0], past_present_share_buffer: [0], rotary_embedding_dim: [0] } as const;

/** [batch, sequence, hidden], where queries, keys and values are equally wide and projected by one matrix. */
function packedShape(at: NodeView): SymbolicShape | undefined {
  const width = at.shape(1)?.[1];
  const values = at.attributes.ints('qkv_hidden_sizes')?.[2] ?? (typeof width === 'number' ? width / 3 : undefined);
  return at.first?.length === 3 ? [...at.first.slice(0, 2), values] : undefined;
}

export const fusedLayers = family({
  Attention: { shape: packedShape, gradient: 'lowering', attributes: { ...packed, qkv_hidden_sizes: any } },
  QAttention: { shape: packedShape, gradient: 'surrogate', attributes: packed },
  MultiHeadAttention: {
    // Values [batch, sequence, hidden], or with their heads apart, [batch, heads, sequence, head].
    shape: (at) => (at.first?.length === 3 ? [...at.first.slice(0, 2), valuesWidth(at)] : undefined),
    gradient: 'lowering',
    attributes: attention,
  },
  EmbedLayerNormalization: {
    shape: (at) => at.first && [...at.first, at.shape(2)?.[1]],
    looksUp: 0,
    gradient: 'lowering',
    // The type only says whether there is a second output; what it holds is the same.
    attributes: { epsilon: any, mask_index_type: any },
  },
  QEmbedLayerNormalization: { looksUp: 0 },
  ...each(['SkipLayerNormalization', 'SkipSimplifiedLayerNormalization'], skipped),
});

const valuesWidth = (at: NodeView) => {
  const values = at.shape(2);
  return values?.length === 3 ? values[2] : undefined;
};
