/** @file Interfaces of classifiers: black box and white box. Types only. */

/** Maps texts to probabilities. Cache, batching, meter and budget are wrappers of this type. */
export interface Classifier {
  readonly labels: readonly string[];
  /** One row per text, one column per label; rows sum to 1 (single-label models). */
  classify(texts: readonly string[]): Promise<Float32Array[]>;
}

/** A cheaper approximation of a classifier. Searches may query it if the classifier itself confirms what they find. */
export interface Approximation extends Classifier {
  /**
   * Numerical precision: "int8", "int8, weights of 7 bits", "int8, scales by row" if the model is quantised by batches. Runs at
   * different precisions cannot be continued, merged or compared with a baseline.
   */
  readonly precision: string;
  /** Device, if not the processor: "cuda". Its answers are not reproducible to the byte. */
  readonly device?: string;
  /** Unedited texts on which it is compared with the classifier. @default all of them */
  readonly compared?: number;
}

/** A piece of text that the model reads as one unit. */
export interface Token {
  readonly id: number;
  /** Character span in the text, UTF-16 code units, end exclusive; start = end for special tokens. */
  readonly start: number;
  readonly end: number;
  /** [CLS], [SEP], padding: never perturbed. */
  readonly special: boolean;
  /** Token type for models that have them: usually which text of a pair it belongs to. @default 0 */
  readonly type?: number;
  /** True if its span refers to the second text of a pair. @default false */
  readonly second?: boolean;
}

/** A classifier whose graph can be differentiated. */
export interface WhiteBox extends Classifier {
  /** Width of a token embedding. */
  readonly hidden: number;
  /** Loss that is differentiated, which depends on the model's output: "cross-entropy", "binary cross-entropy", ... */
  readonly loss: string;
  /** Loss of `label`, and d(loss)/d(token embedding), row-major [tokens, hidden]. Simultaneous calls share batches. */
  gradient(text: string, label: number): Promise<EmbeddingGradient>;
  /** Probabilities for given embeddings instead of a text's, each row-major [tokens, hidden], all of one length. */
  classifyEmbeddings(batch: readonly Float32Array[], tokens: readonly Token[]): Promise<Float32Array[]>;
  /** Like `gradient`, at given embeddings. */
  gradientAt(embeddings: Float32Array, tokens: readonly Token[], label: number): Promise<EmbeddingGradient>;
  /** The whole embedding table, row-major [vocabulary, hidden]. */
  embeddingTable(): Promise<Float32Array>;
  /**
   * Products of vectors, row-major [vectors, hidden], with all rows of the table: [vectors, vocabulary], in single precision. It does not
   * run the model, so it costs no query. Absent if no accelerated product is available.
   */
  tableProducts?(vectors: Float32Array): Promise<Float32Array>;
  /** The vocabulary entry as it would appear in a text. Undefined for special tokens. */
  tokenText(id: number): string | undefined;
}

export interface EmbeddingGradient {
  readonly tokens: readonly Token[];
  readonly loss: number;
  readonly probabilities: Float32Array;
  /** The text's embeddings, row-major [tokens, hidden]. */
  readonly embeddings: Float32Array;
  /** d(loss)/d(embeddings), same shape. */
  readonly values: Float32Array;
}
