/** @file A layers model of TF.js (Keras): its Embedding layer and its last activation can be taken out for a run. */
import type { NamedTensorMap, Tensor } from '@tensorflow/tfjs-core';
import type * as Layers from '@tensorflow/tfjs-layers';
import { must } from '../core/errors.js';
import { noLookup, type TfjsHead, type TfjsModel, type TfjsPort, type TfjsRun } from './model.js';

type KerasLayer = Layers.layers.Layer;
type LastLayer = KerasLayer & { activation?: { apply(x: Tensor): Tensor; getClassName(): string } };

/** Activation -> the head that it makes. */
const HEADS: Readonly<Record<string, Omit<TfjsHead, 'by'>>> = {
  linear: { scores: 'logits' },
  softmax: { scores: 'distribution', activation: 'softmax' },
  logSoftmax: { scores: 'log-distribution' },
  sigmoid: { scores: 'probabilities', activation: 'sigmoid' },
  hardSigmoid: { scores: 'probabilities' },
};

const LINEAR = { apply: (x: Tensor) => x, getClassName: () => 'linear' };
const unchanged = (inputs: Tensor | Tensor[]): Tensor => must([inputs].flat()[0]);

export class LayersModel implements TfjsModel {
  readonly inputs: readonly TfjsPort[];
  readonly outputs: readonly TfjsPort[];
  readonly #model: Layers.LayersModel;
  /** Where `table` has found the lookup. */
  #cut: KerasLayer | undefined;

  constructor(model: Layers.LayersModel) {
    this.#model = model;
    // By their layers: names of tensors depend on what else the thread has loaded.
    this.inputs = model.inputs.map((input) => ({
      name: input.sourceLayer.name,
      type: tablesOf(input).length > 0 ? 'int32' : 'float32',
      shape: sizes(input.shape),
    }));
    this.outputs = model.outputs.map(({ sourceLayer, shape }) => ({
      name: sourceLayer.name,
      type: 'float32',
      shape: sizes(shape),
    }));
  }

  head(output: string): TfjsHead | undefined {
    const last = this.#last(output);
    const kind = last.getClassName();
    const named = kind === 'Softmax' ? 'softmax' : last.activation?.getClassName();
    const known =
      named !== undefined && ['Dense', 'Activation', 'Softmax'].includes(kind) && Object.hasOwn(HEADS, named);
    return known ? { ...must(HEADS[named]), by: named === 'linear' ? kind : named } : undefined;
  }

  run(feeds: NamedTensorMap, output: string, { rows, logits = false }: TfjsRun = {}): Tensor {
    const undo: (() => void)[] = [];
    if (rows !== undefined) undo.push(replace(must(this.#cut), 'call', () => rows));
    if (logits) {
      const last = this.#last(output);
      undo.push(
        last.getClassName() === 'Dense' ? replace(last, 'activation', LINEAR) : replace(last, 'call', unchanged),
      );
    }
    try {
      const given = this.inputs.map(({ name }) => must(feeds[name]));
      const answers = [this.#model.apply(given, { training: false })].flat() as Tensor[];
      return must(answers[this.outputs.findIndex(({ name }) => name === output)]);
    } finally {
      for (const each of undo) each();
    }
  }

  table(input: string): Tensor {
    const read = this.#model.inputs.find(({ sourceLayer }) => sourceLayer.name === input);
    const found = read === undefined ? [] : tablesOf(read);
    const calls = found.reduce((sum, { inboundNodes }) => sum + inboundNodes.length, 0);
    // A layer that is called twice would get the same rows both times.
    if (calls !== 1) throw noLookup(input, calls);
    this.#cut = must(found[0]);
    return must(this.#cut.getWeights()[0]);
  }

  dispose(): void {
    this.#model.dispose();
  }

  #last(output: string): LastLayer {
    const at = this.outputs.findIndex(({ name }) => name === output);
    let layer: KerasLayer = must(this.#model.outputs[at]).sourceLayer;
    while ('outputLayers' in layer) layer = must([layer.output].flat()[0]).sourceLayer;
    return layer;
  }
}

/** The Embedding layers that read a tensor, also within a model that is a layer. */
function tablesOf(tensor: Layers.SymbolicTensor): KerasLayer[] {
  const readers = tensor.sourceLayer.outboundNodes.filter(({ inputTensors }) => inputTensors.includes(tensor));
  return readers.flatMap(({ outboundLayer, inputTensors }) => {
    if (outboundLayer.getClassName() === 'Embedding') return [outboundLayer];
    if (!('inputLayers' in outboundLayer)) return [];
    const within = [outboundLayer.input].flat()[inputTensors.indexOf(tensor)];
    return within === undefined || within === tensor ? [] : tablesOf(within);
  });
}

/** Sets a property for a while; returns what takes it back. */
function replace<Of extends object, Key extends keyof Of>(of: Of, key: Key, value: Of[Key]): () => void {
  const own = Object.getOwnPropertyDescriptor(of, key);
  of[key] = value;
  return () => {
    if (own === undefined) delete of[key];
    else Object.defineProperty(of, key, own);
  };
}

const sizes = (shape: readonly (number | null)[]): (number | string)[] =>
  shape.map((size, at) => size ?? ['batch', 'sequence'][at] ?? `size ${at}`);
