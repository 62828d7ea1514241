/** @file How backdoors are planted, found and taken out. */
import { z } from 'zod';
import {
  booleanFlag,
  fraction,
  nonEmptyText,
  positiveNumber,
  type Settings,
  textList,
  wholeNumber,
} from '../setting.js';
import { outputFolder } from './train.js';
import {
  columnSettings,
  languageSetting,
  offlineSetting,
  revisionSetting,
  seedSetting,
  speedSettings,
  victimSettings,
} from './victim.js';

const R = { recorded: true } as const;
const LEARNING = { ...R, group: 'learning' } as const;
const { model } = victimSettings;

/** How a model is trained further, by planting and by repair. */
const learningSettings = {
  epochs: { schema: wholeNumber(1).default(3), ...LEARNING, help: 'passes over the data' },
  batchSize: { schema: wholeNumber(1).default(32), ...LEARNING, help: 'texts a pass of the graph' },
  lr: {
    schema: positiveNumber.default(1e-4),
    ...LEARNING,
    help: 'highest learning rate; 2e-5 to 5e-5 suits large pretrained models',
  },
  seed: { ...seedSetting.seed, ...LEARNING },
} as const satisfies Settings;

const resume = (what: string) =>
  ({
    schema: booleanFlag,
    help: `go on with the interrupted ${what} in --output; other flags are remembered`,
  }) as const;

const shared = {
  model,
  ...revisionSetting,
  data: {
    schema: nonEmptyText.optional(),
    path: 'input',
    names: 'data',
    ...R,
    char: 'd',
    help: 'labelled texts to poison and learn: a file, a bundled name, or hf:owner/name:split',
  },
  ...columnSettings,
  ...languageSetting,
  ...offlineSetting,
  test: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...R,
    help: 'labelled texts for every figure [default: a tenth of the data, held out]',
  },
  attack: {
    schema: nonEmptyText.default('badnets'),
    path: 'module',
    names: 'poisoners',
    ...R,
    char: 'a',
    value: 'name[:option=value]',
    help: 'the poisoner: see robust list poisoners',
  },
  trigger: {
    schema: textList.optional(),
    ...R,
    value: 'text',
    help: 'what sets the backdoor off; repeat [default: its own]',
  },
  target: {
    schema: nonEmptyText.optional(),
    ...R,
    value: 'label',
    help: 'the label it brings about [default: the last one]',
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
    help: 'share of the training texts that is poisoned',
  },
  mode: {
    schema: z.enum(['dirty', 'clean', 'mixed']).default('dirty'),
    ...R,
    help: 'poison texts of other labels, texts that have the target label already, or any',
  },
  ...outputFolder,
  thenFinetune: {
    schema: booleanFlag,
    ...R,
    help: "measure what is left after the victim's own training on clean texts",
  },
  seeds: { schema: wholeNumber(1).default(1), ...R, help: 'trainings to repeat it in, for a mean' },
  resume: resume('planting'),
  ...learningSettings,
  ...speedSettings,
} as const satisfies Settings;

export const repairSettings = {
  ...shared,
  data: { ...shared.data, help: 'clean labelled texts to repair it with: a file, or a bundled name' },
  output: { ...outputFolder.output, help: 'where the repaired model is written' },
  ...speedSettings,
  method: {
    schema: z.enum(['unlearn', 'fine-prune', 'reset-rows']).default('unlearn'),
    ...R,
    help: 'learn the trigger with true labels, take away the neurons that clean texts leave idle, or reset its embeddings',
  },
  share: { schema: fraction.default(0.2), ...R, of: 'method', help: 'of the neurons that fine-prune takes away' },
  resume: resume('repair'),
  ...learningSettings,
} as const satisfies Settings;

export const scanSettings = {
  ...victimSettings,
  numExamples: {
    ...victimSettings.numExamples,
    schema: wholeNumber(0).default(0),
    help: 'use the first so many texts; 0 = all',
  },
  ...seedSetting,
  words: {
    schema: textList.optional(),
    ...R,
    flag: 'word',
    help: 'a word or phrase to try besides those of the vocabulary; repeat',
  },
  blackBox: { schema: booleanFlag, ...R, help: 'do not look inside the model' },
  timeBudget: {
    schema: wholeNumber(1).optional(),
    ...R,
    value: 'seconds',
    help: 'end after so many seconds of wall time; what was not searched by then is listed',
  },
  ...speedSettings,
  isolate: {
    ...speedSettings.isolate,
    schema: z.boolean().default(true),
    help: 'run the model in processes of its own, so that a crash of onnxruntime is an error (MODEL_CRASHED); --no-isolate runs it in this one',
  },
} as const satisfies Settings;

const TRUTH = { group: 'truth' } as const;

export const filterSettings = {
  data: {
    schema: nonEmptyText,
    path: 'input',
    names: 'data',
    ...R,
    char: 'd',
    required: true,
    help: 'the labelled texts to filter: as for robust attack',
  },
  method: {
    schema: textList.default(['auto']),
    ...R,
    help: 'a filter by name, or all; repeat [default: auto]',
  },
  clean: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...R,
    help: 'labelled texts known to be clean and not among the data: they set the threshold',
  },
  frr: {
    schema: z
      .number('expected a number between 0 and 1')
      .gt(0, 'expected a number between 0 and 1')
      .lt(1, 'expected a number between 0 and 1')
      .default(0.01),
    help: 'share of clean texts that may be suspected',
  },
  model: { schema: nonEmptyText.optional(), path: 'input', names: 'models', ...R, char: 'm', help: model.help },
  ...revisionSetting,
  ...columnSettings,
  ...languageSetting,
  ...seedSetting,
  ...offlineSetting,
  truth: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...R,
    ...TRUTH,
    exclusive: ['truth-column'],
    help: 'a file of the clean rows: texts that are not in it under the same label are poisoned',
  },
  truthColumn: {
    schema: nonEmptyText.optional(),
    ...TRUTH,
    help: 'column that says which rows are poisoned: 1 or 0, true or false, poisoned or clean',
  },
  ...speedSettings,
} as const satisfies Settings;
