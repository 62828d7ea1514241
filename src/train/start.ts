/** @file The start of a training: a new model with a vocabulary learnt from the data, or an existing model. */
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ArchitectureName } from '../core/architectures.js';
import type { Dataset } from '../core/dataset.js';
import { ModelError, RobustError } from '../core/errors.js';
import { textsInOrder } from '../core/pair.js';
import { random } from '../core/random.js';
import { ANY_SIZE, readFile } from '../files/read.js';
import { writeWhole } from '../files/write.js';
import { openTagGraph } from '../model/classifiers/tagger.js';
import { type LoadedModel, type LoadOptions, loadModel, locate } from '../model/load.js';
import { describe } from '../model/opening/describe.js';
import { readsIds } from '../model/opening/input-kinds.js';
import { createEncoder } from '../model/tokens/create-encoder.js';
import type { Encoder } from '../model/tokens/encoder.js';
import type { TokenInput } from '../model/workers/feeds.js';
import type { DropoutRates } from './architectures/architecture-builder.js';
import { type ArchitectureSize, architecture, readsCharacters, readsWords, votes } from './architectures/index.js';
import type { TextEncoder } from './example-store.js';
import { type ModelFile, newModelFile, openModelFile } from './model-file.js';
import type { TrainingOptions } from './options.js';
import { type OpenVectors, startFromVectors, vectorsOf } from './pretrained.js';
import {
  CharacterCounter,
  characterTokenizerJson,
  tokenizerConfig,
  tokenizerJson,
  WordCounter,
} from './tokenizer-file.js';
import { existing, fresh, type TrainableModel } from './trainable-model.js';
import type { TrainedPart } from './trained-weights.js';
import {
  characterVocabulary,
  plainCharacterVocabulary,
  SPECIAL_TOKENS,
  trainWordPiece,
  wordVocabulary,
} from './vocabulary.js';

export interface FreshStart {
  readonly kind: 'fresh';
  readonly architecture: ArchitectureName;
  /** `vocabulary` is the most entries it may have. */
  readonly size: ArchitectureSize;
  /** @default no dropout anywhere */
  readonly dropout?: DropoutRates;
  /** Keep matrices in half precision: half the file. */
  readonly half: boolean;
  /** Word vectors to begin with. @default none: all weights are random */
  readonly vectors?: OpenVectors | undefined;
}

export interface ExistingStart {
  readonly kind: 'existing';
  /** As `--model` takes it. */
  readonly model: string;
  readonly part: TrainedPart;
  /** How to load it. @default as `loadModel` does */
  readonly load?: LoadOptions | undefined;
}

/** Data for the loop and the output. */
export interface TrainingStart {
  readonly trainable: TrainableModel;
  readonly file: ModelFile;
  /** Name of the model file in the output folder. */
  readonly fileName: string;
  readonly encoder: TextEncoder;
  readonly padId: number;
  /** Padding could change answers, as the graph has no mask or reads the last token: batch texts of one length only. */
  readonly unpadded: boolean;
  readonly vocabulary?: readonly string[] | undefined;
  readonly unknownId?: number | undefined;
}

