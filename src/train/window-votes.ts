/**
 * @file The votes of a `char-cnn`, computed from the weights of its file. Nothing that the folder says is trusted: the graph must be the
 * graph of the architecture, node for node, and the tokenizer one token for each character. A bound on the votes is then a bound
 * on the answers of the file.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { VotedText, WindowVotes } from '../core/certificate.js';
import { random } from '../core/random.js';
import type { OnnxParts } from '../model/loaded-model.js';
import { loadModel } from '../onnx/load.js';
import type { Graph } from '../onnx/model.js';
import type { Tensor } from '../onnx/tensor.js';
import { draw } from './architectures/architecture-builder.js';
import { charCnn } from './architectures/char-cnn.js';
import { characterTokenizerJson } from './tokenizer-file.js';

/** `maximum`: most tokens that the model reads of a text. Undefined for a file that differs from what `robust train --arch char-cnn` writes. */
export async function windowVotes(
  { file, encoder, check }: Pick<OnnxParts, 'file' | 'encoder' | 'check'>,
  maximum: number,
): Promise<WindowVotes | undefined> {
  const [{ graph, opsets }, tokenizer] = await Promise.all([
    loadModel(file),
    readFile(join(dirname(file), 'tokenizer.json'), 'utf8'),
  ]);
  await check();
  const weights = weightsOf(graph);
  if (weights === undefined || opsets.size !== 1 || !isOurTokenizer(tokenizer, weights.table.dims[0] as number))
    return undefined;
  const network = new VoteNetwork(weights);
  return {
    maximum,
    async votes(text) {
      const { ids } = encoder.encode(text) as { readonly ids: ArrayLike<number> };
      return network.votes(ids);
    },
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
  const [vocabulary = 0, characterDim = 0] = table.dims;
  const [inputs = 0, filters = 0] = window.dims;
  const labels = classifier.dims[1] ?? 0;
  const size = { vocabulary, characterDim, filters, window: inputs / characterDim, maxTokens: 0 };
  // Each size is that of values in the file, so that a few bytes cannot claim a large graph.
  const isWhole = [table, window, classifier].every(({ dims }) => dims.length === 2 && !dims.includes(0));
  if (!isWhole || size.window % 2 !== 1 || labels !== classifierBias.dims[0]) return undefined;
  const weights = { table, window, windowBias, classifier, classifierBias };
  const expected = draw(charCnn(size), labels, random(0, 'weights')).model.graph;
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

/** `size`: entries of the vocabulary. */
function isOurTokenizer(text: string, size: number): boolean {
  const written = JSON.parse(text) as { readonly model?: { readonly vocab?: Readonly<Record<string, number>> } };
  const vocabulary: string[] = [];
  for (const [token, id] of Object.entries(written.model?.vocab ?? {})) {
    // A single large number would make a list of billions.
    if (!(id < size)) return false;
    vocabulary[id] = token;
  }
  return isDeepStrictEqual(written, JSON.parse(JSON.stringify(characterTokenizerJson(vocabulary))));
}

/** Unit roundoff of single precision, in which the file is run. */
const UNIT = 2 ** -24;

/** Bound on the relative error of a sum of `terms` products in any order (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1). */
const sumError = (terms: number): number => ((terms + 2) * UNIT) / (1 - (terms + 2) * UNIT);

/** Computes votes in double precision, and how far single precision may move them. */
class VoteNetwork {
  /** Contribution of each entry of the vocabulary to each filter at each place of a window, [window, vocabulary, filters]. */
  readonly #contributions: Float64Array;
  /** The same with the absolute values of all products. */
  readonly #magnitudes: Float64Array;
  readonly #window: number;
  readonly #inputs: number;
  readonly #vocabulary: number;
  readonly #labels: number;
  readonly #weights: { readonly windowBias: Float32Array; readonly head: Float32Array; readonly bias: Float32Array };

  constructor({ table, window, windowBias, classifier, classifierBias }: VoteWeights) {
    const [vocabulary = 0, width = 0] = table.dims;
    const [inputs = 0, filters = 0] = window.dims;
    this.#window = inputs / width;
    this.#inputs = inputs;
    this.#vocabulary = vocabulary;
    this.#labels = classifier.dims[1] as number;
    this.#weights = { windowBias: windowBias.floats(), head: classifier.floats(), bias: classifierBias.floats() };
    const [rows, kernel] = [table.floats(), window.floats()];
    const [all, magnitudes] = [0, 0].map(() => new Float64Array(this.#window * vocabulary * filters)) as [
      Float64Array,
      Float64Array,
    ];
    for (let place = 0; place < this.#window; place++)
      for (let id = 0; id < vocabulary; id++) {
        const to = (place * vocabulary + id) * filters;
        for (let input = 0; input < width; input++) {
          const value = rows[id * width + input] as number;
          const from = (place * width + input) * filters;
          for (let filter = 0; filter < filters; filter++) {
            const product = value * (kernel[from + filter] as number);
            all[to + filter] = (all[to + filter] as number) + product;
            magnitudes[to + filter] = (magnitudes[to + filter] as number) + Math.abs(product);
          }
        }
      }
    this.#contributions = all;
    this.#magnitudes = magnitudes;
  }

  votes(ids: ArrayLike<number>): VotedText {
    const half = (this.#window - 1) / 2;
    const values = new Float64Array(ids.length * this.#labels);
    const errors = new Float64Array(ids.length);
    for (let middle = 0; middle < ids.length; middle++) {
      const response = Float64Array.from(this.#weights.windowBias);
      const magnitude = response.map(Math.abs);
      for (let place = 0; place < this.#window; place++) {
        const id = ids[middle + place - half];
        if (id === undefined) continue;
        this.#add(this.#contributions, response, place, id);
        this.#add(this.#magnitudes, magnitude, place, id);
      }
      const scores = this.#scoresOf(response);
      values.set(softmax(scores), middle * this.#labels);
      // Scores that move by d move each vote p by at most p (e^(2d) - 1), and the votes sum to 1.
      errors[middle] = Math.min(2, Math.expm1(2 * this.#errorOf(response, magnitude, scores)));
    }
    return { labels: this.#labels, half, values, errors };
  }

  #add(table: Float64Array, to: Float64Array, place: number, id: number): void {
    const filters = to.length;
    const from = (place * this.#vocabulary + id) * filters;
    for (let filter = 0; filter < filters; filter++)
      to[filter] = (to[filter] as number) + (table[from + filter] as number);
  }

  #scoresOf(response: Float64Array): Float64Array {
    const { head, bias } = this.#weights;
    const scores = Float64Array.from(bias);
    for (let filter = 0; filter < response.length; filter++) {
      const active = Math.max(0, response[filter] as number);
      for (let label = 0; label < scores.length; label++)
        scores[label] = (scores[label] as number) + active * (head[filter * scores.length + label] as number);
    }
    return scores;
  }

  /** How far single precision may move a score. */
  #errorOf(response: Float64Array, magnitude: Float64Array, scores: Float64Array): number {
    const { head, bias } = this.#weights;
    const [ofResponse, ofScore] = [sumError(this.#inputs), sumError(response.length)];
    const errors = scores.map((score, label) => ofScore * Math.abs(bias[label] as number) + 2 * UNIT * Math.abs(score));
    for (let filter = 0; filter < response.length; filter++) {
      const error = ofResponse * (magnitude[filter] as number);
      const moved = error + ofScore * (Math.max(0, response[filter] as number) + error);
      for (let label = 0; label < errors.length; label++)
        errors[label] = (errors[label] as number) + moved * Math.abs(head[filter * errors.length + label] as number);
    }
    return Math.max(...errors);
  }
}

function softmax(scores: Float64Array): Float64Array {
  const most = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - most));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => share / sum);
}
