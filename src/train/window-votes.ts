/**
 * @file The votes of a `char-cnn` or `word-votes`, computed from the weights of its file. Nothing that the folder says is trusted: the graph
 * must be the graph of the architecture, node for node, and the tokenizer the one that a training writes. A bound on the votes, less
 * the rounding errors of the file's own single precision, is then a bound on the answers of the file.
 */
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadModel } from '../../packages/onnx/src/graph/load.js';
import type { Graph } from '../../packages/onnx/src/graph/model.js';
import type { Tensor } from '../../packages/onnx/src/graph/tensor.js';
import type { VotedText, WindowVotes } from '../core/certificate.js';
import { must } from '../core/errors.js';
import { random } from '../core/random.js';
import { readFile } from '../files/read.js';
import type { GraphParts } from '../model/loaded-model.js';
import { draw } from './architectures/architecture-builder.js';
import { windowVoting } from './architectures/char-cnn.js';
import { characterTokenizerJson, tokenizerJson } from './tokenizer-file.js';

/** `maximum`: most tokens that the model reads of a text. Undefined for a file that differs from what `robust train` writes for these architectures. */
export async function windowVotes(
  { file, encoder, check }: Pick<GraphParts, 'file' | 'encoder' | 'check'>,
  maximum: number,
): Promise<WindowVotes | undefined> {
  const [{ graph, opsets }, tokenizer] = await Promise.all([
    loadModel(file),
    readFile(join(dirname(file), 'tokenizer.json'), 'utf8'),
  ]);
  await check();
  const weights = weightsOf(graph);
  const reads = weights && unitOf(tokenizer, must(weights.table.dims[0]));
  if (weights === undefined || opsets.size !== 1 || reads === undefined) return undefined;
  const network = new VoteNetwork(weights);
  return {
    reads,
    maximum,
    tokens: (text) => (encoder.encode(text) as { readonly ids: ArrayLike<number> }).ids,
    votes: (tokens) => network.votes(tokens),
  };
}

interface VoteWeights {
  readonly table: Tensor;
  readonly window: Tensor;
  readonly windowBias: Tensor;
  readonly classifier: Tensor;
  readonly classifierBias: Tensor;
}

/** The weights, if the graph is the architecture's with weights of its own. */
function weightsOf(graph: Graph): VoteWeights | undefined {
  const [table, window, windowBias, classifier, classifierBias] = [
    ...['embeddings.weight', 'window.weight', 'window.bias', 'classifier.weight', 'classifier.bias'],
  ].map((name) => graph.initializers.get(name));
  if (!table || !window || !windowBias || !classifier || !classifierBias) return undefined;
  const [vocabulary = 0, tokenDim = 0] = table.dims;
  const [inputs = 0, filters = 0] = window.dims;
  const labels = classifier.dims[1] ?? 0;
  const size = { vocabulary, tokenDim, filters, window: inputs / tokenDim, maxTokens: 0 };
  // Each size is that of values in the file, so that a few bytes cannot claim a large graph.
  const isWhole = [table, window, classifier].every(({ dims }) => dims.length === 2 && !dims.includes(0));
  if (!isWhole || size.window % 2 !== 1 || labels !== classifierBias.dims[0]) return undefined;
  const weights = { table, window, windowBias, classifier, classifierBias };
  const expected = draw(windowVoting('char-cnn', size), labels, random(0, 'weights')).model.graph;
  return isSameGraph(graph, expected, new Set(Object.values(weights))) ? weights : undefined;
}

/** Whether both graphs have the same nodes, inputs, outputs and constants; `weights` may have any values. */
function isSameGraph(graph: Graph, expected: Graph, weights: ReadonlySet<Tensor>): boolean {
  const structure = ({ nodes, inputs, outputs, initializers }: Graph): unknown => [
    nodes.map((node) => [node.op, node.domain, node.inputs, node.outputs, node.attributes]),
    [...inputs, ...outputs].map(({ name, type }) => [name, type]),
    [...initializers.values()].map(({ name, type, dims }) => [name, type, dims]).sort(),
  ];
  if (!isDeepStrictEqual(structure(graph), structure(expected))) return false;
  return [...expected.initializers].every(([name, constant]) => {
    const tensor = graph.initializers.get(name) as Tensor;
    return weights.has(tensor) || isDeepStrictEqual(tensor.data, constant.data);
  });
}

/** The unit that our tokenizer splits texts into; undefined for another tokenizer. `size`: entries of the vocabulary. */
function unitOf(text: string, size: number): WindowVotes['reads'] | undefined {
  const written = JSON.parse(text) as { readonly model?: { readonly vocab?: Readonly<Record<string, number>> } };
  const vocabulary: string[] = [];
  for (const [token, id] of Object.entries(written.model?.vocab ?? {})) {
    // A single large number would make a list of billions.
    if (!(id < size)) return undefined;
    vocabulary[id] = token;
  }
  const isFile = (content: object): boolean => isDeepStrictEqual(written, JSON.parse(JSON.stringify(content)));
  if (isFile(characterTokenizerJson(vocabulary))) return 'characters';
  return isFile(tokenizerJson(vocabulary)) ? 'words' : undefined;
}

