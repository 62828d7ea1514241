/**
 * @file A model that has weights and no ONNX file: its graph is drawn once and kept, by a hash of what it was drawn from. What draws is
 * imported where a graph is drawn: most models have one.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ADAPTER_CONFIG } from '../../../packages/onnx/src/convert/adapter/config.js';
import { openCheckpoint, weightFileOf } from '../../../packages/onnx/src/convert/checkpoint/open.js';
import { saveModel } from '../../../packages/onnx/src/convert/save.js';
import { architectureOf, type Task, taskOf } from '../../../packages/onnx/src/convert/task.js';
import type { Model } from '../../../packages/onnx/src/graph/model.js';
import { type ErrorCode, ModelError, must } from '../../core/errors.js';
import type { JsonObject } from '../../core/json.js';
import { random } from '../../core/random.js';
import { makeFolders, outputError, placeFolder, writeWhole } from '../../files/write.js';
import { defaultCache } from '../hub/cache.js';
import type { LoadOptions } from '../loaded-model.js';
import { adapterSource, isAdapter } from './adapter.js';
import { describedHead, tokenizerIn } from './described-head.js';
import type { ComposedSource, DrawingSource } from './drawing-source.js';
import { fileHash } from './fingerprint.js';
import { type GuardOptions, guardPlan } from './guard.js';
import { readJsonObject } from './json-file.js';
import type { OnnxFiles } from './resolve.js';
import { isSetFitFolder, setFitSource } from './setfit.js';

/** Description of the source of a conversion. */
export interface SourceRecord {
  readonly name: string;
  /** `model_type` of its config. */
  readonly family: string;
}

/** The folder of a model and its files of weights, if it is a checkpoint without an ONNX file. */
function isCheckpoint({ folder, model }: OnnxFiles): boolean {
  if (model !== undefined) return weightFileOf((name) => name === basename(model)) !== undefined;
  const at = (name: string) => existsSync(join(folder, name));
  return !['robust.json', 'model.onnx', join('onnx', 'model.onnx')].some(at) && weightFileOf(at) !== undefined;
}

async function checkpointSource(folder: string, wanted: Task): Promise<DrawingSource> {
  const config = await readConfig(folder);
  const path = join(folder, 'config.json');
  checkTask(path, config, wanted);
  const { files } = openCheckpoint(folder);
  const draw = async () =>
    (await import('../../../packages/onnx/src/convert/index.js')).convertCheckpoint(folder, config, {
      continued: true,
    });
  return { files: [path, ...files], called: basename(must(files[0])), draw };
}

