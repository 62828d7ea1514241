/** @file The checks of a family, by a checkpoint of transformers: a row of the table in docs/reference/models.md is their result. */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { floatsOf } from '../../packages/onnx/src/convert/checkpoint/floats.js';
import { openCheckpoint } from '../../packages/onnx/src/convert/checkpoint/open.js';
import { familyOfType } from '../../packages/onnx/src/convert/families/index.js';
import { convertCheckpoint } from '../../packages/onnx/src/convert/index.js';
import { readModel } from '../../packages/onnx/src/graph/read.js';
import { writeModel } from '../../packages/onnx/src/graph/write.js';
import { compare } from '../../packages/onnx/test/autodiff/held-against.js';
import {
  answers,
  convertedAnswers,
  distance,
  explanationsOf,
  type Json,
  safetensorsBytes,
  type Tensors,
} from '../../packages/onnx/test/convert/checkpoints.js';
import { convert } from '../../src/app/convert.js';
import type { Dataset } from '../../src/core/dataset.js';
import { PAIR_SEPARATOR } from '../../src/core/pair.js';
import { random } from '../../src/core/random.js';
import type { Engine } from '../../src/gradient/white-box/engine.js';
import { onnxEngine } from '../../src/gradient/white-box/onnx-engine.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { trainModel } from '../../src/train/index.js';
import { type Golden, goldens } from '../model/goldens.js';
import { OPTIONS } from '../train/toy.js';

const root = mkdtempSync(join(tmpdir(), 'robust-families-'));

/** A text or a pair as transformers read it, and the logits it gave. */
interface Asked {
  readonly texts: string | readonly [string, string];
  readonly ids: readonly number[];
  readonly types: readonly number[];
  readonly logits: readonly number[];
}

interface FamilyCase {
  readonly name: string;
  readonly folder: string;
  readonly asked: readonly Asked[];
  /** With gradients. */
  readonly golden?: Golden;
}

const first: readonly FamilyCase[] = goldens
  .filter(({ name }) => !/^(dynamo-|bert-|gpt2-)/.test(name))
  .map((golden) => ({
    name: golden.name,
    folder: golden.folder,
    golden,
    asked: golden.cases
      .filter(({ texts }) => texts.length === 1)
      .map(({ texts: [texts], input_ids: [ids], token_type_ids: [types] = [], logits }) => ({
        texts: texts!,
        ids: ids!,
        types: types ?? ids!.map(() => 0),
        logits: logits![0]!,
      })),
  }));

const more = fileURLToPath(new URL('../../../shared/goldens/transformers-2/', import.meta.url));
const second: readonly FamilyCase[] = !existsSync(more)
  ? []
  : readdirSync(more, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => {
        const folder = join(more, name);
        return { name, folder, asked: JSON.parse(readFileSync(join(folder, 'golden.json'), 'utf8')) as Asked[] };
      });

/** Empty where ../shared is absent. */
export const FAMILIES = [...first, ...second].sort((a, b) => (a.name < b.name ? -1 : 1));
const TEXTS = ['A fine film.', 'What a dull story!', 'not bad , not good', 'Dull.'];

const configOf = (folder: string): Json => JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Json;
const hub = { cache: join(root, 'hub') };
const query = ({ texts }: Asked): string => (typeof texts === 'string' ? texts : texts.join(PAIR_SEPARATOR));
const singlesOf = (asked: readonly Asked[]): readonly Asked[] => asked.filter((each) => !isPair(each));
const isPair = ({ texts }: Asked): boolean => typeof texts !== 'string';

/** As a user has it: a folder without ONNX. */
function ownFolder({ folder, name }: FamilyCase): string {
  const own = mkdtempSync(join(root, `${name}-`));
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors']) {
    copyFileSync(join(folder, file), join(own, file));
  }
  return own;
}

async function answersAs(model: LoadedModel, asked: readonly Asked[]): Promise<void> {
  const rows = await model.logits!(asked.map(query));
  for (const [at, { logits }] of asked.entries()) expect(distance(rows[at]!, logits)).toBeLessThanOrEqual(1e-5);
}

/** Token types of these were not fed when the references were made. */
const WITHOUT_TYPES = ['bigbird', 'convbert', 'ernie', 'nomic'];

