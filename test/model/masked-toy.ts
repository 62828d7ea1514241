/** A masked language model of a few nodes: each token's logits are the row of the token before it, plus the row of its own. */
import { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { config, folder, wordPiece } from './toy.js';

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
const WORDS = 'the a is and good fine great lovely dull awful film movie plot cast ##s ##ly very really , .'.split(' ');
export const entries = [...SPECIAL, ...WORDS];

/** Word -> words that may follow, the most probable first. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  a: ['great', 'fine', 'dull', 'film', '##s'],
  is: ['lovely', 'awful', 'good', 'very'],
  good: ['movie', 'film', 'plot'],
  film: ['is', '##s'],
  fine: ['cast'],
};
/** Visible word -> words that it suggests besides itself. */
const SUGGESTS: Readonly<Record<string, readonly string[]>> = { film: ['movie', 'plot'], good: ['fine', 'great'] };

function tokenizer(): Record<string, unknown> {
  const plain = wordPiece();
  return {
    ...plain,
    added_tokens: SPECIAL.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    model: { ...(plain.model as object), vocab: Object.fromEntries(entries.map((entry, at) => [entry, at])) },
  };
}

type Rows = Readonly<Record<string, readonly string[]>>;

function table(vocabulary: readonly string[], rows: Rows, width: number): Float32Array {
  const id = (entry: string) => vocabulary.indexOf(entry);
  const values = new Float32Array(vocabulary.length * width);
  for (const [row, likely] of Object.entries(rows)) {
    likely.forEach((entry, rank) => {
      values[id(row) * width + id(entry)] = 9 - rank;
    });
  }
  return values;
}

export interface MaskedToy {
  /** Columns of the answer. @default as many as entries */
  readonly width?: number;
  readonly length?: number;
  /** Another vocabulary in order of its ids, and what may follow what in it. */
  readonly vocabulary?: readonly string[];
  readonly follows?: Rows;
  /** Visible word -> words that it suggests besides itself, in another vocabulary. */
  readonly suggests?: Rows;
}

function maskedGraph({ vocabulary = entries, follows: rows = FOLLOWS, ...toy }: MaskedToy = {}): GraphBuilder {
  const { width = vocabulary.length, length } = toy;
  const suggested = toy.suggests ?? (vocabulary === entries ? SUGGESTS : {});
  const g = new GraphBuilder({ opset: 17 });
  const ids = g.input('input_ids', DataType.int64, ['batch', length ?? 'sequence']);
  const mask = g.input('attention_mask', DataType.int64, ['batch', length ?? 'sequence']);
  const shifted = g.op('Slice', [
    g.op('Pad', [ids, g.ints([0, 1, 0, 0]), g.int(0)]),
    g.ints([0]),
    g.ints([-1]),
    g.ints([1]),
  ]);
  const follows = g.op('Gather', [
    g.initializer('follows', [vocabulary.length, width], table(vocabulary, rows, width)),
    shifted,
  ]);
  const suggests = g.op('Gather', [
    g.initializer('suggests', [vocabulary.length, width], table(vocabulary, suggested, width)),
    ids,
  ]);
  const kept = g.op('Unsqueeze', [g.op('Cast', [mask], { to: DataType.float }), g.ints([2])]);
  const logits = g.ops('Mul', [g.op('Add', [follows, suggests]), kept], ['logits'])[0]!;
  g.output(logits, DataType.float, ['batch', length ?? 'sequence', width]);
  return g;
}

/** The model's folder; `more` replaces or adds files. */
export const maskedFolder = (toy: MaskedToy = {}, more: Parameters<typeof folder>[0] = {}): string =>
  folder({
    'model.onnx': maskedGraph(toy).build(),
    'config.json': config(['LABEL_0', 'LABEL_1'], { max_position_embeddings: 16 }),
    'tokenizer.json': tokenizer(),
    'tokenizer_config.json': { mask_token: '[MASK]' },
    ...more,
  });
