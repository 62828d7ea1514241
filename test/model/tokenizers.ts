/** Small tokenizers of the families that BERT's is not one of, in the format of tokenizer.json. */
import { BYTE_CHARACTERS } from '../../src/model/tokens/locate-word.js';

const words = ['the', 'film', 'is', 'good', 'not', 'bad', 'idiot', 'un', 'believ', 'able', 'ing', '中文', 'é', '👍'];

/** GPT-2's spelling of bytes as characters. */
const bytesAsText = (text: string): string => Array.from(Buffer.from(text), (byte) => BYTE_CHARACTERS[byte]).join('');

/** The merges that build each word letter by letter from its start. */
function merges(units: readonly string[]): [string, string][] {
  const all = new Map<string, [string, string]>();
  for (const unit of units) {
    const letters = Array.from(unit);
    for (let at = 1; at < letters.length; at++) {
      const left = letters.slice(0, at).join('');
      all.set(`${left} ${letters[at]}`, [left, letters[at]!]);
    }
  }
  return [...all.values()];
}

const special = (id: number, content: string) => ({
  id,
  content,
  single_word: false,
  lstrip: content === '<mask>',
  rstrip: false,
  normalized: false,
  special: true,
});

const specials = ['<s>', '<pad>', '</s>', '<unk>', '<mask>'];

/** RoBERTa: byte-level BPE, a space belongs to the word after it. */
export function roberta(addPrefixSpace: boolean): Record<string, unknown> {
  const rules = merges([...words.map((word) => ` ${word}`), ...words].map(bytesAsText));
  const vocabulary = [...new Set([...specials, ...BYTE_CHARACTERS, ...rules.map((pair) => pair.join(''))])];
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specials.map((content, id) => special(id, content)),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: addPrefixSpace, trim_offsets: true, use_regex: true },
    post_processor: {
      type: 'RobertaProcessing',
      sep: ['</s>', 2],
      cls: ['<s>', 0],
      trim_offsets: true,
      add_prefix_space: addPrefixSpace,
    },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
      merges: rules.map((pair) => pair.join(' ')),
    },
  };
}

/** XLM-RoBERTa, ALBERT: a unigram model over text whose spaces are visible. */
export function unigram(): Record<string, unknown> {
  const pieces = [
    ...words.flatMap((word) => [word, `\u2581${word}`]),
    '\u2581',
    ...'abcdefghijklmnopqrstuvwxyz.!?,',
  ].map((piece, rank): [string, number] => [piece, -2 - rank / 7 + (piece.length > 1 ? 1 : -4)]);
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specials.map((content, id) => special(id, content)),
    normalizer: {
      type: 'Sequence',
      normalizers: [{ type: 'NFKC' }, { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' }],
    },
    pre_tokenizer: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '<s>', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '</s>', type_id: 0 } },
      ],
      pair: [],
      special_tokens: {
        '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] },
        '</s>': { id: '</s>', ids: [2], tokens: ['</s>'] },
      },
    },
    decoder: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true },
    model: {
      type: 'Unigram',
      unk_id: 3,
      vocab: [...specials.map((token) => [token, 0]), ...pieces],
      byte_fallback: false,
    },
  };
}

/** Whole words only. */
export function wordLevel(): Record<string, unknown> {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specials.map((content, id) => special(id, content)),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordLevel',
      unk_token: '<unk>',
      vocab: Object.fromEntries([...specials, ...words].map((token, id) => [token, id])),
    },
  };
}
