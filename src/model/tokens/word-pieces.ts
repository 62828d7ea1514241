/** @file A tokenizer's vocabulary as a language model's answers: which entries are words, which go on one, which is the mask. */
import { ModelError } from '../../core/errors.js';
import { isObject, type JsonObject } from '../../core/json.js';
import { readTokenizer } from './formats/read-tokenizer.js';
import { contentOf } from './formats/token-content.js';
import { type HfTokenizer, openTokenizer, spellingOf } from './hf-tokenizer.js';

/** Letters, with an apostrophe or hyphen inside. */
const WORD = /^\p{L}[\p{L}\p{M}]*(?:['’-][\p{L}\p{M}]+)*$/u;

export interface WordPieces {
  /** One more than the largest id. */
  readonly size: number;
  /** Undefined for a causal model. */
  readonly mask: { readonly id: number; readonly text: string } | undefined;
  /** Ids of entries that begin a word, with its space where the tokenizer keeps it there. */
  readonly begins: Int32Array;
  /** Ids of entries that go on a word. */
  readonly goesOn: Int32Array;
  /** The word that pieces spell, or undefined where they spell none. */
  word(ids: readonly number[]): string | undefined;
}

/** Reads the tokenizer of a folder; that of a causal model needs no mask. Throws ModelError TASK_MISMATCH where one is missing. */
export async function wordPieces(folder: string, causal = false): Promise<WordPieces> {
  const { definition, config, path } = await readTokenizer(folder);
  const tokenizer = openTokenizer(definition, config);
  const added = tokenizer.get_added_tokens_decoder();
  const text =
    contentOf(config.mask_token) ??
    [...added.values()].find(({ content }) => /^(?:\[MASK\]|<mask>)$/.test(content))?.content;
  const id = text === undefined ? undefined : tokenizer.token_to_id(text);
  const mask = text === undefined || id === undefined ? undefined : { id, text };
  if (mask === undefined && !causal)
    throw new ModelError(`${path}: expected the tokenizer of a masked language model, got one without a mask token`, {
      code: 'TASK_MISMATCH',
      hint: 'Name the folder of a model trained to fill gaps, such as an export of bert-base-uncased with its [MASK].',
    });
  const size = vocabularySize(definition, added.keys());
  const { begins, goesOn } = sortPieces(tokenizer, isSpaced(definition), size);
  return {
    size,
    mask: causal ? undefined : mask,
    begins,
    goesOn,
    word(ids) {
      const word = tokenizer.decode([...ids], { clean_up_tokenization_spaces: false }).trim();
      return WORD.test(word) ? word : undefined;
    },
  };
}

/** Ids may have gaps: the table must reach the last. */
function vocabularySize(definition: JsonObject, added: Iterable<number>): number {
  const vocabulary = (isObject(definition.model) ? definition.model.vocab : undefined) ?? {};
  const ids = Array.isArray(vocabulary) ? [vocabulary.length - 1] : Object.values(vocabulary as Record<string, number>);
  let last = -1;
  for (const id of [...ids, ...added]) last = Math.max(last, id);
  return last + 1;
}

/** Do pieces contain the space before them (GPT-2's bytes, SentencePiece), rather than mark its absence? */
function isSpaced(definition: JsonObject): boolean {
  return spellingOf(definition.pre_tokenizer) !== 'plain';
}

function sortPieces(tokenizer: HfTokenizer, spaced: boolean, size: number): { begins: Int32Array; goesOn: Int32Array } {
  const [begins, goesOn]: [number[], number[]] = [[], []];
  const added = tokenizer.get_added_tokens_decoder();
  const prefix = tokenizer.model.config.continuing_subword_prefix ?? '##';
  // "Ġ" is how GPT-2's bytes write a space, "▁" how SentencePiece does.
  const mark = /^[Ġ▁]/;
  const read = (piece: string): { bare: string; marked: boolean } => {
    if (spaced) return { bare: piece.replace(mark, ''), marked: mark.test(piece) };
    const marked = piece.startsWith(prefix);
    return { bare: piece.slice(marked ? prefix.length : 0), marked };
  };
  for (let id = 0; id < size; id++) {
    const piece = added.has(id) ? undefined : tokenizer.id_to_token(id);
    const { bare, marked } = read(piece ?? '');
    if (/^\p{L}/u.test(bare)) (marked === spaced ? begins : goesOn).push(id);
  }
  return { begins: Int32Array.from(begins), goesOn: Int32Array.from(goesOn) };
}
