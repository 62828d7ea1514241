/** @file Hugging Face tokenizers (tokenizer.json): texts to ids, by @huggingface/tokenizers; truncation and spans are ours. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ModelError } from '../core/errors.js';
import { chunkEncoder, isLocal } from './chunks.js';
import type { Encoded, Encoder } from './encoder.js';
import { type HfTokenizer, isByteLevel, openTokenizer } from './hf-tokenizer.js';
import { readJsonObject } from './json-file.js';
import { spanFinder } from './spans.js';

interface TokenizerLimits {
  /** Most ids per text, special ones included. */
  readonly maximum: number;
  /** Ids per text where the graph fixes it: shorter texts are filled up with `padId`. */
  readonly length: number | undefined;
  readonly padId: number;
}

/**
 * The encoder of a model folder. The file's own truncation and padding are ignored: the former follows `maximum` and keeps
 * the closing special tokens, the latter is never needed. Throws ModelError (TOKENIZER_INVALID).
 */
export async function tokenizerEncoder(folder: string, { maximum, length, padId }: TokenizerLimits): Promise<Encoder> {
  const path = join(folder, 'tokenizer.json');
  const definition = await readJsonObject(path);
  const configPath = join(folder, 'tokenizer_config.json');
  const config = existsSync(configPath) ? await readJsonObject(configPath) : {};
  const tokenizer = open(definition, config, path);
  const { prefix, suffix } = specialTokens(tokenizer, path);
  const room = maximum - prefix.length - suffix.length;
  if (room < 1) {
    throw invalid(path, `the model takes ${maximum} tokens, of which ${prefix.length + suffix.length} are special`);
  }
  const whole = (text: string): readonly number[] => {
    const { ids } = guarded(path, () => tokenizer.encode(text, { add_special_tokens: false }));
    if (ids.every(isId)) return ids;
    const [wrong] = ids.filter((id) => !isId(id));
    if (wrong !== undefined) throw invalid(path, `it gives a part of a text the id ${wrong}`);
    throw invalid(path, 'it has no id for a part of a text, and no unknown token');
  };
  const fromLeft = config.truncation_side === 'left';
  const ids: (text: string) => ArrayLike<number> = isLocal(definition, config)
    ? chunkEncoder(whole, fromLeft ? Number.POSITIVE_INFINITY : room)
    : whole;
  const spans = guarded(path, () => spanFinder(tokenizer, isByteLevel(definition.pre_tokenizer)));

  return {
    kind: 'tokenizer',
    maximum,
    encode(text): Encoded {
      const content = ids(text);
      const kept = Math.min(content.length, room);
      const used = prefix.length + kept + suffix.length;
      const out = new Int32Array(length ?? used);
      if (length !== undefined) out.fill(padId, used);
      out.set(prefix);
      const from = fromLeft ? content.length - kept : 0;
      for (let at = 0; at < kept; at++) out[prefix.length + at] = content[from + at] as number;
      out.set(suffix, prefix.length + kept);
      return { ids: out, truncated: content.length > room };
    },
    tokens(text) {
      const all = guarded(path, () => spans(text));
      const content = fromLeft ? all.slice(Math.max(0, all.length - room)) : all.slice(0, room);
      const [start, end] = [content[0]?.start ?? 0, content.at(-1)?.end ?? 0];
      const special = (id: number, at: number) => ({ id, start: at, end: at, special: true });
      const used = prefix.length + content.length + suffix.length;
      return [
        ...prefix.map((id) => special(id, start)),
        ...content,
        ...suffix.map((id) => special(id, end)),
        ...Array.from({ length: (length ?? used) - used }, () => special(padId, end)),
      ];
    },
    tokenText: (id) => textOf(tokenizer, id),
    words: () => wordsOf(definition),
  };
}

function open(definition: Record<string, unknown>, config: Record<string, unknown>, path: string): HfTokenizer {
  const vocabulary: unknown = (definition.model as { vocab?: unknown } | undefined)?.vocab;
  if (typeof vocabulary === 'object' && vocabulary !== null && !Array.isArray(vocabulary)) {
    const wrong = Object.entries(vocabulary).find(([, id]) => !Number.isInteger(id) || id < 0);
    if (wrong) throw invalid(path, `expected an id for every token, got ${JSON.stringify(wrong[1])} for "${wrong[0]}"`);
  }
  return guarded(path, () => openTokenizer(definition, config));
}

/** The library trusts its files: whatever it throws is the file's fault. */
function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw invalid(path, (cause as Error).message, cause);
  }
}

/** What the post-processor puts around a text. Found by giving it one token no vocabulary holds. */
function specialTokens(tokenizer: HfTokenizer, path: string): { prefix: number[]; suffix: number[] } {
  const marker = '\u0000';
  const around = guarded(path, () => tokenizer.post_processor?.post_process([marker], null, true).tokens) ?? [marker];
  const at = around.indexOf(marker);
  const ids = around.map((token) => (token === marker ? 0 : tokenizer.token_to_id(token)));
  if (at < 0 || !ids.every(isId)) {
    throw invalid(path, 'its post-processor names special tokens the vocabulary lacks, or drops the text');
  }
  return { prefix: ids.slice(0, at), suffix: ids.slice(at + 1) };
}

/** A row of an embedding table: what fits the int32 that ids are kept in. */
const isId = (id: number | undefined): id is number => id !== undefined && id >= 0 && (id | 0) === id;

/** Byte-level and SentencePiece vocabularies mark what begins a word, WordPiece what goes on; others mark neither. */
function wordsOf({ model }: Record<string, unknown>): string[] {
  const { vocab, continuing_subword_prefix: inner } = (model ?? {}) as Record<string, unknown>;
  const entries: [string, number][] = Array.isArray(vocab)
    ? vocab.map((entry, id) => [String((entry as unknown[])[0]), id])
    : Object.entries((vocab ?? {}) as Record<string, number>).sort(([, a], [, b]) => a - b);
  const marked = entries.some(([piece]) => /^[\u0120\u2581]./.test(piece));
  return entries.flatMap(([piece]) => {
    if (marked) return /^[\u0120\u2581]./.test(piece) ? [piece.slice(1)] : [];
    return typeof inner === 'string' && inner !== '' && piece.startsWith(inner) ? [] : [piece];
  });
}

function textOf(tokenizer: HfTokenizer, id: number): string | undefined {
  const token = tokenizer.id_to_token(id);
  if (token === undefined || tokenizer.get_added_tokens_decoder().get(id)?.special) return undefined;
  return tokenizer.decode([id], { clean_up_tokenization_spaces: false });
}

function invalid(path: string, what: string, cause?: unknown): ModelError {
  return new ModelError(`${path}: not a tokenizer that can be used: ${what}`, {
    code: 'TOKENIZER_INVALID',
    hint: 'Save the tokenizer again with save_pretrained from a current transformers release.',
    cause,
  });
}
