/** @file A checkpoint made an ONNX model: a folder that --model, other tools and other machines take. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Converted, convertCheckpoint } from '../../packages/onnx/src/convert/index.js';
import { saveModel } from '../../packages/onnx/src/convert/save.js';
import { PROMPTS_FILE } from '../../packages/onnx/src/convert/sentence-files.js';
import type { Task } from '../../packages/onnx/src/convert/task.js';
import { booleanFlag, type GivenValues, type Settings } from '../config/setting.js';
import { outputFolder } from '../config/settings/index.js';
import { defined } from '../core/defined.js';
import { ModelError, RobustError } from '../core/errors.js';
import { copyFile, makeFolder, outputError, writeWhole } from '../files/write.js';
import { locateCheckpoint } from '../model/load.js';
import { composedSource, readConfig } from '../model/opening/conversion.js';
import { type CheckedConversion, checkConversion } from '../model/opening/conversion-check.js';
import { TOKENIZER_FILES } from '../model/opening/layout.js';
import type { UseCaseHooks } from './context.js';
import { type UseCaseFunction, useCase } from './use-case.js';

export const convertSettings = {
  ...outputFolder,
  precision: {
    schema: z.enum(['fp32', 'fp16']).default('fp32'),
    help: 'fp16 halves the file; the model still computes in fp32',
  },
  check: {
    schema: booleanFlag,
    help: 'check the result: each text alone and all together, and against the ONNX file of the source if it has one',
  },
  force: { schema: booleanFlag, help: 'overwrite an existing model' },
} as const satisfies Settings;

export interface ConvertOptions extends GivenValues<typeof convertSettings>, UseCaseHooks {
  /** A folder, or hf:org/name[@revision]. */
  readonly source: string;
}

/** Each task in words. */
const TASK_NAMES: Readonly<Record<Task, string>> = {
  classify: 'classifier',
  tags: 'model that tags tokens',
  masked: 'masked language model',
  causal: 'causal language model',
};

export interface ConvertResult {
  /** The folder. */
  readonly output: string;
  /** `model_type` of its config: "bert". */
  readonly family: string;
  readonly task: Task;
  /** Numbers in its weights. */
  readonly parameters: number;
  readonly check?: CheckedConversion;
  /** Keys of config.json that the graph depends on or that were checked, those that change nothing, and unknown ones, which `check` refuses. */
  readonly options: Converted['options'];
}

/** Throws RobustError, ModelError, OutputError; RobustError MODEL_DAMAGED where what was written answers wrongly. */
export const convert: UseCaseFunction<ConvertOptions, ConvertResult> = useCase({
  settings: convertSettings,
  others: ['source'],
  async run(choice, context, { source }) {
    const { output, precision, check, force } = choice;
    const file = join(output, 'model.onnx');
    if (existsSync(file) && !force) throw occupied(output);
    const files = await locateCheckpoint(source, context.loading(source));
    const composed = await composedSource(files, context.loading(source));
    const half = precision === 'fp16';
    const { model, modelType, task, options } = await (composed?.draw(half) ??
      convertCheckpoint(files.folder, await readConfig(files.folder), { half }));
    if (check && options.unknown.length > 0) throw unknownKeys(files.folder, options.unknown);
    makeFolder(output, 'the folder of the model');
    composed?.describe(output);
    for (const name of composed ? [] : ['config.json', PROMPTS_FILE, ...TOKENIZER_FILES]) {
      const [from, to] = [join(files.folder, name), join(output, name)];
      if (!existsSync(from)) continue;
      try {
        copyFile(from, to);
      } catch (cause) {
        throw outputError(name, to, cause);
      }
    }
    saveModel(model, file, { write: writeWhole });
    const parameters = [...model.graph.initializers.values()].reduce((sum, { size }) => sum + size, 0);
    const checked = check ? await checkConversion(output, files.folder, precision) : undefined;
    return { output, family: modelType, task, parameters, options, ...defined({ check: checked }) };
  },
});

/** Lines on the converted model, its config and its check. */
export function conversionLines({ family, task, parameters, check, options }: ConvertResult): string[] {
  const lines = [`${family} ${TASK_NAMES[task]}, ${parameters.toLocaleString('en')} parameters\n`];
  lines.push(`Read from config.json: ${options.read.join(', ')}\n`);
  if (options.ignored.length > 0) lines.push(`Without effect on the graph: ${options.ignored.join(', ')}\n`);
  if (options.unknown.length > 0) lines.push(`Unknown to robust, which may matter: ${options.unknown.join(', ')}\n`);
  if (check) {
    const { reference, fromReference, inCompany, spread, texts } = check;
    const beside =
      reference === null
        ? ''
        : `; from ${reference} by ${fromReference?.toPrecision(2)}, which differs by ${spread?.toPrecision(2)} itself`;
    lines.push(`Checked on ${texts} texts: alone and together they differ by ${inCompany.toPrecision(2)}${beside}\n`);
  }
  return lines;
}

const unknownKeys = (folder: string, keys: readonly string[]): ModelError =>
  new ModelError(
    `${join(folder, 'config.json')}: expected keys that the graph was drawn from or that change nothing, got ${keys.join(', ')}`,
    {
      code: 'MODEL_UNSUPPORTED',
      hint: 'A key that robust does not know may change the answers. Where it does not, take it out of the file; else export the model to ONNX.',
    },
  );

const occupied = (output: string): RobustError =>
  new RobustError(`--output: ${output} holds a model already`, {
    code: 'OUTPUT_TAKEN',
    hint: 'Name another folder, or --force to overwrite it.',
  });
