/** @file What is tested, on which texts. */
import { z } from 'zod';
import { booleanFlag, KEPT, nonEmptyText, type Settings, SHARED, textList, wholeNumber } from '../setting.js';
import { endpointSettings } from './endpoint.js';

const label = z.union([z.string(), z.int().min(0)]).transform(String);

export const selectionSettings = {
  shuffle: {
    schema: booleanFlag,
    group: 'data',
    help: 'take the examples in a random order of the whole file, drawn by --seed: with -n a random sample',
    ...SHARED,
    fingerprint: 'set',
  },
  offset: {
    schema: wholeNumber(0).optional(),
    group: 'data',
    help: 'leave out so many examples first, of the shuffled order with --shuffle',
    ...SHARED,
    fingerprint: 'set',
  },
} as const satisfies Settings;

export const dataSettings = {
  data: {
    schema: nonEmptyText.default('reviews'),
    char: 'd',
    path: 'input',
    names: 'data',
    help: 'labelled texts: a bundled name, a .tsv, .csv, .jsonl, .json or .parquet file, packed or not, a pattern for several, or hf:owner/name:split (docs/data.md)',
    ...KEPT,
  },
  numExamples: {
    schema: wholeNumber(0).default(200),
    char: 'n',
    help: 'use the first so many examples; 0 = all',
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
    help: 'column of the texts, where its name does not say it',
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
    help: 'column of the ids; rows are numbered without it',
    ...KEPT,
  },
  labelMap: {
    schema: z.record(z.string(), label).optional(),
    group: 'data',
    value: 'data=model',
    help: 'a label of the data and the label of the model it means; repeat',
    ...KEPT,
  },
} as const satisfies Settings;

export const offlineSetting = {
  offline: {
    schema: booleanFlag,
    group: 'data',
    help: 'never use the network: a model from the Hub comes from its cache; so does HF_HUB_OFFLINE=1',
    configured: true,
  },
} as const satisfies Settings;

export const revisionSetting = {
  revision: {
    schema: nonEmptyText.optional(),
    group: 'data',
    instead: '--model NAME@{}',
    help: 'the branch, tag or commit of a model from the Hub; the same as @ behind its name',
    recorded: true,
  },
} as const satisfies Settings;

export const languageSetting = {
  language: {
    schema: nonEmptyText.optional(),
    group: 'data',
    value: 'code',
    path: 'module',
    help: 'language of the texts: auto, en, de, fr, es, it, pt, ru, zh, ar, hi, any other code, or the file of your own (docs/languages.md); what it does not offer is left out [default: en]',
    ...SHARED,
  },
} as const satisfies Settings;

/** The victim and the labelled texts. */
export const victimSettings = {
  model: {
    schema: nonEmptyText.default('distilbert'),
    char: 'm',
    path: 'input',
    names: 'models',
    expands: true,
    help: 'the classifier: a bundled name, a folder with an ONNX model, an .onnx file, a .bin file of fastText, an .mjs module, hf:org/name[@revision] from the Hugging Face Hub, or an endpoint such as kserve+http://host:8000/v2/models/NAME (docs/remote.md)',
    ...KEPT,
  },
  ...revisionSetting,
  ...dataSettings,
  ...columnSettings,
  ...languageSetting,
  force: {
    schema: booleanFlag,
    group: 'data',
    help: 'go on although the labels look permuted',
    ...SHARED,
  },
  ...offlineSetting,
  ...endpointSettings,
} as const satisfies Settings;

/** What stands between the text and the model. */
export const defendSetting = {
  defend: {
    schema: textList.optional(),
    group: 'data',
    value: 'name[:option=value]',
    path: 'module',
    names: 'defences',
    help: 'put a defence before the model (robust list defences); texts=FILE lets it learn from texts; repeat',
    ...SHARED,
  },
} as const satisfies Settings;

/** Options of `--runtime`. */
const RUNTIME = { group: 'running', of: 'runtime' } as const;

/** How long code of the user's own may take. */
export const timeoutSetting = {
  timeout: {
    schema: z
      .number('expected a number of seconds, 0 for any time')
      .min(0, 'expected a number of seconds, 0 for any time')
      .default(60),
    ...RUNTIME,
    value: 'seconds',
    help: 'how long one answer of an .mjs module may take, or an attack of your own may neither ask nor end; 0: any time',
    configured: true,
  },
} as const satisfies Settings;

/** How, not what: none of them changes a result. */
export const speedSettings = {
  isolate: {
    schema: z.boolean().optional(),
    group: 'running',
    negatable: true,
    help: 'run the model in processes of its own, so that a crash of onnxruntime is an error (MODEL_CRASHED) and not the end of the run [default: for hf: models]',
    configured: true,
  },
  workers: {
    schema: wholeNumber(1).optional(),
    ...RUNTIME,
    help: 'threads that run the model [default: one a core]',
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
    help: 'int8: searches query the model in 8 bits, which is faster; the model itself does the clean pass and confirms every success [default: what its robust.json says, else fp32; int8 for wide graphs that quantise whole batches]',
    ...SHARED,
  },
} as const satisfies Settings;

export const deviceSetting = {
  device: {
    schema: z.string().regex(DEVICE, 'expected cpu, auto, cuda, cuda:1, webgpu, dml or coreml').optional(),
    group: 'running',
    value: 'cpu|cuda[:i]|webgpu|dml|coreml|auto',
    help: 'where searches ask the model; on the processor it does the clean pass and confirms every success [default: cpu]',
    ...SHARED,
  },
} as const satisfies Settings;

export const windowSettings = {
  windows: {
    schema: z.enum(['max', 'mean']).optional(),
    group: 'decision',
    help: 'read texts that are longer than the model takes in windows instead of cutting them; the answer is the max or the mean of theirs',
    ...SHARED,
  },
  stride: {
    schema: wholeNumber(1).optional(),
    group: 'decision',
    of: 'windows',
    value: 'tokens',
    help: 'with --windows: tokens from the start of a window to that of the next [default: half of a window]',
    ...SHARED,
  },
} as const satisfies Settings;

export const seedSetting = {
  seed: {
    schema: wholeNumber(0).default(42),
    help: 'of all randomness',
    ...SHARED,
    fingerprint: 'always',
  },
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
