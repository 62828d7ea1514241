/**
 * @file Which attributes of each operator both engines read as onnxruntime does. A gradient of a misread operator looks like any
 * other, so what is not listed here is refused: an attribute by name, or the values of one that are not ours.
 * Sources: onnx/docs/Changelog.md, opsets 11 to 23; onnxruntime/docs/ContribOperators.md.
 */
import type { Attribute, Node } from '../../onnx/model.js';

/** Every value, or these. */
type AllowedValues = 'any' | readonly (number | string)[];
type SupportedAttributes = Readonly<Record<string, AllowedValues>>;

const any = 'any';
const alpha = { alpha: any } as const;
const axis = { axis: any } as const;
const keepdims = { axes: any, keepdims: any, noop_with_empty_axes: any } as const;
const window = { auto_pad: any, dilations: any, kernel_shape: any, pads: any, strides: any } as const;
const epsilon = { epsilon: any } as const;
const gemm = { alpha: any, beta: any, transA: any, transB: any } as const;
const recurrent = {
  // Which of them: see recurrent-activations.
  activations: any,
  activation_alpha: any,
  activation_beta: any,
  direction: ['forward', 'reverse', 'bidirectional'],
  hidden_size: any,
  layout: [0],
} as const;
const attention = { num_heads: any, mask_filter_value: any, scale: any, unidirectional: any } as const;
const packed = { ...attention, do_rotary: [0], past_present_share_buffer: [0], rotary_embedding_dim: [0] } as const;

const OWN: Readonly<Record<string, SupportedAttributes>> = {
  ArgMax: { axis: any, keepdims: any, select_last_index: any },
  ArgMin: { axis: any, keepdims: any, select_last_index: any },
  AveragePool: { ...window, ceil_mode: any, count_include_pad: any },
  BatchNormalization: { epsilon: any, momentum: any, training_mode: [0] },
  // How a number is cut to 8 bits or fewer, which no gradient passes.
  Cast: { to: any, saturate: any, round_mode: any },
  CastLike: { saturate: any, round_mode: any },
  Celu: alpha,
  Concat: axis,
  ConstantOfShape: { value: any },
  Conv: { ...window, group: any },
  ConvInteger: { ...window, group: any },
  CumSum: { exclusive: any, reverse: any },
  DequantizeLinear: { axis: any, block_size: [0], output_dtype: any },
  // Inference drops nothing.
  Dropout: { ratio: any, seed: any },
  Einsum: { equation: any },
  Elu: alpha,
  EyeLike: { dtype: any, k: any },
  Flatten: axis,
  GRU: { ...recurrent, linear_before_reset: any },
  Gather: axis,
  GatherElements: axis,
  GatherND: { batch_dims: [0] },
  Gelu: { approximate: ['none', 'tanh'] },
  Gemm: gemm,
  GroupNormalization: { epsilon: any, num_groups: any, stash_type: [1] },
  HardSigmoid: { alpha: any, beta: any },
  Hardmax: axis,
  InstanceNormalization: epsilon,
  IsInf: { detect_negative: any, detect_positive: any },
  LSTM: { ...recurrent, input_forget: [0] },
  LayerNormalization: { axis: any, epsilon: any, stash_type: [1] },
  LeakyRelu: alpha,
  LogSoftmax: axis,
  LpNormalization: { axis: any, p: [2, 1] },
  MaxPool: { ...window, ceil_mode: any, storage_order: any },
  MeanVarianceNormalization: { axes: any },
  Mod: { fmod: any },
  OneHot: axis,
  Pad: { mode: ['constant'] },
  QuantizeLinear: { axis: any, block_size: [0], saturate: any, output_dtype: any, precision: any },
  RMSNormalization: { axis: any, epsilon: any, stash_type: [1] },
  RNN: recurrent,
  ReduceL1: keepdims,
  ReduceL2: keepdims,
  ReduceLogSum: keepdims,
  ReduceLogSumExp: keepdims,
  ReduceMax: keepdims,
  ReduceMean: keepdims,
  ReduceMin: keepdims,
  ReduceProd: keepdims,
  ReduceSum: keepdims,
  ReduceSumSquare: keepdims,
  Reshape: { allowzero: any },
  ReverseSequence: { batch_axis: any, time_axis: any },
  ScatterElements: { axis: any, reduction: ['none'] },
  ScatterND: { reduction: ['none'] },
  Selu: { alpha: any, gamma: any },
  Shape: { start: any, end: any },
  Shrink: { bias: any, lambd: any },
  SimplifiedLayerNormalization: { axis: any, epsilon: any, stash_type: [1] },
  Softmax: axis,
  Split: { axis: any, num_outputs: any, split: any },
  Squeeze: { axes: any },
  ThresholdedRelu: alpha,
  TopK: { axis: any, largest: any, sorted: any },
  Transpose: { perm: any },
  Trilu: { upper: any },
  Unsqueeze: { axes: any },
};

const CONTRIBUTED: Readonly<Record<string, SupportedAttributes>> = {
  Attention: { ...packed, qkv_hidden_sizes: any },
  DequantizeLinear: { axis: any, block_size: [0] },
  // The type only says whether there is a second output; what it holds is the same.
  EmbedLayerNormalization: { epsilon: any, mask_index_type: any },
  FusedConv: { ...window, group: any, activation: any, activation_params: any },
  FusedGemm: { ...gemm, activation: any, activation_alpha: any, activation_beta: any, activation_gamma: any },
  FusedMatMul: { alpha: any, transA: any, transB: any, transBatchA: [0], transBatchB: [0] },
  MultiHeadAttention: attention,
  QAttention: packed,
  QuantizeLinear: { axis: any, block_size: [0], saturate: any },
  QuickGelu: alpha,
  SkipLayerNormalization: epsilon,
  SkipSimplifiedLayerNormalization: epsilon,
};

/** Domain -> operator -> attribute -> the values both engines support. An operator that is not there may have none. */
export const SUPPORTED_ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, SupportedAttributes>>>> = {
  '': OWN,
  'com.microsoft': CONTRIBUTED,
};

const scalar = (attribute: Attribute): number | string | undefined =>
  attribute.kind === 'int' || attribute.kind === 'float' || attribute.kind === 'string' ? attribute.value : undefined;

/** Why a node's attributes are not supported, or undefined where they all are. */
export function unsupportedAttribute(node: Node): string | undefined {
  const supported = SUPPORTED_ATTRIBUTES[node.domain]?.[node.op] ?? {};
  for (const [name, attribute] of node.attributes) {
    const values = Object.hasOwn(supported, name) ? (supported[name] as AllowedValues) : [];
    // A reference to an attribute of a function around the node: its value is not here.
    if (attribute.kind === 'other') return `attribute ${name}, given by reference`;
    const value = scalar(attribute);
    if (values === 'any' || (value !== undefined && values.includes(value))) continue;
    return value === undefined ? `attribute ${name}` : `attribute ${name} = ${value}`;
  }
  return undefined;
}
