/** @file The part after the attention in a layer with post-norms (Vaswani et al. 2017): an output layer, and a feed-forward part. */
import type { Drawing } from '../drawing.js';

/** The names of the parts below a layer's own. */
interface LayerNames {
  readonly output: string;
  readonly outputNorm: string;
  readonly expand: string;
  readonly contract: string;
  readonly norm: string;
}

interface LayerSizes {
  readonly width: number;
  /** The width of what the heads give together. @default width */
  readonly all?: number;
  readonly feedForward: number;
  readonly epsilon: number;
}

export const BERT_LAYER: LayerNames = {
  output: 'attention.output.dense',
  outputNorm: 'attention.output.LayerNorm',
  expand: 'intermediate.dense',
  contract: 'output.dense',
  norm: 'output.LayerNorm',
};

/** The output of a layer of `x` whose heads gave `mixed`; `act` is the key of the config that names its function. */
export function layerAfterAttention(
  d: Drawing,
  x: string,
  mixed: string,
  name: string,
  names: LayerNames,
  { width, all = width, feedForward, epsilon }: LayerSizes,
  act = 'hidden_act',
): string {
  const part = (key: keyof LayerNames): string => `${name}.${names[key]}`;
  const attended = d.linear(mixed, part('output'), all, width);
  const y = d.norm(d.g.add(attended, x), part('outputNorm'), width, epsilon);
  const expanded = d.activate(d.linear(y, part('expand'), width, feedForward), act);
  const contracted = d.linear(expanded, part('contract'), feedForward, width);
  return d.norm(d.g.add(contracted, y), part('norm'), width, epsilon);
}
