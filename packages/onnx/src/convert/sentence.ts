/**
 * @file The modules that sentence-transformers puts behind an encoder (Reimers and Gurevych, EMNLP 2019): pooling, dense layers, a
 * norm. modules.json lists them, each in a folder of its own.
 */
import { existsSync } from 'node:fs';
import { basename, isAbsolute, join, normalize } from 'node:path';
import { must, OnnxError } from '../errors.js';
import { DataType } from '../graph/data-type.js';
import { Tensor } from '../graph/tensor.js';
import { transpose } from '../graph/transposed.js';
import { isObject, type JsonObject } from '../json.js';
import { readFileSync } from '../read-file.js';
import { activated } from './blocks/activation.js';
import { places } from './blocks/attention.js';
import { lastPlace, tokenAt } from './blocks/heads.js';
import { openCheckpoint } from './checkpoint/open.js';
import { damaged, parseCheckpointJson } from './checkpoint/stored-tensor.js';
import { ModelConfig } from './config.js';
import type { Drawing } from './drawing.js';
import { firstToken, meanToken } from './family.js';
import { ENCODER_FILE, MODULES_FILE, PROMPTS_FILE } from './sentence-files.js';
import { CheckpointWeights } from './weights.js';

interface SentenceModule {
  /** "Pooling" */
  readonly kind: string;
  /** Absolute. */
  readonly folder: string;
}

/** Modules after the encoder, and every file that they are built from, as absolute paths. */
export interface SentenceModules {
  readonly modules: readonly SentenceModule[];
  readonly files: readonly string[];
  /** How texts reach the tokenizer. */
  readonly reading: SentenceReading;
}

export interface SentenceReading {
  /** Maximum tokens of a text, including special ones, whatever the tokenizer's limit; absent if unspecified. */
  readonly maximum?: number;
  /** Texts are put in lower case, whatever the tokenizer does. */
  readonly lowercase?: boolean;
}

const KINDS = ['Transformer', 'Pooling', 'Dense', 'Normalize'];
const INSTEAD = 'Train on the encoder alone: leave modules.json out of the folder.';

/** The modules that modules.json names, with their folders relative to it. Throws OnnxError. */
export function moduleFolders(path: string): { readonly kind: string; readonly folder: string }[] {
  const listed = json(path);
  if (!Array.isArray(listed)) throw damaged(path, 'modules that are no list');
  return listed.map((each) => {
    const { type, path: folder = '' } = isObject(each) ? each : {};
    const kind = typeof type === 'string' ? type.slice(type.lastIndexOf('.') + 1) : '';
    if (typeof folder !== 'string' || isAbsolute(folder) || normalize(folder).startsWith('..'))
      throw damaged(path, `a module at ${JSON.stringify(folder)?.slice(0, 100)}`);
    return { kind, folder };
  });
}

/** Modules of an encoder; undefined if it is not from sentence-transformers. Throws OnnxError. */
export function sentenceModules(folder: string): SentenceModules | undefined {
  const path = join(folder, MODULES_FILE);
  if (!existsSync(path)) return undefined;
  const listed = moduleFolders(path);
  const unknown = listed.find(({ kind }, at) => !KINDS.includes(kind) || (at === 0) !== (kind === 'Transformer'));
  if (unknown !== undefined || listed[0]?.folder !== '' || listed[1]?.kind !== 'Pooling')
    throw unsupported(
      path,
      'a Transformer in this folder, then Pooling, Dense and Normalize',
      listed.map(({ kind, folder: at }) => (at === '' ? kind : `${kind} (${at})`)).join(', ') || 'none',
    );
  const modules = listed.slice(1).map(({ kind, folder: at }) => ({ kind, folder: join(folder, at) }));
  const files = modules.flatMap(({ kind, folder: at }) => {
    if (kind === 'Normalize') return [];
    return [join(at, 'config.json'), ...(kind === 'Dense' ? openCheckpoint(at).files : [])];
  });
  const encoder = join(folder, ENCODER_FILE);
  checkPrompt(join(folder, PROMPTS_FILE));
  if (!existsSync(encoder)) return { modules, files: [path, ...files], reading: {} };
  return { modules, files: [path, ...files, encoder], reading: readingIn(encoder) };
}

