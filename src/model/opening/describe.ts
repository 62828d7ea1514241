/** @file One description of a model, whatever said it: Hugging Face's config.json, tokenizer_config.json, or our manifest. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { PROMPTS_FILE } from '../../../packages/onnx/src/convert/sentence-files.js';
import { ModelError } from '../../core/errors.js';
import { isObject, type JsonObject } from '../../core/json.js';
import { noTokenizer } from '../tokens/formats/read-tokenizer.js';
import { crossEncoder } from './cross-encoder.js';
import { readJsonObject } from './json-file.js';
import { COMPANIONS, tokenizerFiles } from './layout.js';
import {
  filesOf,
  type InputSpec,
  type Manifest,
  parseManifest,
  type WrittenColumns,
  type WrittenDecision,
} from './manifest.js';
import { allFiles, GGUF, type OnnxFiles } from './resolve.js';

/** Padding, end of text and beginning of text. */
export type SpecialIds = Readonly<Partial<Record<'pad' | 'eos' | 'bos', number>>>;

/** Facts about a model that do not require reading its graph. */
export interface Description {
  readonly name: string;
  readonly folder: string;
  /** The .onnx file. */
  readonly model: string;
  /** Other files that change its answers: tokenizer, vocabulary, manifest, configs. Absolute paths. */
  readonly companions: readonly string[];
  /** `model_type` of config.json: "bert". */
  readonly modelType?: string | undefined;
  /** In column order; undefined where nothing names them. */
  readonly labels: readonly string[] | undefined;
  readonly input: InputSpec;
  /** Each text is read inside of this. */
  readonly prompt?: string | undefined;
  /** Most tokens per text, special ones included, as far as the configs say. */
  readonly maximum: number | undefined;
  /** Token id that pads graphs of fixed length. */
  readonly padId: number;
  /** Ids of special tokens, as far as config.json gives them. */
  readonly specialIds?: SpecialIds | undefined;
  /** Texts are padded before their first token: the head may read the last one. */
  readonly padsLeft?: boolean | undefined;
  /** The first token's position, for graphs with positions as an input. @default 0 */
  readonly firstPosition?: number;
  /** As the manifest says. */
  readonly output: NonNullable<Manifest['output']>;
  /** Meaning of the scores by the manifest, else by config.json's problem_type. */
  readonly decision?: WrittenDecision | undefined;
  /** The columns of its data sets, by the manifest. */
  readonly columns?: WrittenColumns | undefined;
  /** Precision of the model's runs by the manifest. */
  readonly precision?: Manifest['precision'] | undefined;
  /** config.json's problem_type, and the architecture it names first. */
  readonly problem?: string | undefined;
  readonly architecture?: string | undefined;
}

/** Architectures whose position table starts after the padding id, so that two of its rows are never used. */
const OFFSET_POSITIONS =
  /^(roberta|xlm-roberta|xlm-roberta-xl|camembert|longformer|mpnet|data2vec-text|luke|xmod|ibert)$/;

