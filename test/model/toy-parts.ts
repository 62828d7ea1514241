/** Parts of classifiers of a few nodes: a text's logits are the mean of its tokens' rows. */
import { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { withGraph, withInitializers } from '../../packages/onnx/src/graph/edit.js';
import type { Dimension } from '../../packages/onnx/src/graph/model.js';
import { readTensor } from '../../packages/onnx/src/graph/read-tensor.js';
import { Message } from '../../packages/onnx/src/graph/wire.js';
import { writeModel } from '../../packages/onnx/src/graph/write.js';

export const vocabulary = '[PAD] [UNK] [CLS] [SEP] good bad film nan the ##s ! beyond'.split(' ');

export function wordPiece(): Record<string, unknown> {
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  };
}

export interface Toy {
  /** Columns of the output. @default 2 */
  readonly width?: number;
  /** @default ['batch', 'sequence'] */
  readonly shape?: readonly Dimension[];
  readonly idType?: number;
  /** Further inputs; attention_mask weighs the tokens, the others are added to the logits so that wrong feeds show. */
  readonly inputs?: readonly ('attention_mask' | 'token_type_ids' | 'position_ids')[];
  readonly output?: string;
  /** 'mean' subtracts the batch's mean, 'quantise' quantises by the batch's range: rows then depend on company. */
  readonly company?: 'mean' | 'quantise';
  /** Applied to the logits: "Softmax", "Sigmoid", or whatever makes the output [batch, ...] of them, [batch, width]. */
  readonly last?: string | ((g: GraphBuilder, logits: string) => string);
  /** Columns of the output, where `last` makes others of the `width` logits. */
  readonly columns?: number | readonly Dimension[];
}

/** Rows of the table: "good" speaks for the last column, "bad" for the first, "nan" is not a number; "beyond" has none. */
export function toyGraph(toy: Toy = {}): GraphBuilder {
  const { width = 2, shape = ['batch', 'sequence'], idType = DataType.int64, inputs = [], output = 'logits' } = toy;
  const g = new GraphBuilder({ opset: 17 });
  const rows = vocabulary.slice(0, -1).flatMap((word, id) =>
    Array.from({ length: width }, (_, column) => {
      if (word === 'nan') return Number.NaN;
      const meant = word === 'good' ? width - 1 : word === 'bad' ? 0 : -1;
      return column === meant ? 4 : Math.sin(id * 7 + column) / 3;
    }),
  );
  const ids = g.input('input_ids', idType, shape);
  const table = g.initializer('table', [vocabulary.length - 1, width], Float32Array.from(rows));
  let words = g.op('Gather', [table, ids]); // [batch, sequence, width]
  const extra = inputs.map((name) => {
    const input = g.input(name, idType, shape);
    const floats = g.op('Cast', [input], { to: DataType.float });
    return [name, g.op('Unsqueeze', [floats, g.ints([2])])] as const; // [batch, sequence, 1]
  });
  for (const [name, value] of extra) words = g.op(name === 'attention_mask' ? 'Mul' : 'Add', [words, value]);
  if (toy.company === 'quantise') {
    words = g.op('DequantizeLinear', g.ops('DynamicQuantizeLinear', [words], 3));
  }
  let logits = g.op('ReduceMean', [words], { axes: [1], keepdims: 0 }); // [batch, width]
  if (toy.company === 'mean') {
    logits = g.op('Sub', [logits, g.op('ReduceMean', [logits], { axes: [0], keepdims: 1 })]);
  }
  const { last = 'Identity', columns = width } = toy;
  const made = typeof last === 'string' ? g.op(last, [logits]) : last(g, logits);
  const rest = typeof columns === 'number' ? [columns] : columns;
  g.output(g.ops('Identity', [made], [output])[0]!, DataType.float, [shape[0] ?? null, ...rest]);
  return g;
}

/** The toy with its table in another file. */
export function external(location: string): { readonly bytes: Uint8Array; readonly data: Uint8Array } {
  const model = toyGraph().model();
  const { dims, data } = model.graph.initializers.get('table')!;
  const message = new Message();
  for (const dim of dims) message.int(1, dim);
  message.int(2, DataType.float).string(8, 'table');
  message.message(13, new Message().string(1, 'location').string(2, location)).int(14, 1);
  const table = readTensor(message.build(), () => new Uint8Array(0));
  return {
    bytes: writeModel(withGraph(model, withInitializers(model.graph, [table]))),
    data: new Uint8Array(data.buffer),
  };
}

export const config = (labels: readonly string[] = ['no', 'yes'], more: Record<string, unknown> = {}) => ({
  model_type: 'bert',
  id2label: Object.fromEntries(labels.map((label, id) => [id, label])),
  pad_token_id: 0,
  max_position_embeddings: 16,
  ...more,
});
