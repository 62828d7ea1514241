/** @file A language model as an ONNX file, guessing words for gaps in texts: a masked one from both sides, a causal one from what stands before. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isCausal } from '../../../packages/onnx/src/convert/task.js';
import { closingOnError } from '../../core/closing-stack.js';
import { ModelError, must } from '../../core/errors.js';
import type { FillMask, Gap, Guess } from '../../core/fill-mask.js';
import { locate } from '../load.js';
import type { LoadOptions } from '../loaded-model.js';
import { readJsonObject } from '../opening/json-file.js';
import { type OpenGraph, openGraph } from '../opening/open-graph.js';
import { SAMPLES } from '../opening/probe.js';
import type { Encoder } from '../tokens/encoder.js';
import { tokenizerEncoder } from '../tokens/tokenizer.js';
import { type WordPieces, wordPieces } from '../tokens/word-pieces.js';
import { type InferenceQueue, inferenceQueue } from '../workers/queue.js';

/** Texts per run: every one of their tokens is answered with a number for each entry of the vocabulary. */
const BATCH = 4;
/** Numbers the answers of one batch may hold: 64 MB. */
const MAX_ANSWER_VALUES = 1 << 24;
/** Maximum pieces of a word to guess again if the model sees the word; longer words are names and numbers. */
const MAX_PIECES = 4;

export interface MaskedLanguageModel extends FillMask {
  /** SHA-256, hex, over its files. */
  readonly sha256: string;
  /** The files it covers, the model file first. */
  readonly paths: readonly string[];
  /** As of LoadedModel. */
  readonly pinned?: string | undefined;
  close(): Promise<void>;
}

/**
 * Opens the model of `--language en:mlm=FOLDER`: a folder in Hugging Face layout whose graph outputs [batch, tokens, vocabulary]; causal if
 * its config.json says ...ForCausalLM or ...LMHeadModel. Its vocabulary may differ from the victim's, because its guesses are inserted as
 * text. Throws ModelError TASK_MISMATCH for any other model.
 */
export async function openMaskedLanguageModel(spec: string, options: LoadOptions = {}): Promise<MaskedLanguageModel> {
  const source = await locate(spec, options, 'masked');
  if (source.kind !== 'onnx') {
    throw noMaskedModel(`expected a masked language model as an ONNX file, got the file ${spec}`);
  }
  const graph = await openGraph(source, { ...options, batchSize: BATCH });
  return closingOnError(graph.pool, async () => {
    const { folder, input, padId } = graph.description;
    if (input.kind !== 'tokenizer')
      throw noMaskedModel(`${folder}: expected a model with a tokenizer.json, got one without`);
    const causal = await saysCausal(folder);
    const pieces = await wordPieces(folder, causal);
    const columns = vocabularyOf(graph, pieces);
    const ids = Math.max(1, Math.floor(MAX_ANSWER_VALUES / columns));
    const queue = inferenceQueue(graph.pool, graph.wiring, undefined, { ...graph.size, ids });
    // Texts are cut round the gap, not at their end.
    const whole = await tokenizerEncoder(folder, { maximum: Number.POSITIVE_INFINITY, padId, length: undefined });
    const guesser = new Guesser(queue, pieces, whole, graph, padId);
    return {
      name: `${causal ? 'causal' : 'masked'} language model ${graph.description.name}`,
      sha256: graph.sha256,
      paths: graph.paths,
      pinned: source.pinned,
      guess: (gaps, limit) => Promise.all(gaps.map((gap) => guesser.guess(gap, limit))),
      close: () => graph.pool.close(),
    };
  });
}

async function saysCausal(folder: string): Promise<boolean> {
  const path = join(folder, 'config.json');
  return existsSync(path) && isCausal(await readJsonObject(path));
}

