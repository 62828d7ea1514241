/**
 * @file An ONNX file as values (onnx.proto). Everything is immutable: an edit spreads the old object into a new one, and `source` (the
 * bytes from which a message was read) is kept, so that unknown fields are written back.
 */
import type { Tensor } from './tensor.js';

export type Attribute =
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'int'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'tensor'; readonly value: Tensor }
  | { readonly kind: 'graph'; readonly value: Graph }
  | { readonly kind: 'floats'; readonly value: readonly number[] }
  | { readonly kind: 'ints'; readonly value: readonly number[] }
  | { readonly kind: 'strings'; readonly value: readonly string[] }
  | { readonly kind: 'graphs'; readonly value: readonly Graph[] }
  /** Sparse tensors, types, tensor lists and references to function attributes: carried along. */
  | { readonly kind: 'other'; readonly source: Uint8Array };

export interface Node {
  /** `MatMul`, `Attention`, ... */
  readonly op: string;
  /** Empty for ai.onnx. */
  readonly domain: string;
  /** Often empty. */
  readonly name: string;
  /** Names of tensors; empty where an optional input is left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, Attribute>;
  readonly source?: Uint8Array;
}

/** A number, a named dynamic dimension, or null where nothing is known. */
export type Dimension = number | string | null;

export interface ValueInfo {
  readonly name: string;
  /** Element type of a tensor; 0 for sequences, maps and untyped values. */
  readonly type: number;
  /** Undefined where not even the rank is known. */
  readonly dims?: readonly Dimension[] | undefined;
  readonly source?: Uint8Array;
}

export interface Graph {
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly initializers: ReadonlyMap<string, Tensor>;
  /** Below IR version 4 the initializers are listed here too: see `feeds`. */
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
  readonly valueInfos: readonly ValueInfo[];
  readonly source?: Uint8Array;
}

export interface Model {
  readonly irVersion: number;
  /** Domain (empty for ai.onnx) -> opset version. */
  readonly opsets: ReadonlyMap<string, number>;
  readonly metadata: ReadonlyMap<string, string>;
  readonly producer: string;
  readonly graph: Graph;
  readonly source?: Uint8Array;
}

/** A node of the ai.onnx domain with one output, which names it. */
export function node(
  op: string,
  inputs: readonly string[],
  output: string,
  attributes: Readonly<Record<string, Attribute>> = {},
): Node {
  return { op, domain: '', name: output, inputs, outputs: [output], attributes: new Map(Object.entries(attributes)) };
}

/** The inputs a caller must feed: those no initializer fills. */
export function feeds(graph: Graph): ValueInfo[] {
  return graph.inputs.filter((input) => !graph.initializers.has(input.name));
}

/** The ai.onnx opset; 1 where a damaged or ancient file imports none. */
export function opsetOf(model: Model): number {
  return model.opsets.get('') ?? 1;
}

/** The subgraphs of a node's control flow. */
export function subgraphs(node: Node): Graph[] {
  return Array.from(node.attributes.values()).flatMap((attribute) => {
    if (attribute.kind === 'graph') return [attribute.value];
    return attribute.kind === 'graphs' ? attribute.value : [];
  });
}