/** Throws where each text is put behind a prompt of the encoder's. */
function checkPrompt(path: string): void {
  const config = existsSync(path) ? json(path) : undefined;
  const name = isObject(config) ? (config.default_prompt_name ?? undefined) : undefined;
  if (name !== undefined) throw unsupported(path, 'no default_prompt_name', JSON.stringify(name).slice(0, 100));
}

function readingIn(path: string): SentenceReading {
  const config = new ModelConfig(objectIn(path), path, {}, INSTEAD);
  config.only('transformer_task', 'feature-extraction');
  config.only('module_output_name', 'token_embeddings');
  for (const key of ['processing_kwargs', 'query_length', 'document_length', 'query_expansion']) config.only(key);
  return {
    ...(config.has('max_seq_length') && { maximum: config.size('max_seq_length') }),
    lowercase: config.flag('do_lower_case', false),
  };
}

/** The embedding of each text [batch, width] of the hidden states [batch, sequence, width], and its width. Throws OnnxError. */
export function sentenceEmbedding(
  d: Drawing,
  hidden: string,
  width: number,
  { modules }: SentenceModules,
): { readonly name: string; readonly width: number } {
  let x = { name: hidden, width };
  for (const [at, { kind, folder }] of modules.entries()) {
    const path = join(folder, 'config.json');
    if (kind === 'Normalize') {
      x = { name: normalise(d, x.name), width: x.width };
      continue;
    }
    const config = new ModelConfig(objectIn(path), path, {}, INSTEAD);
    if (kind === 'Pooling' && at > 0) throw unsupported(path, 'one Pooling', 'several');
    x = kind === 'Dense' ? dense(d, x, config, folder) : pool(d, hidden, width, config);
  }
  return x;
}

/** Numbers from this on are as good as none: what sentence-transformers writes over padding before a maximum. */
const NONE = -1e9;

/** The ways of pooling by their names, in the order in which several keys of before sentence-transformers 5.4 are joined. */
const POOLINGS: Readonly<Record<string, (d: Drawing, hidden: string) => string>> = {
  cls: firstToken,
  max(d, hidden) {
    const there = d.g.unsqueeze(d.g.cast(d.mask, DataType.bool), [2]);
    const kept = d.g.where(there, hidden, d.g.float(NONE));
    return d.g.reduce('ReduceMax', kept, [1], false);
  },
  mean: meanToken,
  // sum / sqrt(n) = mean sqrt(n)
  mean_sqrt_len_tokens: (d, hidden) => d.g.mul(meanToken(d, hidden), d.g.op('Sqrt', [counts(d)])),
  // The second token counts twice, the third three times.
  weightedmean(d, hidden) {
    const order = floats(d, d.g.add(places(d), d.g.int(1)));
    const weights = d.g.mul(order, floats(d, d.mask)); // [batch, sequence]
    const sum = d.g.matmul(d.g.unsqueeze(weights, [1]), hidden);
    const all = d.g.sum(weights, [1]);
    return d.g.div(d.g.squeeze(sum, [1]), all);
  },
  lasttoken: (d, hidden) => tokenAt(d, hidden, lastPlace(d, d.g.op('Greater', [d.mask, d.g.int(0)]))),
};

/** The keys that asked for them before `pooling_mode` did. */
const KEY_OF: Readonly<Record<string, string>> = {
  cls: 'pooling_mode_cls_token',
  max: 'pooling_mode_max_tokens',
  mean: 'pooling_mode_mean_tokens',
  mean_sqrt_len_tokens: 'pooling_mode_mean_sqrt_len_tokens',
  weightedmean: 'pooling_mode_weightedmean_tokens',
  lasttoken: 'pooling_mode_lasttoken',
};

const floats = (d: Drawing, x: string): string => d.g.cast(x, DataType.float);

/** Tokens of each text, [batch, 1]. */
const counts = (d: Drawing): string => d.g.sum(floats(d, d.mask), [1]);

