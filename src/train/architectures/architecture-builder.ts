/** @file Builder for all architectures: named weights, their initial values, and places of dropout. */
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import type { Dimension, Model } from '../../../packages/onnx/src/graph/model.js';
import type { Random } from '../../core/random.js';

/** A classifier that can be built as ONNX, with the files that describe it. */
export interface Architecture {
  /** As `--arch` names it. */
  readonly name: string;
  /** Writes inputs, weights and nodes into the canvas and returns the logits, [batch, labels], or of each token, [batch, sequence, labels]. */
  draw(canvas: ArchitectureBuilder, labels: number, of?: LogitsOf): string;
  /** Most tokens a text may have. */
  readonly maxTokens: number;
  /** The content of config.json, for labels in column order. */
  config(labels: readonly string[], of?: LogitsOf): object;
  /** The Hugging Face class that reads the tokenizer. */
  readonly tokenizerClass: string;
}

/** Whether a model scores texts, or the tokens of a text. @default text */
export type LogitsOf = 'text' | 'token';

/** Dropout rates; 0 leaves the place out. */
export interface DropoutRates {
  /** On the embeddings. */
  readonly embedding: number;
  /** On the output of each sub-layer and before the classifier. */
  readonly hidden: number;
}

/** Rate on attention probabilities. */
const ATTENTION_DROPOUT = 0.1;

/** A new model of numbers answers `mean + deviation z`, so that z is of the size that its first weights make. */
export interface NumberScale {
  readonly mean: number;
  readonly deviation: number;
}

/** An input of the training graph that is filled with random zeros each step. */
export interface Mask {
  readonly name: string;
  /** 'batch' and 'sequence' are the sizes of the current batch. */
  readonly dims: readonly Dimension[];
  readonly rate: number;
}

/** First values of a weight: normal with this standard deviation, or one number everywhere. */
export type InitialWeights = { readonly deviation: number } | { readonly constant: number };

/** The graph builder with what architectures share. Without dropout rates it draws the graph that is exported. */
export class ArchitectureBuilder {
  readonly builder = new GraphBuilder({ opset: 17 });
  readonly masks: Mask[] = [];
  readonly #random: Random;
  readonly #rates: DropoutRates | undefined;

  /** Weights are drawn from a stream each, named by the weight: adding one changes no other. */
  constructor(random: Random, rates?: DropoutRates) {
    this.#random = random;
    this.#rates = rates;
  }

  weight(name: string, dims: readonly number[], initial: InitialWeights): string {
    const values = new Float32Array(dims.reduce((product, size) => product * size, 1));
    if ('constant' in initial) {
      values.fill(initial.constant);
    } else {
      const random = this.#random.split(name);
      for (let i = 0; i < values.length; i++) values[i] = random.normal() * initial.deviation;
    }
    return this.builder.initializer(name, dims, values);
  }

  /** x w + b with weights `name`.weight [inputs, outputs] and `name`.bias. */
  linear(x: string, name: string, inputs: number, outputs: number, deviation: number): string {
    const weight = this.weight(`${name}.weight`, [inputs, outputs], { deviation });
    const bias = this.weight(`${name}.bias`, [outputs], { constant: 0 });
    return this.builder.add(this.builder.matmul(x, weight), bias);
  }

  layerNorm(x: string, name: string, width: number): string {
    const weight = this.weight(`${name}.weight`, [width], { constant: 1 });
    const bias = this.weight(`${name}.bias`, [width], { constant: 0 });
    return this.builder.op('LayerNormalization', [x, weight, bias], {
      axis: -1,
      epsilon: { kind: 'float', value: 1e-12 },
    });
  }

  /** The integer input `name`, [batch, sequence]. */
  tokens(name: string): string {
    return this.builder.input(name, DataType.int64, ['batch', 'sequence']);
  }

  dropout(x: string, place: keyof DropoutRates | 'attention', dims: readonly Dimension[]): string {
    if (this.#rates === undefined) return x;
    const rate = place === 'attention' ? ATTENTION_DROPOUT : this.#rates[place];
    if (rate === 0) return x;
    const name = `dropout.${this.masks.length}`;
    this.masks.push({ name, dims, rate });
    return this.builder.mul(x, this.builder.input(name, DataType.float, dims));
  }
}

/** The architecture drawn as a model with the output `logits`; with `dropout`, the training graph and its masks. `scale`: of a model of numbers. */
export function draw(
  architecture: Architecture,
  labels: number,
  random: Random,
  {
    dropout,
    scale,
    of = 'text',
  }: {
    readonly dropout?: DropoutRates | undefined;
    readonly scale?: NumberScale | undefined;
    readonly of?: LogitsOf;
  } = {},
): { model: Model; masks: readonly Mask[] } {
  const canvas = new ArchitectureBuilder(random, dropout);
  const drawn = architecture.draw(canvas, labels, of);
  const { builder } = canvas;
  const logits = scale
    ? builder.add(builder.mul(drawn, builder.float(scale.deviation)), builder.float(scale.mean))
    : drawn;
  canvas.builder.ops('Identity', [logits], ['logits']);
  canvas.builder.output('logits', DataType.float, of === 'token' ? ['batch', 'sequence', labels] : ['batch', labels]);
  return { model: canvas.builder.model(), masks: canvas.masks };
}