const noMaskedModel = (message: string): ModelError =>
  new ModelError(message, {
    code: 'TASK_MISMATCH',
    hint: 'Export one with: optimum-cli export onnx --task fill-mask -m distilbert-base-uncased FOLDER',
  });

/** Columns a token of the graph's answer. Throws ModelError where they are no vocabulary, or another than the tokenizer's. */
function vocabularyOf({ description, encoder, probed, wiring }: OpenGraph, { size }: WordPieces): number {
  const tokens = encoder.encode(SAMPLES[0]).ids.length;
  const columns = probed.width / tokens;
  const output = `${description.model}: output "${wiring.output}"`;
  if (!Number.isInteger(columns) || columns < 2)
    throw noMaskedModel(
      `${output}: expected a number for each token and each vocabulary entry, got ${probed.width} numbers for ${tokens} tokens`,
    );
  if (columns < size)
    throw noMaskedModel(
      `${output}: expected at least ${size} numbers a token, one for each entry of its tokenizer, got ${columns}`,
    );
  return columns;
}

interface GapTokens {
  readonly ids: Int32Array;
  /** Where the gap's pieces are among the ids. */
  readonly at: readonly number[];
}

class Guesser {
  readonly #queue: InferenceQueue;
  readonly #pieces: WordPieces;
  /** Without a maximum. */
  readonly #encoder: Encoder;
  readonly #maximum: number;
  readonly #fixed: number | undefined;
  readonly #padId: number;
  /** Special tokens before and behind every text. */
  readonly #prefix: number;
  readonly #suffix: number;
  /** Entries that are words by themselves. */
  readonly #words: { readonly ids: Int32Array; readonly texts: readonly string[] };

