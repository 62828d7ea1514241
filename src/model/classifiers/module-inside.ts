/** @file White-box functions that a module may export, or a program answer, so that gradient attacks run on any model. */
import type { Token } from '../../core/classifier.js';

/** A text given by its embeddings. */
export interface InsideQuestion {
  /** Row-major [tokens, hidden]. */
  readonly embeddings: Float32Array;
  readonly tokens: readonly Token[];
  /** Label of the wanted loss and gradient; absent if probabilities are sufficient. */
  readonly label?: number;
}

export interface InsideAnswer {
  /** As `classify` gives them. */
  readonly probabilities: ArrayLike<number>;
  readonly loss?: number | undefined;
  /** d(loss)/d(embeddings), row-major [tokens, hidden]. */
  readonly values?: ArrayLike<number> | undefined;
}

export interface ModuleInside {
  /** Width of an embedding. */
  readonly hidden: number;
  tokens(text: string): readonly Token[] | Promise<readonly Token[]>;
  /** Row-major [vocabulary, hidden]. It is asked for before anything else. */
  embeddingTable(): Float32Array | Promise<Float32Array>;
  /** The vocabulary entry as it would appear in a text, or undefined for special tokens. */
  tokenText(id: number): string | undefined;
  gradients(questions: readonly InsideQuestion[]): Promise<readonly InsideAnswer[]>;
}

const METHODS = ['tokens', 'embeddingTable', 'tokenText', 'gradients'] as const;

/** White-box functions of an exported classifier; undefined if it has none. Throws Error if it has only some of them. */
export function insideOf(exported: object): ModuleInside | undefined {
  if (!('gradients' in exported)) return undefined;
  const given = exported as Partial<ModuleInside>;
  const missing: string[] = METHODS.filter((name) => typeof given[name] !== 'function');
  if (!Number.isInteger(given.hidden) || given.hidden! < 1) missing.push('hidden');
  if (missing.length > 0) throw new Error(`expected ${missing.join(', ')} beside gradients, found none`);
  return given as ModuleInside;
}