/** Learns the vocabulary, writes tokenizer and config to `output`, and draws the model. `note` receives facts about it. */
export async function startFresh(
  { architecture: name, size, dropout, half, vectors }: FreshStart,
  data: Dataset,
  output: string,
  options: Pick<TrainingOptions, 'seed' | 'thresholds' | 'numbers' | 'tags'>,
  note?: (line: string) => void,
  described?: object,
): Promise<TrainingStart> {
  if (vectors && readsCharacters(name)) throw wordsWanted(name);
  const { seed, thresholds, numbers, tags } = options;
  const blanks = name === 'char-cnn';
  if (votes(name) && (thresholds || numbers || tags)) throw oneLabelWanted(name);
  // Names are recognised by their capitals too.
  const cased = tags !== undefined;
  const labels = tags ?? data.labels;
  // A manifest of an earlier model would contradict this one.
  await rm(join(output, 'robust.json'), { force: true });
  const counter = blanks ? new CharacterCounter() : new WordCounter(cased);
  for await (const example of data.examples()) for (const text of textsInOrder(example)) counter.add(text);
  const vocabulary = learnerOf(name)(counter.counts, { size: size.vocabulary });
  const network = architecture(name, { ...size, vocabulary: vocabulary.length });
  // Before a file is written, so that the folder is still empty after an error.
  const known = vectors && (await vectorsOf(counter.counts, vectors));
  const write = (file: string, content: object) =>
    writeWhole(join(output, file), `${JSON.stringify(content, null, 1)}\n`, file);
  write('tokenizer.json', blanks ? characterTokenizerJson(vocabulary) : tokenizerJson(vocabulary, cased));
  write('tokenizer_config.json', tokenizerConfig(network.tokenizerClass, network.maxTokens, cased));
  const of = tags ? 'token' : 'text';
  write('config.json', { ...network.config(labels, of), ...problemOf(options) });
  // The logits of short texts lie between 0 and 1, and would be taken for probabilities.
  const manifest = votes(name) ? { ...described, output: { activation: 'softmax' } } : described;
  if (manifest) write('robust.json', manifest);
  const trainable = fresh(network, random(seed, 'weights'), {
    labels: labels.length,
    of,
    head: numbers ? 'number' : thresholds ? 'sigmoid' : 'softmax',
    scale: numbers,
    dropout,
  });
  const encoder = await encoderOf(output, network.maxTokens);
  if (known) {
    const set = startFromVectors(trainable, encoder, counter.counts, known, random(seed, 'vectors'));
    const [some, all] = [set, vocabulary.length - SPECIAL_TOKENS.length].map((count) => count.toLocaleString('en'));
    note?.(`${some} of ${all} ${readsWords(name) ? 'words' : 'word pieces'} begin with a vector`);
  }
  return {
    trainable,
    file: newModelFile(trainable.plain, half),
    fileName: 'model.onnx',
    encoder,
    padId: 0,
    unpadded: false,
    ...(await piecesOf(join(output, 'tokenizer.json'))),
  };
}

function learnerOf(name: ArchitectureName): typeof trainWordPiece {
  if (name === 'char-cnn') return plainCharacterVocabulary;
  if (readsCharacters(name)) return characterVocabulary;
  return readsWords(name) ? wordVocabulary : trainWordPiece;
}

const wordsWanted = (name: ArchitectureName): RobustError =>
  new RobustError(
    `--arch vectors: expected an architecture with vectors of words or word pieces, got ${name}, which has them of characters`,
    {
      code: 'ARCHITECTURE_INVALID',
      hint: 'Leave vectors out, or take an architecture that reads words or word pieces.',
    },
  );

const oneLabelWanted = (name: ArchitectureName): RobustError =>
  new RobustError(`--arch ${name}: expected a task with one label a text, because its windows vote for one label`, {
    code: 'TASK_UNSUPPORTED',
    hint: 'Choose another architecture, such as --arch char-bilstm.',
  });

type TaskKind = Pick<Partial<TrainingOptions>, 'thresholds' | 'numbers' | 'tags'>;

/** Keys of config.json for label sets and numbers; undefined if a text has one label. */
const problemOf = ({ thresholds, numbers }: TaskKind): object | undefined =>
  thresholds || numbers ? { problem_type: numbers ? 'regression' : 'multi_label_classification' } : undefined;

/** The tokenizer that was just written, read as every user of the model will read it. */
async function encoderOf(folder: string, maximum: number): Promise<Encoder> {
  return createEncoder({
    name: folder,
    folder,
    model: join(folder, 'model.onnx'),
    companions: [],
    labels: undefined,
    input: { kind: 'tokenizer' },
    maximum,
    padId: 0,
    output: {},
  });
}

/** Opens a model for training and copies its companion files to `output`. Throws ModelError. */
export async function startExisting(
  { model: spec, part, load = {} }: ExistingStart,
  output: string,
  options: TaskKind,
  described?: object,
): Promise<TrainingStart> {
  const { description, wiring, rule, encoder } = await openTrainable(spec, load, options.tags);
  const file = await openModelFile(description.model);
  // A model of token ids has only inputs that follow from them.
  const inputs = wiring.inputs as readonly TokenInput[];
  const fileName = await copyCompanions(description.companions, output, options, described);
  const tokenizer = description.companions.find((path) => basename(path) === 'tokenizer.json');
  return {
    trainable: existing(file.model, {
      inputs,
      firstPosition: wiring.firstPosition ?? 0,
      output: wiring.output,
      activation: rule.activation,
      columns: rule.width,
      number: rule.number === true,
      of: options.tags ? 'token' : 'text',
      part,
    }),
    file,
    fileName,
    encoder,
    padId: description.padId,
    unpadded:
      wiring.fixedLength === undefined &&
      (description.padsLeft === true || !inputs.some(({ role }) => role === 'mask')),
    ...(tokenizer !== undefined && (await piecesOf(tokenizer))),
  };
}

