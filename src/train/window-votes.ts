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
  if (weights === undefined || opsets.size !== 1 || !isOurTokenizer(tokenizer)) return undefined;
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
  if (size.window % 2 !== 1) return undefined;
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

function isOurTokenizer(text: string): boolean {
  const written = JSON.parse(text) as { readonly model?: { readonly vocab?: Readonly<Record<string, number>> } };
  const vocabulary: string[] = [];
  for (const [token, id] of Object.entries(written.model?.vocab ?? {})) vocabulary[id] = token;
  return isDeepStrictEqual(written, JSON.parse(JSON.stringify(characterTokenizerJson(vocabulary))));
}

/** Computes votes in double precision. */
class VoteNetwork {
  /** Contribution of each entry of the vocabulary to each filter at each place of a window, [window, vocabulary, filters]. */
  readonly #contributions: Float64Array;
  readonly #window: number;
  readonly #vocabulary: number;
  readonly #filters: number;
  readonly #labels: number;
  readonly #weights: { readonly windowBias: Float32Array; readonly head: Float32Array; readonly bias: Float32Array };

  constructor({ table, window, windowBias, classifier, classifierBias }: VoteWeights) {
    const [vocabulary = 0, width = 0] = table.dims;
    const [inputs = 0, filters = 0] = window.dims;
    this.#window = inputs / width;
    this.#vocabulary = vocabulary;
    this.#filters = filters;
    this.#labels = classifier.dims[1] as number;
    this.#weights = { windowBias: windowBias.floats(), head: classifier.floats(), bias: classifierBias.floats() };
    const [rows, kernel] = [table.floats(), window.floats()];
    const all = new Float64Array(this.#window * vocabulary * filters);
    for (let place = 0; place < this.#window; place++)
      for (let id = 0; id < vocabulary; id++) {
        const to = (place * vocabulary + id) * filters;
        for (let input = 0; input < width; input++) {
          const value = rows[id * width + input] as number;
          const from = (place * width + input) * filters;
          for (let filter = 0; filter < filters; filter++)
            all[to + filter] = (all[to + filter] as number) + value * (kernel[from + filter] as number);
        }
      }
    this.#contributions = all;
  }

  votes(ids: ArrayLike<number>): VotedText {
    const half = (this.#window - 1) / 2;
    const values = new Float64Array(ids.length * this.#labels);
    for (let middle = 0; middle < ids.length; middle++) {
      const response = Float64Array.from(this.#weights.windowBias);
      for (let place = 0; place < this.#window; place++) {
        const id = ids[middle + place - half];
        if (id !== undefined) this.#add(response, place, id);
      }
      values.set(this.#voteOf(response), middle * this.#labels);
    }
    return { labels: this.#labels, half, values };
  }

  #add(response: Float64Array, place: number, id: number): void {
    const from = (place * this.#vocabulary + id) * this.#filters;
    for (let filter = 0; filter < response.length; filter++)
      response[filter] = (response[filter] as number) + (this.#contributions[from + filter] as number);
  }

  #voteOf(response: Float64Array): Float64Array {
    const { head, bias } = this.#weights;
    const scores = Float64Array.from(bias);
    for (let filter = 0; filter < response.length; filter++) {
      const active = Math.max(0, response[filter] as number);
      for (let label = 0; label < scores.length; label++)
        scores[label] = (scores[label] as number) + active * (head[filter * scores.length + label] as number);
    }
    const most = Math.max(...scores);
    const shares = scores.map((score) => Math.exp(score - most));
    const sum = shares.reduce((total, share) => total + share, 0);
    return shares.map((share) => share / sum);
  }
}
