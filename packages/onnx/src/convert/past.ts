/** @file Keys and values of the tokens before those that are fed: inputs of a graph that continues texts, and outputs for what continues it. */
import type { GraphBuilder } from '../graph/builder.js';
import { DataType } from '../graph/data-type.js';

/** Keys and values that the layers of a causal model keep of a token. */
export interface PastShape {
  readonly layers: number;
  /** Heads of keys and values, which groups of queries share. */
  readonly heads: number;
  /** Width of a head. */
  readonly size: number;
}

export interface PastOptions {
  /** Texts have a prompt in common. */
  readonly prompted: boolean;
  /** Tokens behind a text. */
  readonly added: number;
}

/** The id of padding, in the metadata of a graph that continues texts. */
export const PADDING_KEY = 'padding';

/** The tensors of all layers, keys and values in turns, behind `what`: "past.0.key". */
export const pastNames = (what: 'prompt' | 'past' | 'present', layers: number): string[] =>
  Array.from({ length: layers }, (_, layer) => [`${what}.${layer}.key`, `${what}.${layer}.value`]).flat();

interface LayerPast {
  /** Keys and values of the tokens that all texts begin with, [1, heads, prompt, size], and their number, [1]. */
  readonly prompt: Readonly<Record<'key' | 'value' | 'length', string>> | undefined;
  /** Keys and values of the tokens behind them, [batch, heads, earlier + sequence, size]. */
  readonly key: string;
  readonly value: string;
}

/**
 * Two beginnings: the prompt, which all texts share and no text copies, and earlier tokens of each text. Either may be empty. Each number
 * of the graph is computed by the same operations in the same order wherever a text is cut, so that no bit depends on the place.
 */
export class Past {
  readonly #g: GraphBuilder;
  readonly #added: number;
  /** The number of earlier tokens, [1]. */
  readonly length: string;
  readonly #promptLength: string | undefined;

  /** Declares the inputs `prompt.LAYER.key` and `.value`, [1, heads, prompt, size], and `past.LAYER...`, [1 or batch, heads, earlier, size]; `added`: tokens behind a text. */
  constructor(g: GraphBuilder, { layers, heads, size }: PastShape, { prompted, added }: PastOptions) {
    this.#g = g;
    this.#added = added;
    if (prompted) {
      for (const name of pastNames('prompt', layers)) g.input(name, DataType.float, [1, heads, 'prompt', size]);
      this.#promptLength = g.size('prompt.0.key', 2);
    }
    for (const name of pastNames('past', layers)) g.input(name, DataType.float, ['texts', heads, 'past', size]);
    const own = g.size('past.0.key', 2);
    this.length = this.#promptLength === undefined ? own : g.add(this.#promptLength, own);
  }

  /** All keys and values that a layer sees. The graph also outputs its own ones, as `present.LAYER...`. */
  extend(layer: number, key: string, value: string): LayerPast {
    const length = this.#promptLength;
    return {
      prompt: length === undefined ? undefined : { key: `prompt.${layer}.key`, value: `prompt.${layer}.value`, length },
      key: this.#whole(`${layer}.key`, key),
      value: this.#whole(`${layer}.value`, value),
    };
  }

  #whole(part: string, fresh: string): string {
    const g = this.#g;
    const own = this.#added === 0 ? fresh : g.slice(fresh, 2, 0, -this.#added);
    g.output(g.ops('Identity', [own], [`present.${part}`])[0]!, DataType.float);
    const each = g.concat([g.size(fresh, 0), g.ints([1, 1, 1])], 0);
    return g.concat([g.expand(`past.${part}`, each), fresh], 2);
  }
}