/** Unit roundoff of single precision, in which the file is run. */
const UNIT = 2 ** -24;

/** Bound on the relative error of a sum of `terms` products in any order (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1). */
const sumError = (terms: number): number => ((terms + 2) * UNIT) / (1 - (terms + 2) * UNIT);

/** Computes votes in double precision, and how far single precision can be from them. */
class VoteNetwork {
  /** By place in the window and token: its contribution to each filter, and the sum of the absolute values of the terms; [2, filters]. */
  readonly #contributions: Map<number, Float64Array>[];
  readonly #window: number;
  readonly #filters: number;
  readonly #labels: number;
  readonly #rows: Float32Array;
  readonly #kernel: Float32Array;
  readonly #windowBias: Float32Array;
  readonly #head: Float32Array;
  readonly #bias: Float32Array;
  readonly #width: number;

  constructor({ table, window, windowBias, classifier, classifierBias }: VoteWeights) {
    const [inputs = 0, filters = 0] = window.dims;
    this.#width = must(table.dims[1]);
    this.#window = inputs / this.#width;
    this.#filters = filters;
    this.#labels = must(classifier.dims[1]);
    [this.#rows, this.#kernel, this.#windowBias] = [table.floats(), window.floats(), windowBias.floats()];
    [this.#head, this.#bias] = [classifier.floats(), classifierBias.floats()];
    this.#contributions = Array.from({ length: this.#window }, () => new Map());
  }

  votes(ids: ArrayLike<number>): VotedText {
    const [half, labels] = [(this.#window - 1) / 2, this.#labels];
    const values = new Float64Array(ids.length * labels);
    const errors = new Float64Array(ids.length);
    for (let middle = 0; middle < ids.length; middle++) {
      // Responses, and the sums of the absolute values of their terms.
      const sums = new Float64Array(2 * this.#filters);
      for (const [filter, bias] of this.#windowBias.entries()) {
        sums[filter] = bias;
        sums[this.#filters + filter] = Math.abs(bias);
      }
      for (let place = 0; place < this.#window; place++) {
        const id = ids[middle + place - half];
        if (id !== undefined) addTo(sums, this.#contributionOf(place, id));
      }
      const { shares, error } = this.#voteOf(sums);
      values.set(shares, middle * labels);
      errors[middle] = error;
    }
    return { labels, half, values, errors };
  }

  #contributionOf(place: number, id: number): Float64Array {
    const known = this.#contributions[place]?.get(id);
    if (known !== undefined) return known;
    const [filters, width] = [this.#filters, this.#width];
    const sums = new Float64Array(2 * filters);
    for (let input = 0; input < width; input++) {
      const value = this.#rows[id * width + input]!;
      const from = (place * width + input) * filters;
      for (let filter = 0; filter < filters; filter++) {
        const term = value * this.#kernel[from + filter]!;
        sums[filter] = sums[filter]! + term;
        sums[filters + filter] = sums[filters + filter]! + Math.abs(term);
      }
    }
    this.#contributions[place]?.set(id, sums);
    return sums;
  }

  #voteOf(sums: Float64Array): { readonly shares: Float64Array; readonly error: number } {
    const [filters, labels] = [this.#filters, this.#labels];
    const scores = Float64Array.from(this.#bias);
    const [inner, outer] = [sumError(this.#window * this.#width), sumError(filters)];
    const errors = scores.map((score) => Math.abs(score) * outer);
    for (let filter = 0; filter < filters; filter++) {
      const error = sums[filters + filter]! * inner;
      const most = sums[filter]! + error;
      // Both precisions cut it to zero.
      if (most <= 0) continue;
      const active = Math.max(0, sums[filter]!);
      for (let label = 0; label < labels; label++) {
        const weight = this.#head[filter * labels + label]!;
        scores[label] = scores[label]! + active * weight;
        errors[label] = errors[label]! + (error + most * outer) * Math.abs(weight);
      }
    }
    // Each difference of scores is off by at most `apart`, and so is the logarithm of a share's odds.
    const apart = 2 * Math.max(...errors);
    const odds = scores.map((score, label) => score - logOfSum(scores.filter((_, other) => other !== label)));
    const off = odds.map((each) =>
      Math.max(shareOf(each) - shareOf(each - apart), shareOf(each + apart) - shareOf(each)),
    );
    // Either vote may be off by as much.
    return { shares: odds.map(shareOf), error: 2 * Math.max(...off) };
  }
}

/** Logarithm of the sum of the exponentials. */
function logOfSum(scores: Float64Array): number {
  const most = Math.max(...scores);
  return most + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - most), 0));
}

/** The share with these log-odds. */
const shareOf = (odds: number): number => 1 / (1 + Math.exp(-odds));

function addTo(sums: Float64Array, more: Float64Array): void {
  for (let at = 0; at < sums.length; at++) sums[at] = sums[at]! + more[at]!;
}
