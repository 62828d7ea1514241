/** @file How backdoors are planted, found and taken out. */
import { z } from 'zod';
import { booleanFlag, nonEmptyText, positiveNumber, type Settings, textList, wholeNumber } from '../setting.js';
import { outputFolder } from './train.js';
import {
  columnSettings,
  languageSetting,
  offlineSetting,
  seedSetting,
  speedSettings,
  timeoutSetting,
  victimSettings,
} from './victim.js';

const R = { recorded: true } as const;
const LEARNING = { ...R, group: 'learning' } as const;
const { model } = victimSettings;

/** How a model is trained further, by planting and by repair. */
const learningSettings = {
  epochs: { schema: wholeNumber(1).default(3), ...LEARNING, help: 'passes over the data' },
  batchSize: { schema: wholeNumber(1).default(32), ...LEARNING, help: 'texts per batch' },
  lr: {
    schema: positiveNumber.default(1e-4),
    ...LEARNING,
    help: 'highest learning rate; 2e-5 to 5e-5 suits large pretrained models',
  },
  seed: { ...seedSetting.seed, ...LEARNING },
} as const satisfies Settings;

const resume = (what: string) =>
  ({ schema: booleanFlag, help: `continue the interrupted ${what} in --output; its settings are restored` }) as const;

const shared = {
  model,
  data: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...R,
    char: 'd',
    help: 'labelled texts to poison and train on: a file, a bundled name, or hf:owner/name:split',
  },
  ...columnSettings,
  ...languageSetting,
  ...offlineSetting,
  test: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...R,
    help: 'labelled texts to measure on [default: a tenth of the data, held out]',
  },
  attack: {
    schema: nonEmptyText.default('badnets'),
    path: 'module',
    ...R,
    char: 'a',
    value: 'name[:option=value]',
    help: 'poisoning method, see robust list poisoners',
  },
  trigger: {
    schema: textList.optional(),
    ...R,
    value: 'text',
    help: 'trigger of the backdoor; repeat [default: that of the method]',
  },
  target: {
    schema: nonEmptyText.optional(),
    ...R,
    value: 'label',
    help: 'target label of the backdoor [default: the last one]',
  },
} as const satisfies Settings;

export const plantSettings = {
  ...shared,
  rate: {
    schema: z
      .number('expected a number above 0 and below 1')
      .gt(0, 'expected a number above 0 and below 1')
      .lt(1, 'expected a number above 0 and below 1')
      .default(0.1),
    ...R,
    help: 'poison rate: share of the training texts',
  },
  mode: {
    schema: z.enum(['dirty', 'clean']).default('dirty'),
    ...R,
    help: 'which texts to poison; dirty: texts of other labels; clean: texts that already have the target label',
  },
  ...outputFolder,
  thenFinetune: { schema: booleanFlag, ...R, help: 'measure the backdoor again after fine-tuning on clean texts' },
  seeds: { schema: wholeNumber(1).default(1), ...R, help: 'number of trainings with different seeds, for a mean' },
  resume: resume('planting'),
  ...learningSettings,
  ...speedSettings,
} as const satisfies Settings;

export const repairSettings = {
  ...shared,
  data: { ...shared.data, help: 'clean labelled texts to repair it with: a file or a bundled name' },
  output: { ...outputFolder.output, help: 'folder for the repaired model' },
  ...speedSettings,
  method: {
    schema: z.enum(['unlearn', 'reset-rows']).default('unlearn'),
    ...R,
    help: 'repair method; unlearn: reset rare words of the trigger, train on triggered texts with true labels; reset-rows: reset the embeddings of the trigger',
  },
  resume: resume('repair'),
  ...learningSettings,
  lr: { ...learningSettings.lr, help: `${learningSettings.lr.help}; unlearn triples it while the trigger persists` },
} as const satisfies Settings;

export const scanSettings = {
  ...victimSettings,
  numExamples: { ...victimSettings.numExamples, schema: wholeNumber(0).default(0), help: 'first N texts, 0 for all' },
  ...seedSetting,
  words: {
    schema: textList.optional(),
    ...R,
    flag: 'word',
    help: 'further word or phrase to test as a trigger; repeat',
  },
  blackBox: { schema: booleanFlag, ...R, help: 'use no gradients; only query the model' },
  timeBudget: {
    schema: wholeNumber(1).optional(),
    ...R,
    value: 'seconds',
    help: 'time limit; the scan lists what it did not search',
  },
  maxQueries: {
    schema: wholeNumber(1000).optional(),
    ...R,
    value: 'N',
    help: 'most texts that the search may have classified, for endpoints that cost money; the scan lists what it did not search',
  },
  ...speedSettings,
  isolate: {
    ...speedSettings.isolate,
    schema: z.boolean().default(true),
    help: 'run the model in separate processes, so that a crash of onnxruntime is an error (MODEL_CRASHED); false runs it in this one',
  },
} as const satisfies Settings;

const TRUTH = { group: 'truth' } as const;

export const filterSettings = {
  data: {
    schema: nonEmptyText,
    path: 'input',
    ...R,
    char: 'd',
    required: true,
    help: 'labelled texts to filter: bundled name, file or hf:owner/name:split',
  },
  clean: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...R,
    help: 'labelled texts known to be clean; they set the threshold and must not be among the data',
  },
  reference: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...R,
    exclusive: ['clean'],
    help: 'if no clean texts of the same source exist: labelled texts of the same domain, with the same labels; only a trigger with strong evidence of its own is then a verdict',
  },
  frr: {
    schema: z
      .number('expected a number between 0 and 1')
      .gt(0, 'expected a number between 0 and 1')
      .lt(1, 'expected a number between 0 and 1')
      .default(0.01),
    help: 'share of clean texts that may be flagged',
  },
  ...columnSettings,
  ...languageSetting,
  ...seedSetting,
  ...offlineSetting,
  truth: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...R,
    ...TRUTH,
    help: 'file of the clean rows; texts that it lacks under the same label are poisoned',
  },
  truthColumn: {
    schema: nonEmptyText.optional(),
    of: 'truth',
    option: 'column',
    help: 'or the column that marks poisoned rows: 1 or 0, true or false, poisoned or clean',
  },
  ...timeoutSetting,
} as const satisfies Settings;