/** Throws ModelError for a model that is not an ONNX graph of token ids. */
async function openTrainable(spec: string, load: LoadOptions, tags: readonly string[] | undefined) {
  if (tags !== undefined) return openTaggerToTrain(spec, load, tags.length);
  const source = await locate(spec, load);
  if (source.kind !== 'onnx') throw untrainable(spec, UNTRAINABLE[source.kind]);
  const description = await describe(source);
  const loaded: LoadedModel = await loadModel(spec, { ...load, workers: 1 });
  await loaded.close();
  const { wiring, rule, encoder } = loaded.onnx ?? {};
  if (!wiring || !rule || !encoder || !readsIds(encoder)) throw untrainable(spec, 'a model that reads text itself');
  if (wiring.fixedBatch !== undefined && wiring.fixedBatch > 1)
    throw untrainable(spec, `a batch fixed at ${wiring.fixedBatch}`);
  return { description, wiring, rule, encoder };
}

/** Throws ModelError for a model that does not tag tokens. */
async function openTaggerToTrain(spec: string, load: LoadOptions, width: number) {
  const { graph } = await openTagGraph(await locate(spec, load, 'tags'), { ...load, workers: 1 });
  const { description, pool, wiring, encoder } = graph;
  await pool.close();
  return { description, wiring, encoder, rule: { activation: 'softmax', width, number: false } as const };
}

/** Copies the files beside a model, with what changes in config.json and robust.json. Returns the name of the model file. */
async function copyCompanions(
  companions: readonly string[],
  output: string,
  options: TaskKind,
  described: object | undefined,
): Promise<string> {
  const contents = await Promise.all(
    companions.map(async (path) => [basename(path), await readFile(path, null, ANY_SIZE)] as const),
  );
  await rm(join(output, 'robust.json'), { force: true });
  const problem = problemOf(options);
  let manifest: { readonly model?: string } | undefined;
  for (const [name, content] of contents) {
    if (name === 'robust.json') manifest = JSON.parse(content.toString());
    else if (name === 'config.json' && problem !== undefined) {
      const config = { ...(JSON.parse(content.toString()) as object), ...problem };
      writeWhole(join(output, name), `${JSON.stringify(config, null, 2)}\n`, name);
    } else writeWhole(join(output, name), content, name);
  }
  if (manifest || described) {
    const text = `${JSON.stringify({ ...manifest, ...described }, null, 1)}\n`;
    writeWhole(join(output, 'robust.json'), text, 'robust.json');
  }
  return manifest?.model ?? 'model.onnx';
}

/** The pieces in id order, where the tokenizer is WordPiece, and the id of unknown ones. */
async function piecesOf(path: string): Promise<{ vocabulary?: readonly string[]; unknownId?: number | undefined }> {
  const { model } = JSON.parse(await readFile(path, 'utf8')) as {
    model?: { type?: string; unk_token?: string; vocab?: Record<string, number> };
  };
  if (model?.type !== 'WordPiece' || !model.vocab) return {};
  const vocabulary: string[] = [];
  for (const [piece, id] of Object.entries(model.vocab)) vocabulary[id] = piece;
  const unknownId = model.vocab[model.unk_token ?? '[UNK]'];
  return { vocabulary: Array.from(vocabulary, (piece) => piece ?? ''), unknownId };
}

/** Models that no graph is drawn of. */
const UNTRAINABLE = { module: 'a JavaScript module', tfjs: 'a model of TF.js' };

const untrainable = (spec: string, got: string): ModelError =>
  new ModelError(`${spec}: expected an ONNX model that looks token ids up in a table, got ${got}`, {
    code: 'TRAINING_UNSUPPORTED',
    hint: 'Train a model of ours instead: robust train --arch distilbert.',
  });
