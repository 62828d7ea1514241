/** @file The way into this room: a checkpoint as transformers saves it goes in, an ONNX graph comes out. */
import { must, OnnxError } from '../errors.js';
import { DataType } from '../graph/data-type.js';
import type { Model } from '../graph/model.js';
import { isObject, type JsonObject } from '../json.js';
import { readFileSync } from '../read-file.js';
import type { PeftAdapter } from './adapter/open.js';
import { answerScores, branchesOf, type Spellings } from './answers.js';
import { openCheckpoint } from './checkpoint/open.js';
import { parseCheckpointJson } from './checkpoint/stored-tensor.js';
import { ModelConfig } from './config.js';
import { Drawing } from './drawing.js';
import { families, familyOf } from './families/index.js';
import type { Family } from './family.js';
import { PADDING_KEY } from './past.js';
import { type SentenceModules, sentenceEmbedding, sentenceModules } from './sentence.js';
import { type SetFitModel, setFitLogits } from './setfit/index.js';
import { type Task, taskOf } from './task.js';
import { CheckpointWeights, type Random } from './weights.js';

/** Increases with every change of a converter, so that earlier conversions are repeated. */
export const CONVERTER_VERSION = 5;

export interface DrawingOptions {
  /** Matrices are kept in half precision and widened as they are used: half the file, the same arithmetic. */
  readonly half?: boolean;
  /** A new head with this many labels on the encoder, initialised from `random`. Without it, the checkpoint must have a classifier. */
  readonly head?: { readonly labels: number; readonly random: Random; readonly task?: 'classify' | 'tags' };
  /** A fitted head on the sentence embeddings of the encoder. */
  readonly fitted?: SetFitModel;
  /** Spellings of answers: a causal language model scores them, in the place of its vocabulary. */
  readonly answers?: Spellings;
  /** Merged into the weights. */
  readonly adapter?: PeftAdapter;
  /** Also draw the graph that continues texts, if the model is a causal classifier. */
  readonly continued?: boolean;
}

export interface Converted {
  readonly model: Model;
  /** The same answers from the keys and values of a text's beginning on (past.ts), of the same tensors. Absent where a family cannot, or a config. */
  readonly continued?: Model | undefined;
  readonly task: Task;
  /** `model_type` of the config. */
  readonly modelType: string;
  /** Every file of weights that was read, absolute. */
  readonly files: readonly string[];
  /** Weights that were drawn at random: those of a new head. */
  readonly fresh: readonly string[];
  /** Keys of config.json that the graph depends on or that were checked, those that change nothing, and unknown ones. */
  readonly options: ModelConfig['options'];
}

/**
 * Draws the graph of the checkpoint in a folder: inputs `input_ids`, `attention_mask` and, if the family has them, `token_type_ids`
 * [batch, sequence], int64; output `logits` [batch, labels], or [batch, sequence, labels] of a model that tags. Its weights are read as they
 * are written. `json`: its config, by default the folder's config.json. Throws OnnxError where the family or a value of its config is not
 * known, or the weights are not those of the config.
 */
export function convertCheckpoint(
  folder: string,
  json: JsonObject = readConfig(`${folder}/config.json`),
  options: DrawingOptions = {},
): Converted {
  const path = `${folder}/config.json`;
  const family = familyOf(json, path);
  const config = new ModelConfig(json, path, family.defaults);
  config.only('quantization_config');
  // The family, the task and the labels were read of the file itself.
  for (const key of ['model_type', 'architectures', 'id2label', 'num_labels']) config.has(key);
  const { head, answers, half = false, adapter, fitted, continued = false } = options;
  const task = taskFor(options, json, path);
  const checkpoint = openCheckpoint(folder);
  const weights = new CheckpointWeights(checkpoint.tensors, {
    path: must(checkpoint.files[0]),
    prefix: family.prefix,
    adapter,
    ...(head && { fresh: { random: head.random, deviation: config.positive('initializer_range', 0.02) } }),
  });
  const labels = labelCount(options, json);
  const sentence = modulesFor(options, task, folder);
  const draw = (d: Drawing): Model => {
    // Inputs in the order in which exporters list them, whatever reads them first.
    void [d.ids, ...(d.padded ? [d.mask] : [])];
    const hidden = family.encode(d);
    const logits = sentence
      ? overSentences(d, hidden, family, sentence, fitted ?? labels)
      : logitsOf(d, hidden, family, task, labels, answers);
    if (logits === undefined) throw noHead(path, String(json.model_type), task);
    d.g.ops('Identity', [logits], ['logits']);
    d.g.output('logits', DataType.float, outputDims(task, labels, answers));
    return d.g.model();
  };
  const branches = answers && branchesOf(answers);
  const drawing = new Drawing(config, weights, { half, everyToken: task !== 'classify', branches });
  const model = draw(drawing);
  weights.finish([...(family.unused ?? []), ...(sentence ? [`${family.prefix}.pooler`] : [])]);
  const past = continued && (task === 'classify' || answers) ? family.past?.(drawing) : undefined;
  return {
    model,
    continued: past && withPadding(draw(new Drawing(config, weights, { half, branches, past, like: drawing })), config),
    task,
    modelType: String(json.model_type),
    files: [...checkpoint.files, ...(adapter?.files ?? [])],
    fresh: weights.fresh,
    options: config.options,
  };
}

