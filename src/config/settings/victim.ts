/** @file The model under test and its texts. */
import { z } from 'zod';
import { booleanFlag, KEPT, nonEmptyText, type Settings, SHARED, textList, wholeNumber } from '../setting.js';
import { endpointSettings } from './endpoint.js';

const label = z.union([z.string(), z.int().min(0)]).transform(String);

/** Options of `--runtime`. */
const RUNTIME = { group: 'running', of: 'runtime' } as const;

export const selectionSettings = {
  shuffle: {
    schema: booleanFlag,
    group: 'data',
    of: 'numExamples',
    help: 'draw the examples at random from the whole file, by --seed',
    ...SHARED,
    fingerprint: 'set',
  },
  offset: {
    schema: wholeNumber(0).optional(),
    group: 'data',
    of: 'numExamples',
    help: 'skip the first N examples, after they are shuffled',
    ...SHARED,
    fingerprint: 'set',
  },
} as const satisfies Settings;

export const dataSettings = {
  data: {
    schema: nonEmptyText.default('reviews'),
    char: 'd',
    path: 'input',
    help: 'labelled texts: bundled name, file or hf:owner/name:split; files: .tsv, .csv, .jsonl, .json, .parquet or .arrow, also compressed, or a pattern for several (docs/data.md)',
    ...KEPT,
  },
  numExamples: {
    schema: wholeNumber(0).default(200),
    char: 'n',
    help: 'first N examples, 0 for all',
    ...SHARED,
    fingerprint: 'always',
  },
  ...selectionSettings,
} as const satisfies Settings;

export const columnSettings = {
  textColumn: {
    schema: nonEmptyText.optional(),
    group: 'data',
    of: 'columns',
    option: 'text',
    help: 'column of the texts, if it cannot be guessed',
    ...KEPT,
  },
  labelColumn: {
    schema: nonEmptyText.optional(),
    group: 'data',
    of: 'columns',
    option: 'label',
    help: 'column of the labels',
    ...KEPT,
  },
  idColumn: {
    schema: nonEmptyText.optional(),
    group: 'data',
    of: 'columns',
    option: 'id',
    help: 'column of the ids; without it rows are numbered',
    ...KEPT,
  },
  labelMap: {
    schema: z.record(z.string(), label).optional(),
    group: 'data',
    value: 'data=model',
    help: 'maps a label of the data to one of the model; repeat',
    ...KEPT,
  },
} as const satisfies Settings;

export const offlineSetting = {
  offline: {
    schema: booleanFlag,
    ...RUNTIME,
    help: 'never use the network; models of the Hub come from the cache, as with HF_HUB_OFFLINE=1',
    configured: true,
  },
} as const satisfies Settings;

export const languageSetting = {
  language: {
    schema: nonEmptyText.optional(),
    group: 'data',
    value: 'code',
    path: 'module',
    help: 'language of the texts, or auto; en, de, fr, es, it, pt, ru, zh, ar, hi, any other code, or a file of yours (docs/languages.md); attacks that it does not support are left out [default: en]',
    ...SHARED,
  },
} as const satisfies Settings;

/** The victim and the labelled texts. */
export const victimSettings = {
  model: {
    schema: nonEmptyText.default('distilbert'),
    char: 'm',
    path: 'input',
    expands: true,
    help: 'bundled name, folder, file, hf:org/name or URL; a folder holds an ONNX model or a checkpoint; files: .onnx or .mjs (a module of yours); hf:org/name[@revision] is a model of the Hugging Face Hub; URLs such as kserve+http://host:8000/v2/models/NAME are endpoints (docs/remote.md); cmd:COMMAND or cmd:FILE.yaml is a program of yours (docs/reference/process.md)',
    ...KEPT,
  },
  ...dataSettings,
  ...columnSettings,
  ...languageSetting,
  force: { schema: booleanFlag, group: 'data', help: 'run although the labels look permuted', ...SHARED },
  ...offlineSetting,
  ...endpointSettings,
} as const satisfies Settings;

/** Defences between the text and the model. */
export const defendSetting = {
  defend: {
    schema: textList.optional(),
    group: 'data',
    value: 'name[:option=value]',
    path: 'module',
    help: 'put a defence before the model; see robust list defences; texts=FILE is for defences that learn from texts; repeat',
    ...SHARED,
  },
} as const satisfies Settings;

/** How long code of the user's own may take. */
export const timeoutSetting = {
  timeout: {
    schema: z
      .number('expected a number of seconds, 0 for any time')
      .min(0, 'expected a number of seconds, 0 for any time')
      .default(60),
    ...RUNTIME,
    value: 'seconds',
    help: 'time limit for one answer of an .mjs module, or for one step of an attack of yours; 0: no limit',
    configured: true,
  },
} as const satisfies Settings;

/** How, not what: none of them changes a result. */
export const speedSettings = {
  isolate: {
    schema: z.boolean().optional(),
    ...RUNTIME,
    negatable: true,
    help: 'run the model in separate processes, so that a crash of onnxruntime is an error (MODEL_CRASHED) and not the end of the run [default: for hf: models]',
    configured: true,
  },
  workers: {
    schema: wholeNumber(1).optional(),
    ...RUNTIME,
    help: 'threads that run the model [default: one per core]',
    configured: true,
  },
  ...timeoutSetting,
} as const satisfies Settings;

/** As model/device.ts reads them. */
const DEVICE = /^(?:cpu|auto|webgpu|coreml|(?:cuda|dml)(?::\d{1,2})?)$/;

export const precisionSetting = {
  precision: {
    schema: z.enum(['fp32', 'int8']).optional(),
    ...RUNTIME,
    help: 'int8: searches query the model in 8 bits, which is faster; the original model does the clean pass and confirms every success [default: as in robust.json, else fp32; int8 for wide graphs that quantise whole batches]',
    ...SHARED,
  },
} as const satisfies Settings;

export const deviceSetting = {
  device: {
    schema: z.string().regex(DEVICE, 'expected cpu, auto, cuda, cuda:1, webgpu, dml or coreml').optional(),
    ...RUNTIME,
    help: 'device of the searches: cpu, cuda, cuda:1, webgpu, dml, coreml or auto; the processor does the clean pass and confirms every success [default: cpu]',
    ...SHARED,
  },
} as const satisfies Settings;

export const windowSettings = {
  windows: {
    schema: z.enum(['max', 'mean']).optional(),
    group: 'decision',
    of: 'task',
    help: 'read long texts in windows instead of cutting them; the score is the max or the mean over the windows',
    ...SHARED,
  },
  stride: {
    schema: wholeNumber(1).optional(),
    group: 'decision',
    of: 'task',
    help: 'with windows: tokens from the start of one window to the next [default: half a window]',
    ...SHARED,
  },
} as const satisfies Settings;

export const seedSetting = {
  seed: { schema: wholeNumber(0).default(42), help: 'random seed', ...SHARED, fingerprint: 'always' },
} as const satisfies Settings;

export const engineSetting = {
  engine: {
    schema: z.enum(['onnx', 'tfjs']).default('onnx'),
    ...RUNTIME,
    help: 'what computes gradients: onnxruntime or TF.js',
    ...SHARED,
    fingerprint: 'always',
  },
} as const satisfies Settings;
