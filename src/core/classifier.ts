/** @file What classifies, from outside and from within. Types only. */

/** Texts in, probabilities out. Cache, batch, meter and budget are wrappers of this type. */
export interface Classifier {
  readonly labels: readonly string[];
  /** One row per text, one column per label; rows sum to 1 (single-label models). */
  classify(texts: readonly string[]): Promise<Float32Array[]>;
}

/** A function close to a classifier, and cheaper: searches may ask it where the classifier itself confirms what they find. */
export interface Approximation extends Classifier {
  /** How it is computed: "int8", "int8, weights of 7 bits", or "int8, scales by row" where the model is quantised by batches. Runs at different precisions cannot be continued, merged or compared with a baseline. */
  readonly precision: string;
  /** Where it is computed, if not on the processor: "cuda". Its answers are then not reproducible to the byte. */
  readonly device?: string;
  /** Unedited texts on which it is held against the classifier. @default all of them */
  readonly compared?: number;
}

/** A piece of text the model sees as one unit. */
export interface Token {
  readonly id: number;
  /** Character span in the text, UTF-16 code units, end exclusive; start = end for special tokens. */
  readonly start: number;
  readonly end: number;
  /** [CLS], [SEP], padding: never perturbed. */
  readonly special: boolean;
  /** What models with token types are told of it: usually which text of a pair it belongs to. @default 0 */
  readonly type?: number;
  /** Its span is of the second text of a pair. @default false */
  readonly second?: boolean;
}

/** A classifier whose graph we can differentiate. */
export interface WhiteBox extends Classifier {
  /** Width of a token embedding. */
  readonly hidden: number;
  /** Which loss is differentiated; it depends on the model's output: "cross-entropy", "binary cross-entropy", ... */
  readonly loss: string;
  /** The loss of `label`, and d(loss)/d(token embedding), row-major [tokens, hidden]. Calls made together share batches. */
  gradient(text: string, label: number): Promise<EmbeddingGradient>;
  /** Probabilities of given embeddings instead of a text's own; each row-major [tokens, hidden], all of one length. */
  classifyEmbeddings(batch: readonly Float32Array[], tokens: readonly Token[]): Promise<Float32Array[]>;
  /** As `gradient`, at given embeddings. */
  gradientAt(embeddings: Float32Array, tokens: readonly Token[], label: number): Promise<EmbeddingGradient>;
  /** The whole embedding table, row-major [vocabulary, hidden]. */
  embeddingTable(): Promise<Float32Array>;
  /**
   * Products of vectors, row-major [vectors, hidden], with all rows of the table: [vectors, vocabulary], in single precision. No run of
   * the model, and so no query. Absent where nobody multiplies for us.
   */
  tableProducts?(vectors: Float32Array): Promise<Float32Array>;
  /** The text of one vocabulary entry as it would stand in a text, or undefined for special tokens. */
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