/** The same files with a graph: drawn, where they are a checkpoint that was not seen before. Throws ModelError, OutputError. */
export async function withGraph(files: OnnxFiles, options: LoadOptions, wanted: Task): Promise<OnnxFiles> {
  const { hub = {}, onNote, guard } = options;
  if (guard !== undefined && wanted === 'classify') return withAnswers(files, options, guard);
  const source = await sourceOf(files, options, wanted);
  if (!source) return files;
  const { name } = files;
  const key = await contentHash(source.files);
  const place = join(conversions(hub.cache), key);
  const model = join(place, 'model.onnx');
  const found = () => ({ ...files, ...(source.describe && { folder: place }), ...graphsIn(place) });
  if (existsSync(model)) return found();
  const began = performance.now();
  const {
    model: graph,
    continued,
    modelType,
    options: { unknown },
  } = await source.draw();
  keep(place, (aside) => {
    source.describe?.(aside);
    saveGraphs(aside, graph, continued);
    record(aside, { name, family: modelType });
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  onNote?.(
    `${name}: its ${source.called} (${modelType}) was converted to ONNX in ${seconds} s and is kept in ${place}${unknown.length > 0 ? `. Keys of its config.json are unknown to robust and may matter: ${unknown.join(', ')}` : ''}`,
  );
  return found();
}

/** An adapter with its base, or a SetFit model; undefined for others. Throws ModelError. */
export async function composedSource(files: OnnxFiles, options: LoadOptions): Promise<ComposedSource | undefined> {
  if (isAdapter(files)) return adapterSource(files, options);
  return isSetFitFolder(files) ? setFitSource(files.folder) : undefined;
}

/** The graph that continues texts, beside model.onnx. */
const CONTINUED = 'continued.onnx';

/** The graphs of a conversion. */
const graphsIn = (place: string): Pick<OnnxFiles, 'continued'> & { readonly model: string } => {
  const continued = join(place, CONTINUED);
  return { model: join(place, 'model.onnx'), ...(existsSync(continued) && { continued }) };
};

const saveGraphs = (folder: string, model: Model, continued: Model | undefined): void =>
  saveModel(model, join(folder, 'model.onnx'), {
    second: continued && { model: continued, path: join(folder, CONTINUED) },
    write: writeWhole,
  });

async function sourceOf(files: OnnxFiles, options: LoadOptions, wanted: Task): Promise<DrawingSource | false> {
  if (isAdapter(files)) {
    const { config, ...source } = await adapterSource(files, options);
    checkTask(join(files.folder, ADAPTER_CONFIG), config, wanted);
    return source;
  }
  if (wanted === 'classify' && isSetFitFolder(files)) return setFitSource(files.folder);
  return isCheckpoint(files) && checkpointSource(files.folder, wanted);
}

/** A causal language model with the scores of answers as its output. Throws ModelError, RobustError, OutputError. */
async function withAnswers(files: OnnxFiles, options: LoadOptions, asked: GuardOptions): Promise<OnnxFiles> {
  const { name, folder } = files;
  if (!isCheckpoint(files))
    throw new ModelError(
      `${name}: --prompt answers: expected the checkpoint of a causal language model, got no weights`,
      {
        code: 'MODEL_DAMAGED',
        hint: 'Name a folder as save_pretrained writes it: config.json, tokenizer.json and model.safetensors.',
      },
    );
  const config = await readConfig(folder);
  checkTask(join(folder, 'config.json'), config, 'causal');
  const plan = await guardPlan(folder, asked);
  const { files: weights } = openCheckpoint(folder);
  const key = await contentHash([join(folder, 'config.json'), ...weights], JSON.stringify(plan.spellings));
  const place = join(conversions(options.hub?.cache), key);
  if (!existsSync(join(place, 'model.onnx'))) {
    const { convertCheckpoint } = await import('../../../packages/onnx/src/convert/index.js');
    const { model, continued, modelType } = convertCheckpoint(folder, config, {
      answers: plan.spellings,
      continued: true,
    });
    keep(place, (aside) => {
      saveGraphs(aside, model, continued);
      record(aside, { name: `${name}, with the answers ${plan.answers.join(', ')}`, family: modelType });
    });
  }
  for (const [at, spelt] of plan.spelt.entries()) {
    options.onNote?.(
      `${name}: the answer ${plan.answers[at]} is spelt ${spelt.map((each) => JSON.stringify(each)).join(', ')}`,
    );
  }
  const file = join(place, `prompt-${plan.hash}.txt`);
  if (!existsSync(file)) writeWhole(file, JSON.stringify([plan.prompt, plan.answers]), 'the prompt');
  return { ...files, ...graphsIn(place), guard: { prompt: plan.prompt, file, answers: plan.answers } };
}

export interface NewHead {
  /** In column order. */
  readonly labels: readonly string[];
  /** A text has any number of them. */
  readonly problem?: 'multi_label_classification' | 'regression';
  /** They are tags of tokens. */
  readonly task?: 'tags';
  readonly seed: number;
}

/**
 * A new head for these labels on the encoder of a checkpoint, its weights drawn from the seed: a folder that is a model, kept as a
 * conversion is. Throws ModelError, OutputError.
 */
export async function withHead({ folder, name }: OnnxFiles, { hub = {} }: LoadOptions, head: NewHead): Promise<string> {
  const { labels, problem, task = 'classify', seed } = head;
  const config = await readConfig(folder);
  const { files } = openCheckpoint(folder);
  const { sentenceModules } = await import('../../../packages/onnx/src/convert/sentence.js');
  const sentences = task === 'tags' ? undefined : sentenceModules(folder);
  const described = [...tokenizerIn(folder), join(folder, 'config.json'), ...files, ...(sentences?.files ?? [])];
  const place = join(conversions(hub.cache), await contentHash(described, JSON.stringify(head)));
  if (existsSync(join(place, 'model.onnx'))) return place;
  const { convertCheckpoint } = await import('../../../packages/onnx/src/convert/index.js');
  const { model, modelType } = convertCheckpoint(folder, config, {
    head: { labels: labels.length, random: random(seed, 'head'), task },
  });
  const describe = await describedHead(folder, config, { labels, problem, task, reading: sentences?.reading });
  keep(place, (aside) => {
    describe(aside);
    saveModel(model, join(aside, 'model.onnx'), { write: writeWhole });
    record(aside, { name: `${name}, a head for ${labels.join(', ')}`, family: modelType });
  });
  return place;
}

const record = (folder: string, source: SourceRecord): void =>
  writeWhole(join(folder, 'source.json'), `${JSON.stringify(source)}\n`, 'the source of the conversion');

/** Makes the folder of a conversion. Another process may have been faster, with the same. Throws OutputError. */
function keep(path: string, fill: (aside: string) => void): void {
  try {
    makeFolders(dirname(path));
    placeFolder(path, fill);
  } catch (cause) {
    if (existsSync(join(path, 'model.onnx'))) return;
    throw (cause as NodeJS.ErrnoException).syscall ? outputError('the converted model', path, cause) : cause;
  }
}

/** Throws ModelError (TASK_MISMATCH) for a checkpoint that was trained for something else. */
function checkTask(path: string, config: JsonObject, wanted: Task): void {
  const task = taskOf(config, path);
  // Words for a gap can also be guessed from what stands before it alone.
  if (task === wanted || (wanted === 'masked' && task === 'causal')) return;
  const { name, code, hint } = TASK_WORDS[wanted];
  throw new ModelError(`${path}: expected ${name}, got ${TASK_WORDS[task].name} (${architectureOf(config)})`, {
    code,
    hint: (wanted === 'classify' && AS_CLASSIFIER[task]) || hint,
  });
}

/** Ways to use models of other tasks where a classifier is wanted. */
const AS_CLASSIFIER: Readonly<Partial<Record<Task, string>>> = {
  tags: 'It tags tokens: attack or evaluate it with --task tags.',
  causal:
    'Ask it about each text: --prompt FILE:answers=a,b. Or train a classifier on it: robust train --model THIS --labels a,b --data train.tsv -o OUT.',
};

/** Each task in words, and what to do where another one was found. */
const TASK_WORDS: Readonly<Record<Task, { readonly name: string; readonly code: ErrorCode; readonly hint: string }>> = {
  classify: {
    name: 'a text classifier',
    code: 'TASK_MISMATCH',
    hint: 'Train a classifier on its encoder: robust train --model THIS --labels a,b --data train.tsv -o OUT.',
  },
  tags: {
    name: 'a model that tags tokens',
    code: 'TASK_MISMATCH',
    hint: 'Name a model whose config.json says ...ForTokenClassification, or leave --task tags out.',
  },
  masked: {
    name: 'a masked language model',
    code: 'TASK_MISMATCH',
    hint: 'Name a model whose config.json says ...ForMaskedLM.',
  },
  causal: {
    name: 'a causal language model',
    code: 'TASK_MISMATCH',
    hint: 'A prompt with answers is for models whose config.json says ...ForCausalLM. Leave --prompt out.',
  },
};

/** A folder next to the Hub's cache, which belongs to the Hub's libraries. */
export const conversions = (cache = defaultCache()): string => join(dirname(cache), 'robust', 'converted');

/** The config.json of a checkpoint. Throws ModelError, also for a PEFT adapter, which needs its base model. */
export async function readConfig(folder: string): Promise<JsonObject> {
  if (isAdapter({ folder })) throw needsWhole(folder);
  if (existsSync(join(folder, 'config.json'))) return readJsonObject(join(folder, 'config.json'));
  throw new ModelError(`${folder}: expected config.json beside the weights, found none`, {
    code: 'MODEL_DAMAGED',
    hint: 'Name a folder as save_pretrained writes it: config.json, tokenizer.json and model.safetensors.',
  });
}

const needsWhole = (folder: string): ModelError =>
  new ModelError(`${folder}: expected a whole model, got an adapter`, {
    code: 'MODEL_UNSUPPORTED',
    hint: 'Merge it first: robust convert ADAPTER -o MERGED.',
  });

/** SHA-256 of the version of the converter and the contents of the files. */
async function contentHash(paths: readonly string[], more = ''): Promise<string> {
  const { CONVERTER_VERSION } = await import('../../../packages/onnx/src/convert/index.js');
  const whole = createHash('sha256').update(`${CONVERTER_VERSION}\n${more}\n`);
  for (const path of paths) whole.update(`${basename(path)} ${await fileHash(path)}\n`);
  return whole.digest('hex');
}
