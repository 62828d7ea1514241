/** @file Result of every way of loading: a classifier with a cache that knows its origin. */
import type { Approximation, Classifier } from '../core/classifier.js';
import type { DecisionRule } from '../core/decision.js';
import type { EndpointCounts, EndpointFacts } from '../core/endpoint.js';
import { ModelError } from '../core/errors.js';
import type { OutputReading, TagReading } from '../core/output-reading.js';
import type { TimeLimit } from '../core/patience.js';
import type { TagObserver } from '../core/tags/evidence.js';
import type { TextLimit } from '../core/text-limit.js';
import type { RemoteAccess } from '../remote/index.js';
import { CachedClassifier } from './classifiers/cached.js';
import type { ModuleInside } from './classifiers/module-inside.js';
import type { WindowsChoice } from './classifiers/windows.js';
import type { HubOptions } from './hub/options.js';
import type { GuardOptions } from './opening/guard.js';
import type { WrittenColumns, WrittenDecision } from './opening/manifest.js';
import type { OutputRule } from './output/activation.js';
import type { Encoder } from './tokens/encoder.js';
import type { Wiring } from './workers/feeds.js';

interface RemoteOptions extends RemoteAccess {
  /** A file with answers of an earlier session, which is continued. */
  readonly answers?: string | undefined;
  /** "name: value", beside those of its description. */
  readonly headers?: readonly string[] | undefined;
  /** As in its description. */
  readonly rate?: string | undefined;
  /** System prompt of a chat model: a file, or the text itself. */
  readonly prompt?: string | undefined;
  onDetail?(line: string): void;
}

export interface LoadOptions {
  /** Workers, each with a copy of the weights. @default the cores this process may use; minimum 1 */
  readonly workers?: number | undefined;
  /** Most texts per run. @default 16; minimum 1 */
  readonly batchSize?: number;
  /**
   * int8: also answer as an approximation in 8 bits. auto: as in its robust.json; else int8 for a model that is quantised by whole batches,
   * so must run each text alone, if the approximation is faster. @default fp32, only the model itself
   */
  readonly precision?: 'fp32' | 'int8' | 'auto' | undefined;
  /** Where searches ask the model: cpu, auto, cuda[:i], webgpu, dml[:i] or coreml. On another device than the processor it answers as an approximation. @default cpu */
  readonly device?: string | undefined;
  /** The device belongs to other machines: it is not tested here and only opened on use. @default false */
  readonly deviceElsewhere?: boolean | undefined;
  /** Compute what texts share once, in a causal model drawn from its checkpoint: up to 256 MB of keys and values a worker. @default true */
  readonly reuse?: boolean | undefined;
  /** Also offer logits, if the model has them. @default false */
  readonly logits?: boolean | undefined;
  /** Answers remembered. @default 16384; minimum 0 */
  readonly cacheEntries?: number;
  /** The decision rule that will read the scores; it overrides robust.json. Independent scores are normalised only for `argmax`; a regression has one score, a number. */
  readonly decision?: 'argmax' | 'tags' | DecisionRule['kind'] | undefined;
  /** With the decision `tags`: when an entity counts as found, and how spans are made of its tags. @default as in its robust.json, else each token its own */
  readonly tags?: (Omit<TagReading, 'aggregation'> & Partial<Pick<TagReading, 'aggregation'>>) | undefined;
  /** Read long texts in windows instead of cutting them. */
  readonly windows?: WindowsChoice | undefined;
  /** Prompt of a causal language model, and its answers, which are the labels. */
  readonly guard?: GuardOptions | undefined;
  /** Label names instead of the model's own, in column order. */
  readonly labels?: readonly string[] | undefined;
  /** Sessions in processes of their own, so that a crash of onnxruntime is an error (MODEL_CRASHED) and not the end of this process. @default false */
  readonly isolate?: boolean | undefined;
  /** How to reach the Hugging Face Hub. @default its public address, no token */
  readonly hub?: HubOptions;
  /** How endpoints are reached, and where their answers are kept. */
  readonly remote?: RemoteOptions;
  /** How long code that is not ours may take for an answer. @default any time */
  readonly patience?: TimeLimit;
  /** Called with what a user should know but need not stop for. */
  readonly onWarning?: (message: string) => void;
  /** Called with what is done that takes a while. */
  readonly onNote?: (line: string) => void;
}

interface InferenceFigures {
  /** Texts that the model computed: queries without cache hits. */
  readonly computed: number;
  readonly batches: number;
  /** Texts per batch. */
  readonly meanBatch: number;
  /**
   * Fraction of the token ids run that only filled a batch up: 0 unless the graph fixes its batch or answers a lone text
   * differently, for batches hold texts of equal token count.
   */
  readonly paddingWaste: number;
  /** Wall seconds for which the model computed, all workers together. */
  readonly secondsBusy: number;
  /** Processor seconds; undefined if the system does not report them. */
  readonly secondsProcessor: number | undefined;
  /** Workers that are open. */
  readonly workers: number;
  /** Computed texts that were longer than the model's maximum and lost the rest. */
  readonly truncated: number;
}