async function pairs({ name, folder, asked }: FamilyCase, model: LoadedModel): Promise<void> {
  const both = asked.filter(isPair);
  expect(both.length).toBeGreaterThan(0);
  if (!WITHOUT_TYPES.includes(name)) return answersAs(model, both);
  for (const { texts, ids, logits } of both) {
    const encoded = model.onnx!.encoder.encode(...(texts as [string, string]));
    expect([...encoded.ids]).toEqual(ids);
    const fed = { input_ids: [ids], attention_mask: [ids.map(() => 1)], token_type_ids: [ids.map(() => 0)] };
    const { data } = await convertedAnswers(folder, configOf(folder), fed);
    expect(distance(data, logits)).toBeLessThanOrEqual(1e-5);
  }
}

/** `robust convert --check`, and the folder that it writes. */
async function converts({ name, asked }: FamilyCase, own: string): Promise<void> {
  const output = join(root, `${name} converted`);
  await convert({ source: own, output, check: true });
  const model = await loadModel(output, { workers: 1, logits: true });
  try {
    await answersAs(model, singlesOf(asked));
  } finally {
    await model.close();
  }
}

/** Gradients of the looked-up words, and of all weights, as PyTorch's. */
async function asPyTorch({ folder, golden }: FamilyCase): Promise<void> {
  if (golden === undefined) return;
  const { model } = convertCheckpoint(folder, configOf(folder));
  const read = readModel(writeModel(model), () => new Uint8Array());
  expect(await compare(onnxEngine(), golden, read, golden.cases.slice(-2))).toEqual([]);
}

/** The gradient of a text by an engine, and an explanation from it. */
async function gradientOf(model: LoadedModel, engine: Engine['name'], explained: boolean) {
  const gradients = await openWhiteBox(model, { engine, workers: 1 });
  try {
    const { values, probabilities } = await gradients.gradient(TEXTS[0]!, 0);
    expect(Math.hypot(...values)).toBeGreaterThan(0);
    const [answer] = await model.classify([TEXTS[0]!]);
    expect(distance(probabilities, answer!)).toBeLessThanOrEqual(1e-5);
    if (explained) {
      const methods = ['lime', 'gradient-x-input', 'integrated-gradients'] as const;
      const found = await explanationsOf(model, gradients, TEXTS[0]!, { methods, samples: 40, steps: 4 });
      for (const { words } of found) expect(words.some(({ weight }) => weight !== 0)).toBe(true);
    }
    return values;
  } finally {
    await gradients.close();
  }
}

async function engines(model: LoadedModel): Promise<void> {
  const [one, other] = [await gradientOf(model, 'onnx', false), await gradientOf(model, 'tfjs', false)];
  expect(distance(one, other)).toBeLessThanOrEqual(1e-4 * Math.max(...one.map(Math.abs)));
}

/** One step from the checkpoint: its answers change, and the trained model gives them. */
async function trains({ name }: FamilyCase, own: string, model: LoadedModel): Promise<void> {
  const { labels } = model;
  const data: Dataset = {
    name: 'some texts',
    labels,
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      for (const [at, text] of TEXTS.entries()) yield { id: String(at), text, label: at % labels.length };
    },
  };
  const output = join(root, `${name} trained`);
  const history = await trainModel({
    start: { kind: 'existing', model: own, part: 'all', load: { workers: 1, hub } },
    train: data,
    validation: data,
    options: { ...OPTIONS, epochs: 1, batchSize: TEXTS.length, rate: 1e-3, warmup: 0 },
    output,
    folder: join(output, 'training'),
    resume: false,
  });
  expect(history.points.every(({ loss }) => Number.isFinite(loss))).toBe(true);
  const trained = await loadModel(output, { workers: 1 });
  try {
    const [before, after] = [await model.classify(TEXTS), await trained.classify(TEXTS)];
    const moved = after.map((row, at) => distance(row, before[at]!));
    expect(Math.max(...moved)).toBeGreaterThan(1e-5);
    expect(Math.max(...moved)).toBeLessThan(1);
  } finally {
    await trained.close();
  }
}

/**
 * The checkpoint with a head for each token in place of the classifier: the score of a decoder's last token is the classifier's; other families
 * have another head, which is new.
 */