function pool(d: Drawing, hidden: string, width: number, config: ModelConfig) {
  const widths = ['embedding_dimension', 'word_embedding_dimension'];
  const known = [...widths, 'include_prompt', 'pooling_mode', ...Object.values(KEY_OF)];
  const other = config.keys().find((key) => !known.includes(key));
  if (other !== undefined) throw config.refuse(other, 'no such key');
  for (const key of widths)
    if (config.size(key, width) !== width) throw config.refuse(key, `the width of the encoder, ${width}`);
  const modes = modesOf(config);
  const parts = modes.map((mode) => must(POOLINGS[mode])(d, hidden));
  const name = parts.length === 1 ? must(parts[0]) : d.g.op('Concat', parts, { axis: 1 });
  return { name, width: parts.length * width };
}

/** One name or several, else the keys that are true. */
function modesOf(config: ModelConfig): readonly string[] {
  const named = config.raw('pooling_mode');
  const modes =
    named === undefined
      ? Object.keys(POOLINGS).filter((mode) => config.flag(must(KEY_OF[mode]), false))
      : [named].flat();
  if (modes.length > 0 && modes.every((mode) => Object.hasOwn(POOLINGS, String(mode)))) return modes as string[];
  throw config.refuse('pooling_mode', `ways of pooling: ${Object.keys(POOLINGS).join(', ')}`);
}

const FUNCTIONS: Readonly<Record<string, (d: Drawing, x: string) => string>> = {
  Identity: (_, x) => x,
  Tanh: (d, x) => d.g.op('Tanh', [x]),
  ReLU: (d, x) => d.g.op('Relu', [x]),
  Sigmoid: (d, x) => d.g.op('Sigmoid', [x]),
  GELU: (d, x) => activated(d.g, x, 'gelu'),
};

function dense(d: Drawing, x: { name: string; width: number }, config: ModelConfig, folder: string) {
  for (const key of ['module_input_name', 'module_output_name']) config.only(key, 'sentence_embedding');
  config.only('use_residual', false);
  const [from, to] = [config.size('in_features'), config.size('out_features')];
  if (from !== x.width) throw config.refuse('in_features', `the width of what comes in, ${x.width}`);
  const called = config.has('activation_function') ? config.text('activation_function') : 'Tanh';
  const act = FUNCTIONS[called.slice(called.lastIndexOf('.') + 1)];
  if (act === undefined) throw config.refuse('activation_function', Object.keys(FUNCTIONS).join(', '));
  const { tensors, files } = openCheckpoint(folder);
  const weights = new CheckpointWeights(tensors, { path: must(files[0]), prefix: 'linear' });
  const stored = weights.take('linear.weight', [to, from]);
  const bias = config.flag('bias', true) ? weights.take('linear.bias', [to]) : undefined;
  weights.finish([]);
  const named = (leaf: string, dims: readonly number[], read: () => Float32Array) =>
    d.g.shared(new Tensor({ name: `${basename(folder)}.linear.${leaf}`, type: DataType.float, dims, read }));
  const matrix = named('weight', [from, to], () => transpose(stored.read(), to, from));
  const product = d.g.matmul(x.name, matrix);
  return { name: act(d, bias ? d.g.add(product, named('bias', [to], bias.read)) : product), width: to };
}

/** x / max(the root of its sum of squares, 1e-12), as PyTorch's normalize. */
export function normalise(d: Drawing, x: string): string {
  const length = d.g.reduce('ReduceL2', x, [1]);
  return d.g.div(x, d.g.op('Max', [length, d.g.float(1e-12)]));
}

function json(path: string): unknown {
  if (existsSync(path)) return parseCheckpointJson(path, readFileSync(path, 'utf8'));
  throw new OnnxError(`${path}: expected a file of the encoder, found none`, {
    code: 'MODEL_DAMAGED',
    hint: 'Fetch all files of the encoder, with the folders that modules.json names.',
  });
}

function objectIn(path: string): JsonObject {
  const value = json(path);
  if (isObject(value)) return value;
  throw damaged(path, 'JSON that is not an object');
}

const unsupported = (path: string, expected: string, got: string): OnnxError =>
  new OnnxError(`${path}: expected ${expected}, got ${got}`, { code: 'MODEL_UNSUPPORTED', hint: INSTEAD });