/** Parts that other engines need to run the same model on the same inputs. */
export interface GraphParts {
  /** The .onnx file, or the model.json of TF.js. */
  readonly file: string;
  readonly encoder: Encoder;
  /** Type of the model in its configuration ("bert"), if it has one. */
  readonly modelType?: string | undefined;
  readonly wiring: Wiring;
  readonly rule: OutputRule;
  /** Sessions of it belong into processes of their own. */
  readonly isolate: boolean;
  /** Throws ModelError (MODEL_DAMAGED) where its files were written since it was loaded. */
  readonly check: () => Promise<void>;
}

/** Additional properties of a remote model. */
interface RemoteModel extends Omit<EndpointFacts, 'price'> {
  /** In all sessions whose answers are kept. */
  usage(): EndpointCounts;
  /** Keeps all answers in a file, those so far too. Throws OutputError, ModelError (RESUME_MISMATCH). */
  keepAnswers(path: string): void;
  /** Asks the endpoint again, past every cache. A row for each text. */
  again: Classifier['classify'];
  /** The answer to a text on disk, where an earlier session kept some. */
  remembered(text: string): Float32Array | undefined;
}

export interface LoadedModel extends Classifier {
  readonly name: string;
  /** SHA-256, hex, over everything that changes its answers: weights, tokenizer, configuration. */
  readonly sha256: string;
  /** The files it covers, the model file first. */
  readonly paths: readonly string[];
  /** Loads exactly these files again: a Hub model with its commit, as its name may refer to other files later. */
  readonly pinned?: string | undefined;
  /** How its answers were read. Absent where it answers probabilities by contract, as a module does. */
  readonly output?: OutputReading | undefined;
  /** Meaning of its scores by its folder (robust.json, else config.json's problem_type) or its server. */
  readonly decision?: WrittenDecision | undefined;
  /** The columns of its data sets, by its folder or its server. */
  readonly columns?: WrittenColumns | undefined;
  /** Reads pairs of texts only. Absent where nothing says so. */
  readonly pairs?: true | undefined;
  /** Most tokens of a text; the rest is cut off. Infinity where only the model knows. */
  readonly maximumTokens: number;
  /** Absent where the model is not a local ONNX file. */
  readonly onnx?: GraphParts | undefined;
  /** The same of a model that TF.js runs. */
  readonly tfjs?: GraphParts | undefined;
  /** Where it answers in 8 bits too, or on another device: the same graph, computed otherwise. */
  readonly approximation?: Approximation | undefined;
  /** The gradients of a module, if it exports them. */
  readonly inside?: ModuleInside | undefined;
  /** Asks a module again, past every cache. A row for each text. */
  readonly again?: Classifier['classify'] | undefined;
  /** Present on a model that tags: all its tags of a text, and the words that its tokenizer knows. It classifies entities (core/tags/tagged-query.ts). */
  readonly tags?: (TagObserver & { words?(): readonly string[] }) | undefined;
  /** Present if the model is queried over the network. */
  readonly remote?: RemoteModel | undefined;
  /**
   * With the option `logits`: the graph's scores of each text before softmax, or before the sigmoid of each column. One column if one logit
   * covers two labels.
   */
  readonly logits?: ((texts: readonly string[]) => Promise<Float32Array[]>) | undefined;
  /** Absent if only the model knows. A caller that reads it must report what was cut; `close` then does not. */
  readonly limit?: TextLimit | undefined;
  figures(): InferenceFigures;
  /** Ends the workers. Warns if texts were truncated, unless `limit` was called. Waiting texts are rejected. */
  close(): Promise<void>;
}

/** Remembered by default: enough for one example's search and the clean texts of a large data set, in some 5 MB. */
export const CACHE_ENTRIES = 16_384;

/**
 * A model that answers single texts (`ask`, which batches simultaneous queries) behind a cache. Rows are shared and must not be modified.
 * Throws ModelError LABELS_INVALID for two labels with the same name, because answers would be ambiguous.
 */
export function loadedModel(
  facts: Omit<LoadedModel, 'classify'>,
  ask: (text: string) => Promise<Float32Array>,
  { cacheEntries = CACHE_ENTRIES }: LoadOptions,
): LoadedModel {
  const twice = facts.labels.find((label, at) => facts.labels.indexOf(label) !== at);
  if (twice !== undefined)
    throw new ModelError(`${facts.name}: expected labels of different names, got ${JSON.stringify(twice)} twice`, {
      code: 'LABELS_INVALID',
      hint: `Name them in the order of the scores: --labels ${facts.labels.map((_, at) => `label-${at}`).join(',')}`,
    });
  return { ...facts, classify: remembering(ask, cacheEntries) };
}

/** `classify` of what answers one text at a time. */
export function remembering(ask: (text: string) => Promise<Float32Array>, entries: number): Classifier['classify'] {
  const cache = new CachedClassifier<Float32Array>(entries);
  return (texts) => Promise.all(texts.map((text) => cache.ask(text, () => ask(text))));
}
