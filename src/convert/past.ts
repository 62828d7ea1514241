/** @file Keys and values of the tokens before those that are fed: inputs of a graph that continues a text, and outputs for what continues it. */
import type { GraphBuilder } from '../onnx/builder.js';
import { DataType } from '../onnx/data-type.js';

/** Keys and values that the layers of a causal model keep of a token. */
export interface PastShape {
  readonly layers: number;
  /** Heads of keys and values, which groups of queries share. */
  readonly heads: number;
  /** Width of a head. */
  readonly size: number;
}

export class Past {
  readonly #g: GraphBuilder;
  /** The number of earlier tokens, [1]. */
  readonly length: string;

  /** Declares the inputs `past.LAYER.key` and `past.LAYER.value`, [1, heads, earlier, size] each. */
  constructor(g: GraphBuilder, { layers, heads, size }: PastShape) {
    this.#g = g;
    for (let layer = 0; layer < layers; layer++) {
      for (const part of ['key', 'value']) g.input(`past.${layer}.${part}`, DataType.float, [1, heads, 'past', size]);
    }
    this.length = g.size('past.0.key', 2);
  }

  /** The keys and values of all tokens, [batch, heads, earlier + sequence, size], which the graph also outputs as `present.LAYER...`. */
  extend(layer: number, key: string, value: string): { readonly key: string; readonly value: string } {
    return { key: this.#whole(layer, 'key', key), value: this.#whole(layer, 'value', value) };
  }

  #whole(layer: number, part: string, fresh: string): string {
    const g = this.#g;
    const each = g.concat([g.size(fresh, 0), g.ints([1, 1, 1])], 0);
    const earlier = g.expand(`past.${layer}.${part}`, each);
    const name = `present.${layer}.${part}`;
    g.ops('Concat', [earlier, fresh], [name], { axis: 2 });
    return g.output(name, DataType.float);
  }
}
