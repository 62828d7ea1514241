/**
 * @file The tokenizer as Hugging Face files: BertNormalizer, lower-casing unless `cased`, BertPreTokenizer, WordPiece, [CLS] text [SEP].
 * A vocabulary of whole words only makes a word-level tokenizer of the same file: what is not in it becomes [UNK].
 */
import { Tokenizer } from '@huggingface/tokenizers';
import { CONTINUING, SPECIAL_TOKENS } from './vocabulary.js';

const NORMALIZER = {
  type: 'BertNormalizer',
  clean_text: true,
  handle_chinese_chars: true,
  strip_accents: null,
  lowercase: true,
} as const;
/** WordPiece gives up on longer words: they are [UNK] (BERT's reference tokenizer has the same bound). */
const MAX_WORD_CHARACTERS = 100;

/** Counts words as the tokenizer will split them, so that the vocabulary is learnt from what it will be applied to. */
export class WordCounter {
  readonly counts = new Map<string, number>();
  readonly #tokenizer: Tokenizer;

  constructor(cased = false) {
    this.#tokenizer = new Tokenizer(tokenizerJson(SPECIAL_TOKENS, cased), {});
  }

  add(text: string): void {
    const normal = this.#tokenizer.normalizer?.normalize(text) ?? text;
    for (const word of this.#tokenizer.pre_tokenizer?.pre_tokenize(normal) ?? []) {
      if (word.length <= MAX_WORD_CHARACTERS) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
    }
  }
}

/** Counts the code points of lower-cased texts. */
export class CharacterCounter implements Pick<WordCounter, 'add' | 'counts'> {
  readonly counts = new Map<string, number>();

  add(text: string): void {
    for (const character of text.toLowerCase()) this.counts.set(character, (this.counts.get(character) ?? 0) + 1);
  }
}

/** The content of tokenizer.json for a vocabulary of characters: one token for each code point of the lower-cased text, blanks included. */
export const characterTokenizerJson = (vocabulary: readonly string[]): object => ({
  ...tokenizerJson(vocabulary),
  // A text that spells "[MASK]" is read as these six characters.
  added_tokens: [],
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Split', pattern: { Regex: '[\\s\\S]' }, behavior: 'Isolated', invert: false },
});

/** The content of tokenizer.json for a vocabulary in id order. */
export function tokenizerJson(vocabulary: readonly string[], cased = false): object {
  const special = (token: string) => ({ SpecialToken: { id: token, type_id: 0 } });
  const sequence = (id: string, type: number) => ({ Sequence: { id, type_id: type } });
  const named = (token: string) => ({ id: token, ids: [vocabulary.indexOf(token)], tokens: [token] });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL_TOKENS.map((content) => ({
      id: vocabulary.indexOf(content),
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: { ...NORMALIZER, lowercase: !cased },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]'), sequence('A', 0), special('[SEP]')],
      pair: [
        special('[CLS]'),
        sequence('A', 0),
        special('[SEP]'),
        sequence('B', 1),
        { SpecialToken: { id: '[SEP]', type_id: 1 } },
      ],
      special_tokens: { '[CLS]': named('[CLS]'), '[SEP]': named('[SEP]') },
    },
    decoder: { type: 'WordPiece', prefix: CONTINUING, cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: CONTINUING,
      max_input_chars_per_word: MAX_WORD_CHARACTERS,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
    },
  };
}

/** The content of tokenizer_config.json; `tokenizerClass` is the Hugging Face class that reads the vocabulary. */
export function tokenizerConfig(tokenizerClass: string, maxTokens: number, cased = false): object {
  return {
    tokenizer_class: tokenizerClass,
    do_lower_case: !cased,
    model_max_length: maxTokens,
    unk_token: '[UNK]',
    sep_token: '[SEP]',
    pad_token: '[PAD]',
    cls_token: '[CLS]',
    mask_token: '[MASK]',
  };
}