async function tags({ folder, name, asked }: FamilyCase): Promise<void> {
  const config = configOf(folder);
  const { tensors } = openCheckpoint(folder);
  const all: Tensors = new Map(tensors.map((tensor) => [tensor.name, { dims: tensor.dims, values: floatsOf(tensor) }]));
  const score = all.get('score.weight');
  const base = [...all].filter(([key]) => key.startsWith(`${familyOfType(String(config.model_type))!.prefix}.`));
  const own = mkdtempSync(join(root, `${name}-tags-`));
  const labels = score?.dims[0] ?? 3;
  const bias = { dims: [labels], values: new Float32Array(labels) };
  const layer: Tensors = new Map(
    score && [
      ['score.weight', score],
      ['score.bias', bias],
    ],
  );
  writeFileSync(join(own, 'model.safetensors'), safetensorsBytes(new Map([...base, ...layer])));
  const architecture = String((config.architectures as string[])[0]).replace('ForSequence', 'ForToken');
  const wanted = { ...config, architectures: [architecture] };
  const head = score ? {} : { head: { labels, random: random(1, 'head'), task: 'tags' as const } };
  const { model } = convertCheckpoint(own, wanted, head);
  const { ids, types, logits } = asked[0]!;
  const fed = { input_ids: [ids], attention_mask: [ids.map(() => 1)], token_type_ids: [types] };
  const { dims, data } = await answers(model, fed);
  expect(dims).toEqual([1, ids.length, labels]);
  expect(data.every(Number.isFinite)).toBe(true);
  if (score) expect(distance(data.slice(-labels), logits)).toBeLessThanOrEqual(1e-5);
}

/** Texts with one beginning are computed from their first difference on: the same answers as of whole texts. */
async function reuses(model: LoadedModel, own: string): Promise<void> {
  expect(existsSync(join(dirname(model.onnx!.file), 'continued.onnx'))).toBe(true);
  const plain = await loadModel(own, { workers: 1, logits: true, reuse: false, hub });
  try {
    expect(model.sha256).not.toBe(plain.sha256);
    const texts = TEXTS.flatMap((text) => [`It said: ${text}`, `It said: ${text} And more.`]);
    const [rows, others] = [await model.logits!(texts), await plain.logits!(texts)];
    for (const at of texts.keys()) expect(distance(rows[at]!, others[at]!)).toBeLessThanOrEqual(1e-5);
  } finally {
    await plain.close();
  }
}

const kindOf = ({ folder }: FamilyCase): string =>
  (JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as { model: { type: string } }).model.type;

interface FamilyRow {
  readonly row: string;
  /** Why checks failed. */
  readonly reasons: readonly string[];
}

const COLUMNS = ['load', 'convert', 'white box', 'train', 'explain', 'pair', 'tags', 'reuse'] as const;

/** The beginning of the table. */
export const TABLE_HEAD = '| family | lacks | tokenizer |\n|---|---|---|';

/** Runs all checks on a family; its row names those that fail. */
export async function familyRow(family: FamilyCase): Promise<FamilyRow> {
  const own = ownFolder(family);
  const reasons: string[] = [];
  const onWarning = (line: string) => void reasons.push(line);
  const model = await loadModel(own, { workers: 1, logits: true, hub, onWarning });
  const checks: Readonly<Record<(typeof COLUMNS)[number], () => Promise<void>>> = {
    load: () => answersAs(model, singlesOf(family.asked)),
    convert: () => converts(family, own),
    async 'white box'() {
      await asPyTorch(family);
      await engines(model);
    },
    train: () => trains(family, own, model),
    async explain() {
      await gradientOf(model, 'onnx', true);
    },
    pair: () => pairs(family, model),
    tags: () => tags(family),
    reuse: () => reuses(model, own),
  };
  try {
    const lacks: string[] = [];
    for (const column of COLUMNS) {
      const fault = await checks[column]().then(
        () => undefined,
        (error: unknown) => `${column}: ${String(error).slice(0, 300)}`,
      );
      if (fault === undefined) continue;
      lacks.push(column);
      reasons.push(fault);
    }
    return { row: `| ${family.name} | ${lacks.join(', ') || '-'} | ${kindOf(family)} |`, reasons };
  } finally {
    await model.close();
  }
}