/** Throws ModelError where a file is missing or malformed. */
export async function describe(files: OnnxFiles): Promise<Description> {
  const at = (file: string) => join(files.folder, file);
  const optional = async (file: string) => (existsSync(at(file)) ? await readJsonObject(at(file)) : undefined);
  const [manifestJson, config, tokenizerConfig, sentences] = await Promise.all(COMPANIONS.map(optional));
  const manifest: Manifest = manifestJson ? parseManifest(manifestJson, at('robust.json')) : { schemaVersion: 1 };
  const input = manifest.input ?? { kind: 'tokenizer' };
  const model = files.model ?? modelFile(files.folder, manifest);

  const configs = { 'robust.json': manifestJson, 'config.json': config, [PROMPTS_FILE]: sentences };
  const present = Object.entries(configs).flatMap(([file, json]) => (json ? [file] : []));
  const companions = [...present, ...inputFiles(files.folder, input)];
  const configured = labelsOf(config, at('config.json'));
  const problem = textOf(config?.problem_type);
  const crossed = crossEncoder(config, sentences, at('config.json'), configured?.length, manifest);
  const labels = manifest.labels ?? crossed?.labels ?? configured;
  const decision = manifest.decision ?? crossed?.decision ?? decisionOfProblem(problem, manifest);
  const architectures = Array.isArray(config?.architectures) ? config.architectures : [];
  const description: Description = {
    name: files.name,
    folder: files.folder,
    model,
    companions: companions.map(at),
    modelType: textOf(config?.model_type),
    labels,
    input,
    maximum: input.kind === 'tokenizer' ? (input.maximum ?? maximumOf(config, tokenizerConfig)) : undefined,
    padId: input.kind === 'word-index' ? input.padId : padOf(config),
    specialIds: config && specialIdsOf(config),
    padsLeft: tokenizerConfig?.padding_side === 'left',
    firstPosition: hasOffset(config) ? padOf(config, 1) + 1 : 0,
    output: { ...crossed?.output, ...manifest.output },
    decision,
    columns: manifest.columns,
    precision: manifest.precision,
    problem,
    architecture: textOf(architectures[0]),
  };
  return files.guard ? asGuard(description, files.guard) : description;
}

/** A causal language model whose answers to a prompt are the labels. */
const asGuard = (model: Description, { prompt, file, answers }: NonNullable<OnnxFiles['guard']>): Description => ({
  ...model,
  companions: [...model.companions, file],
  prompt,
  labels: answers,
  problem: 'single_label_classification',
});

/** The files that texts become inputs by. Throws ModelError where one is missing. */
function inputFiles(folder: string, input: InputSpec): readonly string[] {
  const there = (file: string) => existsSync(join(folder, file));
  const named = filesOf(input);
  checkFiles(folder, named);
  if (input.kind !== 'tokenizer') return Object.values(named);
  const tokenizer = tokenizerFiles(there);
  if (tokenizer.length === 0) throw noTokenizer(folder);
  return [...tokenizer, ...['tokenizer_config.json'].filter(there), ...Object.values(named)];
}

/** Throws ModelError where a file that the manifest names lies elsewhere or is missing. */
function checkFiles(folder: string, named: Readonly<Record<string, string>>): void {
  for (const [key, file] of Object.entries(named)) {
    if (existsSync(checkedPath(folder, file))) continue;
    throw new ModelError(`${join(folder, 'robust.json')}: input.${key} names "${file}", which does not exist`, {
      code: 'MODEL_DAMAGED',
      hint: 'Put the file beside the manifest.',
    });
  }
}

/** Meaning of the scores by a problem_type of transformers, unless the manifest normalises them to probabilities of one label. */
function decisionOfProblem(problem: string | undefined, { labels, output }: Manifest): WrittenDecision | undefined {
  if (problem === 'multi_label_classification') {
    return output?.normalise || output?.activation === 'softmax' ? undefined : { kind: 'multi-label', at: 0.5 };
  }
  const ofLabels = (labels?.length ?? 0) > 1 || output?.activation !== undefined;
  return problem === 'regression' && !ofLabels ? { kind: 'regression' } : undefined;
}