function readConfig(path: string): JsonObject {
  const json = parseCheckpointJson(path, readFileSync(path, 'utf8'));
  if (isObject(json)) return json;
  throw new OnnxError(`${path}: expected the config of a model, got no object`, { code: 'MODEL_DAMAGED' });
}

/** A head that is put on an encoder decides, else the class that wrote the checkpoint. */
function taskFor({ head, fitted }: DrawingOptions, json: Readonly<Record<string, unknown>>, path: string): Task {
  if (head !== undefined) return head.task ?? 'classify';
  return fitted === undefined ? taskOf(json, path) : 'classify';
}

const labelCount = ({ head, fitted }: DrawingOptions, json: Readonly<Record<string, unknown>>): number =>
  head?.labels ?? fitted?.labels.length ?? labelsOf(json);

/** The modules of sentence-transformers between an encoder and a head that was put on it. */
const modulesFor = ({ head, fitted }: DrawingOptions, task: Task, folder: string): SentenceModules | undefined =>
  task === 'classify' && (head || fitted) ? sentenceModules(folder) : undefined;

/** Adds the id of padding: a classifier reads the last token that is not padding. */
const withPadding = (model: Model, { padding }: ModelConfig): Model =>
  padding === undefined ? model : { ...model, metadata: new Map([[PADDING_KEY, String(padding)]]) };

const outputDims = (task: Task, labels: number, answers: Spellings | undefined): (string | number | null)[] => {
  if (answers !== undefined) return ['batch', answers.length];
  if (task === 'classify') return ['batch', labels];
  return ['batch', 'sequence', task === 'tags' ? labels : null];
};

/** Undefined where transformers has no such class of the family, or answers are wanted of a family that is not causal. */
function logitsOf(
  d: Drawing,
  hidden: string,
  family: Family,
  task: Task,
  labels: number,
  answers: Spellings | undefined,
): string | undefined {
  if (answers !== undefined) return family.past === undefined ? undefined : answerScores(d, hidden, family, answers);
  if (task === 'classify') return family.classify(d, hidden, labels);
  if (task !== 'tags') return family[task]?.(d, hidden);
  if (family.tagless) return undefined;
  // Decoders that share one class of transformers for this task call their layer "score".
  const layer = d.weights.has('score.bias') ? 'score' : 'classifier';
  return family.tags?.(d, hidden, labels) ?? d.linear(hidden, layer, family.width(d), labels, { head: true });
}

/** A layer on the embedding that sentence-transformers makes of a text, as it was trained to be one: new, or as it was fitted. */
function overSentences(
  d: Drawing,
  hidden: string,
  family: Family,
  modules: SentenceModules,
  labels: number | SetFitModel,
): string {
  const { name, width } = sentenceEmbedding(d, hidden, family.width(d), modules);
  if (typeof labels !== 'number') return setFitLogits(d, name, width, labels);
  return d.linear(name, 'classifier', width, labels, { head: true });
}

/** As many as have names; two where the config says nothing, as in transformers. */
function labelsOf({ id2label, num_labels }: Readonly<Record<string, unknown>>): number {
  if (isObject(id2label)) return Object.keys(id2label).length;
  return Number.isInteger(num_labels) && (num_labels as number) > 0 ? (num_labels as number) : 2;
}

const noHead = (path: string, type: string, task: Task): OnnxError =>
  new OnnxError(
    `${path}: expected a classifier, got a ${task === 'tags' ? 'model that tags' : `${task} language model`} of the family ${type}`,
    { code: 'MODEL_UNSUPPORTED', hint: `Supported families: ${families.flatMap(({ types }) => types).join(', ')}.` },
  );