  constructor(queue: InferenceQueue, pieces: WordPieces, whole: Encoder, graph: OpenGraph, padId: number) {
    this.#queue = queue;
    this.#pieces = pieces;
    this.#encoder = whole;
    this.#maximum = graph.encoder.maximum;
    this.#fixed = graph.wiring.fixedLength;
    this.#padId = padId;
    const frame = whole.tokens('a');
    this.#prefix = frame.findIndex(({ special }) => !special);
    this.#suffix = frame.length - 1 - frame.findLastIndex(({ special }) => !special);
    const texts = [...pieces.begins].map((id) => pieces.word([id]));
    const known = texts.flatMap((text, at) => (text === undefined ? [] : [at]));
    this.#words = {
      ids: Int32Array.from(known, (at) => pieces.begins[at]!),
      texts: known.map((at) => must(texts[at])),
    };
  }

  async guess(gap: Gap, limit: number): Promise<Guess[]> {
    const { ids, at } = this.#place(gap);
    const rows = await Promise.all(at.map((place) => this.#queue.ask({ ids, at: place })));
    const [first] = rows;
    if (first === undefined) return [];
    if (rows.length === 1) {
      const { ids: words, texts } = this.#words;
      return best(first, words, limit).map(({ at, probability }) => ({ word: must(texts[at]), probability }));
    }
    return this.#spell(rows, limit);
  }

  /**
   * The most probable words of the same number of pieces. The pieces are treated as independent, because there is only one forward pass.
   */
  #spell(rows: readonly Float32Array[], limit: number): Guess[] {
    let spelt: { ids: number[]; probability: number }[] = [{ ids: [], probability: 1 }];
    rows.forEach((row, place) => {
      const entries = place === 0 ? this.#pieces.begins : this.#pieces.goesOn;
      const next = best(row, entries, limit);
      spelt = spelt
        .flatMap(({ ids, probability }) =>
          next.map((piece) => ({ ids: [...ids, entries[piece.at]!], probability: probability * piece.probability })),
        )
        .sort((a, b) => b.probability - a.probability)
        .slice(0, limit);
    });
    return spelt.flatMap(({ ids, probability }) => {
      const word = this.#pieces.word(ids);
      return word === undefined ? [] : [{ word, probability }];
    });
  }

  /** The ids of a text with its gap masked, or its word seen; of a long text those around it. */
  #place({ left, right, seen }: Gap): GapTokens {
    if (this.#pieces.mask === undefined) return this.#before(left);
    const { id: mask, text } = this.#pieces.mask;
    let ids: Int32Array;
    let at: number[] = [];
    if (seen === undefined) {
      ids = this.#encoder.encode(`${left}${text}${right}`).ids;
      // The text may itself contain the mask token.
      const before = count(this.#encoder.encode(left).ids, mask);
      for (let place = 0, masks = 0; place < ids.length; place++) {
        if (ids[place] === mask && masks++ === before) at = [place];
      }
    } else {
      const [start, end] = [left.length, left.length + seen.length];
      const tokens = this.#encoder.tokens(`${left}${seen}${right}`);
      ids = Int32Array.from(tokens, ({ id }) => id);
      tokens.forEach((token, place) => {
        if (!token.special && token.end > start && token.start < end) at.push(place);
      });
      if (at.length > MAX_PIECES) at = [];
    }
    return this.#pad(this.#around({ ids, at }));
  }

  /** The ids of what stands before a gap, and the last of them, which predicts the word; of a long text the last ones. */
  #before(left: string): GapTokens {
    const all = this.#encoder.encode(left.trimEnd()).ids;
    const end = all.length - this.#suffix;
    const room = Math.max(1, this.#maximum - this.#prefix);
    const ids = [...all.subarray(0, this.#prefix), ...all.subarray(Math.max(this.#prefix, end - room), end)];
    return this.#pad({ ids: Int32Array.from(ids), at: ids.length === 0 ? [] : [ids.length - 1] });
  }

  #around({ ids, at }: GapTokens): GapTokens {
    const [first, last] = [at[0], at.at(-1)];
    if (ids.length <= this.#maximum || first === undefined || last === undefined) return { ids, at };
    const room = Math.max(1, this.#maximum - this.#prefix - this.#suffix);
    const end = ids.length - this.#suffix;
    const middle = Math.floor((first + last + 1) / 2);
    const from = Math.max(this.#prefix, Math.min(end - room, middle - Math.floor(room / 2)));
    const kept = [...ids.subarray(0, this.#prefix), ...ids.subarray(from, from + room), ...ids.subarray(end)];
    const places = at.map((place) => place - from + this.#prefix);
    return { ids: Int32Array.from(kept), at: places.filter((place) => place < kept.length - this.#suffix) };
  }

  #pad({ ids, at }: GapTokens): GapTokens {
    if (this.#fixed === undefined || ids.length >= this.#fixed) return { ids, at };
    const filled = new Int32Array(this.#fixed).fill(this.#padId);
    filled.set(ids);
    return { ids: filled, at };
  }
}

function count(ids: Int32Array, wanted: number): number {
  let found = 0;
  for (const id of ids) if (id === wanted) found++;
  return found;
}

/** The `limit` entries of the largest logits, best first, ties to the earlier; probabilities are among all entries. */
function best(row: Float32Array, entries: Int32Array, limit: number): { at: number; probability: number }[] {
  let highest = Number.NEGATIVE_INFINITY;
  for (let id = 0; id < row.length; id++) highest = Math.max(highest, row[id]!);
  let sum = 0;
  for (let id = 0; id < row.length; id++) sum += Math.exp(row[id]! - highest);
  const found: { at: number; logit: number }[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < entries.length; at++) {
    const logit = row[entries[at]!]!;
    if (found.length >= limit && logit <= least) continue;
    let place = found.length;
    while (place > 0 && (found[place - 1] as { logit: number }).logit < logit) place--;
    found.splice(place, 0, { at, logit });
    if (found.length > limit) found.pop();
    least = found.at(-1)?.logit ?? least;
  }
  return found.map(({ at, logit }) => ({ at, probability: Math.exp(logit - highest) / sum }));
}
