/** @file The graph of a model as it is drawn: operators, and the weights of its checkpoint under their own names. */
import { getOrCompute } from '../get-or-compute.js';
import { float, GraphBuilder } from '../graph/builder.js';
import { DataType } from '../graph/data-type.js';
import { Tensor } from '../graph/tensor.js';
import { transpose } from '../graph/transposed.js';
import { floatsToHalves } from '../half.js';
import { activation, namedActivation } from './blocks/activation.js';
import type { ModelConfig } from './config.js';
import { Past, type PastShape } from './past.js';
import type { CheckpointWeight, CheckpointWeights } from './weights.js';

export interface LinearOptions {
  /** @default true */
  readonly bias?: boolean;
  /** A part of a head, which a new model may draw at random. */
  readonly head?: boolean;
  /** The weight is stored [inputs, outputs] already, as GPT-2 has it. PyTorch's own layers store [outputs, inputs]. */
  readonly columns?: boolean;
}

export interface DrawingParts {
  /** Matrices are kept in half precision. */
  readonly half?: boolean;
  readonly everyToken?: boolean;
  readonly branches?: readonly (readonly number[])[] | undefined;
  /** Texts are fed from any token on, with keys and values of this shape of those before it. */
  readonly past?: PastShape;
  /** The same model drawn before, whose tensors this one shares. */
  readonly like?: Drawing;
}

export class Drawing {
  readonly g = new GraphBuilder({ opset: 17 });
  readonly config: ModelConfig;
  readonly weights: CheckpointWeights;
  readonly #half: boolean;
  /** Transformed weight -> its name in the graph. Layers that share a weight also share it here. */
  readonly #made = new Map<string, string>();
  readonly #tensors: Map<string, Tensor>;

  /** Answers of padding are wanted too, as the reference gives them. */
  readonly everyToken: boolean;
  /** Token ids of answers behind the text. No answer sees another one. */
  readonly branches: readonly (readonly number[])[] | undefined;
  /** Keys and values of earlier tokens; undefined if texts are fed from their first token on. */
  readonly past: Past | undefined;

  constructor(config: ModelConfig, weights: CheckpointWeights, options: DrawingParts = {}) {
    const { half = false, everyToken = false, branches, past, like } = options;
    this.everyToken = everyToken;
    this.config = config;
    this.weights = weights;
    this.branches = branches;
    this.#half = half;
    this.#tensors = like === undefined ? new Map() : like.#tensors;
    if (past === undefined) return;
    // The tokens come first, as exporters have it.
    void this.ids;
    this.past = new Past(this.g, past, { prompted: branches !== undefined, added: branches?.flat().length ?? 0 });
  }

  /** The token ids, [batch, sequence]. */
  get ids(): string {
    return this.#input('input_ids');
  }

  /** 1 for tokens, 0 for padding, [batch, sequence]. */
  get mask(): string {
    return this.#input('attention_mask');
  }

  /** Texts of a batch may differ in length, so that padding fills them up. */
  get padded(): boolean {
    return this.past === undefined && this.branches === undefined;
  }

  /** Which of two texts a token belongs to, [batch, sequence]. */
  get types(): string {
    return this.#input('token_type_ids');
  }

  /** The number of tokens, [1]. */
  get length(): string {
    return this.once('length', () => this.g.op('Slice', [this.g.shape(this.ids), this.g.ints([1]), this.g.ints([2])]));
  }

  /** A tensor that is drawn once, whoever asks for it. */
  once(key: string, draw: () => string): string {
    return getOrCompute(this.#made, key, draw);
  }

  /** A weight as it is stored. */
  weight(name: string, dims: readonly number[], head = false): string {
    return this.#initializer(name, dims, () => this.#take(name, dims, head).read);
  }

  /** A matrix stored [outputs, inputs], as [inputs, outputs]: what a product needs. */
  matrix(name: string, inputs: number, outputs: number, { head = false, columns = false }: LinearOptions = {}): string {
    return this.#initializer(name, [inputs, outputs], () => {
      const stored = this.#take(name, columns ? [inputs, outputs] : [outputs, inputs], head, columns);
      return columns ? stored.read : () => transpose(stored.read(), outputs, inputs);
    });
  }

  /** Transforms a weight stored as `stored` with shape `dims`. */
  made(
    name: string,
    stored: readonly number[],
    dims: readonly number[],
    make: (values: Float32Array) => Float32Array = (values) => values,
  ): string {
    return this.#initializer(name, dims, () => {
      const { read } = this.weights.take(name, stored);
      return () => make(read());
    });
  }

  /** x W + b, with the weights `name`.weight and `name`.bias. */
  linear(x: string, name: string, inputs: number, outputs: number, options: LinearOptions = {}): string {
    const product = this.g.matmul(x, this.matrix(`${name}.weight`, inputs, outputs, options));
    if (options.bias === false) return product;
    return this.g.add(product, this.weight(`${name}.bias`, [outputs], options.head));
  }

  /** Layer normalisation over the last axis; without a bias where the model has none. */
  norm(x: string, name: string, width: number, epsilon: number, { bias = true, head = false } = {}): string {
    const scale = this.weight(`${name}.weight`, [width], head);
    const shift = bias ? this.weight(`${name}.bias`, [width], head) : this.zeros(width);
    return this.g.op('LayerNormalization', [x, scale, shift], { axis: -1, epsilon: float(epsilon) });
  }

  zeros(width: number): string {
    return this.once(`zeros ${width}`, () => this.g.initializer(`zeros.${width}`, [width], new Float32Array(width)));
  }

  /** The function that the config calls `name`. Throws OnnxError where it is not known. */
  activate(x: string, key: string): string {
    return activation(this.g, x, this.config, key);
  }

  /** As `activate`, where the function is a part of the value. */
  activateAs(x: string, key: string, name: string): string {
    return namedActivation(this.g, x, this.config, key, name);
  }

  #take(name: string, dims: readonly number[], head: boolean, columns = false): CheckpointWeight {
    return head ? this.weights.takeHead(name, dims, columns) : this.weights.take(name, dims, columns);
  }

  #input(name: string): string {
    return this.once(`input ${name}`, () => this.g.input(name, DataType.int64, ['batch', 'sequence']));
  }

  #initializer(name: string, dims: readonly number[], open: () => () => Float32Array): string {
    return this.once(`weight ${name} ${dims}`, () => {
      const half = this.#half && dims.length >= 2;
      const tensor = getOrCompute(this.#tensors, `${name} ${dims}`, () => {
        const read = open();
        return half
          ? new Tensor({ name: `${name}.half`, type: DataType.float16, dims, read: () => floatsToHalves(read()) })
          : new Tensor({ name, type: DataType.float, dims, read });
      });
      const stored = this.g.shared(tensor);
      return half ? this.g.ops('Cast', [stored], [name], { to: DataType.float })[0]! : stored;
    });
  }
}
