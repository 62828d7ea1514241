/** @file LSTM and GRU: [steps, directions, batch, hidden] of [steps, batch, inputs]. */
import { any, family, type NodeView } from './operator.js';

const layer = {
  shape: (at: NodeView) => {
    const [directions, , hidden] = at.shape(2) ?? [];
    return at.rank === 3 && at.attributes.int('layout', 0) === 0
      ? [at.first?.[0], directions, at.first?.[1], hidden]
      : undefined;
  },
  gradient: 'rule',
} as const;

const attributes = {
  // Which of them: see recurrent-activations.
  activations: any,
  activation_alpha: any,
  activation_beta: any,
  direction: ['forward', 'reverse', 'bidirectional'],
  hidden_size: any,
  layout: [0],
} as const;

export const recurrentLayers = family({
  GRU: { ...layer, attributes: { ...attributes, linear_before_reset: any } },
  LSTM: { ...layer, attributes: { ...attributes, input_forget: [0] } },
});

export const contributedRecurrentLayers = family({ DynamicQuantizeLSTM: { quantisesBatch: true } });