function modelFile(folder: string, manifest: Manifest): string {
  if (manifest.model !== undefined) checkedPath(folder, manifest.model);
  const candidates = manifest.model === undefined ? ['model.onnx', join('onnx', 'model.onnx')] : [manifest.model];
  const found = candidates.map((file) => join(folder, file)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  // A manifest describes a graph, and none is drawn of the weights beside it.
  const wanted = existsSync(join(folder, 'robust.json')) ? candidates : [...candidates, 'model.safetensors'];
  const others = allFiles(folder).filter((name) => /\.(onnx|safetensors|bin|h5|msgpack|pt|pth|gguf|ot)$/.test(name));
  const instead = others.length === 0 ? 'none' : others.sort().slice(0, 3).join(', ');
  throw new ModelError(`${folder}: expected the model file ${wanted.join(' or ')}, found ${instead}`, {
    code: 'MODEL_DAMAGED',
    hint: hintFor(others, folder),
  });
}

function hintFor([first, ...more]: readonly string[], folder: string): string {
  if (first === undefined)
    return 'Name the folder that a model was saved to: with model.onnx, or as save_pretrained writes it.';
  if (first.endsWith('.gguf')) return GGUF;
  if (first.endsWith('.onnx') && more.length === 0) return `Name the file itself: --model ${join(folder, first)}`;
  return 'Name the .onnx file itself; other formats have to be saved as safetensors or exported to ONNX.';
}

/** Refuses a file name that leads out of the model's folder: a model from a stranger must not read what lies elsewhere. */
function checkedPath(folder: string, file: string): string {
  const path = join(folder, file);
  const way = relative(folder, path);
  if (isAbsolute(file) || isAbsolute(way) || way === '' || way === '..' || /^\.\.[\\/]/.test(way))
    throw new ModelError(`${folder}: names the file "${file}", which lies outside the model's folder`, {
      code: 'MODEL_DAMAGED',
      hint: 'Put the file beside the model and name it without a path.',
    });
  return path;
}

/** More than any classifier has: the number comes from a file. */
const MOST_LABELS = 1e6;

function labelsOf(config: JsonObject | undefined, path: string): string[] | undefined {
  const { id2label: table, num_labels: count } = config ?? {};
  if (!isObject(table) && !Array.isArray(table))
    return typeof count === 'number' && count > 1 && count < MOST_LABELS
      ? Array.from({ length: count }, (_, at) => `LABEL_${at}`)
      : undefined;
  const entries = Object.entries(table).sort(([a], [b]) => Number(a) - Number(b));
  const labels = entries.flatMap(([id, label], at) => (Number(id) === at && typeof label === 'string' ? [label] : []));
  const nameless = labels.findIndex((label) => label.trim() === '');
  const counted = typeof count !== 'number' || count === labels.length;
  if (labels.length === entries.length && labels.length > 0) {
    if (nameless < 0 && counted) return labels;
    throw new ModelError(
      nameless < 0
        ? `${path}: num_labels: expected ${labels.length}, as id2label has names, got ${count}`
        : `${path}: id2label: expected a name for label ${nameless}, got ${JSON.stringify(labels[nameless])}`,
      {
        code: 'LABELS_MISMATCH',
        hint: 'Name every column of the scores in id2label, in order; num_labels may be left out.',
      },
    );
  }
  const got = JSON.stringify(table).slice(0, 200);
  throw new ModelError(`${path}: id2label: expected label names under the keys "0", "1", ..., got ${got}`, {
    code: 'MODEL_DAMAGED',
    hint: 'Number the labels from 0 without a gap.',
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function maximumOf(config: JsonObject | undefined, tokenizerConfig: JsonObject | undefined): number | undefined {
  const positions = positive(config?.max_position_embeddings) ?? positive(config?.n_positions);
  const usable = positions !== undefined && hasOffset(config) ? positions - padOf(config, 1) - 1 : positions;
  const limits = [usable, positive(tokenizerConfig?.model_max_length)].filter((limit) => limit !== undefined);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

const hasOffset = (config: JsonObject | undefined): boolean => OFFSET_POSITIONS.test(String(config?.model_type ?? ''));

const padOf = (config: JsonObject | undefined, otherwise = 0): number =>
  typeof config?.pad_token_id === 'number' && config.pad_token_id >= 0 ? config.pad_token_id : otherwise;

/** Some models name several tokens that end a text: the first is taken. */
function specialIdsOf(config: JsonObject): SpecialIds {
  const roles = (['pad', 'eos', 'bos'] as const).map((role): [string, unknown] => {
    const id = config[`${role}_token_id`];
    return [role, Array.isArray(id) ? id[0] : id];
  });
  return Object.fromEntries(roles.filter(([, id]) => typeof id === 'number'));
}

/** Transformers writes 1e30 for "no limit" and -1 for "relative positions". */
const positive = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 1e9 ? value : undefined;
