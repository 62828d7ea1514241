/** @file The flags of `robust train`. */
import { Flags } from '@oclif/core';
import { UsageError } from '../../core/errors.js';
import { ARCHITECTURES } from '../../train/architectures/names.js';
import { fraction, speedFlags, victimFlags, wholeNumber } from './flags.js';

/** A number above 0. */
const positive = (flag: string) =>
  Flags.custom<number>({
    parse: async (text) => {
      const number = Number(text);
      if (text.trim() !== '' && number > 0 && Number.isFinite(number)) return number;
      throw new UsageError(`expected --${flag} to be a number above 0, got "${text}"`, { code: 'USAGE' });
    },
  });

/** A number of at least 0. */
const fromZero = (flag: string) =>
  Flags.custom<number>({
    parse: async (text) => {
      const number = Number(text);
      if (text.trim() !== '' && number >= 0 && Number.isFinite(number)) return number;
      throw new UsageError(`expected --${flag} to be a number of at least 0, got "${text}"`, { code: 'USAGE' });
    },
  });

/** `balanced`, or a number for each label. */
const weights = Flags.custom<'balanced' | readonly number[]>({
  parse: async (text) => {
    if (text === 'balanced') return text;
    const numbers = text.split(/[\s,]+/).map(Number);
    if (numbers.every((number) => number > 0)) return numbers;
    throw new UsageError(`expected --class-weights to be "balanced" or positive numbers such as 1,3, got "${text}"`, {
      code: 'USAGE',
    });
  },
});

const NEW = { helpGroup: 'new model' };
const OLD = { helpGroup: 'existing model' };
const LEARNING = { helpGroup: 'learning' };
const NOISE = { helpGroup: 'noise' };
const HARDENING = { helpGroup: 'adversarial' };
const CHOOSING = { helpGroup: 'choosing' };
const {
  'text-column': textColumn,
  'label-column': labelColumn,
  'id-column': idColumn,
  'label-map': labelMap,
  offline,
} = victimFlags;

export const trainFlags = {
  data: Flags.string({
    char: 'd',
    multiple: true,
    multipleNonGreedy: true,
    description: 'labelled texts to learn: a .tsv, .csv, .jsonl or .parquet file; repeat',
  }),
  validation: Flags.string({ description: 'labelled texts to choose by [default: a tenth of the data, held out]' }),
  output: Flags.string({ char: 'o', helpValue: 'folder', required: true, description: 'where the model is written' }),
  'text-column': textColumn,
  'label-column': labelColumn,
  'id-column': idColumn,
  'label-map': labelMap,
  seed: wholeNumber('seed', 0)({ default: 42, description: 'of all randomness' }),

  arch: Flags.option({ options: ARCHITECTURES })({ ...NEW, description: 'train a new model [default: distilbert]' }),
  layers: wholeNumber('layers', 1)({ ...NEW, default: 4, description: 'of an encoder' }),
  dim: wholeNumber(
    'dim',
    1,
  )({ ...NEW, default: 256, description: 'width of a token; filters or states of the others' }),
  heads: wholeNumber('heads', 1)({ ...NEW, default: 4, description: 'of attention; must divide --dim' }),
  'feed-forward': wholeNumber(
    'feed-forward',
    1,
  )({ ...NEW, description: 'inner width of an encoder layer [default: 4 dim]' }),
  vocabulary: wholeNumber(
    'vocabulary',
    6,
  )({
    ...NEW,
    default: 8000,
    description: 'most word pieces (encoders) or words to know',
  }),
  'max-tokens': wholeNumber('max-tokens', 3)({ ...NEW, default: 128, description: 'longer texts lose their end' }),
  storage: Flags.option({ options: ['fp32', 'fp16'] as const })({
    ...NEW,
    default: 'fp32',
    description: 'fp16 halves the file; the model computes in fp32 all the same',
  }),

  model: Flags.string({ ...OLD, char: 'm', exclusive: ['arch'], description: 'go on training this model instead' }),
  part: Flags.option({ options: ['all', 'head', 'embeddings'] as const })({
    ...OLD,
    default: 'all',
    description: 'which weights may change',
  }),

  epochs: wholeNumber('epochs', 1)({ ...LEARNING, default: 5, description: 'passes over the data' }),
  'batch-size': wholeNumber('batch-size', 1)({ ...LEARNING, default: 32, description: 'texts a pass of the graph' }),
  accumulate: wholeNumber('accumulate', 1)({ ...LEARNING, default: 1, description: 'batches a step of the optimiser' }),
  lr: positive('lr')({ ...LEARNING, description: 'highest learning rate [default: 3e-4, existing models 3e-5]' }),
  warmup: fraction('warmup')({ ...LEARNING, default: 0.06, description: 'share of the steps in which the rate rises' }),
  decay: Flags.option({ options: ['linear', 'cosine', 'constant'] as const })({
    ...LEARNING,
    default: 'linear',
    description: 'how it falls afterwards',
  }),
  'weight-decay': fraction('weight-decay')({ ...LEARNING, default: 0.01, description: 'of AdamW' }),
  beta2: fraction('beta2')({ ...LEARNING, default: 0.999, description: 'of AdamW: memory of squared gradients' }),
  clip: positive('clip')({ ...LEARNING, default: 1, description: 'largest norm of the gradient' }),
  'class-weights': weights({
    ...LEARNING,
    helpValue: 'balanced|numbers',
    description: 'how much each label counts, in label order; alpha of the focal loss',
  }),
  'focal-gamma': fromZero('focal-gamma')({
    ...LEARNING,
    default: 0,
    description: 'focal loss: how little easy texts count; 0 is cross-entropy',
  }),
  teacher: Flags.string({
    ...LEARNING,
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'model',
    description: 'learn its answers too; repeat for the mean of several',
  }),
  'teacher-share': fraction('teacher-share')({
    ...LEARNING,
    default: 0.7,
    description: 'how much of the target they are',
  }),

  dropout: fraction('dropout')({
    ...NOISE,
    default: 0.1,
    description: 'of a new model, inside and before the classifier',
  }),
  'embedding-dropout': fraction('embedding-dropout')({ ...NOISE, default: 0.1, description: 'of a new model' }),
  'attention-dropout': fraction('attention-dropout')({ ...NOISE, default: 0.1, description: 'of a new encoder' }),
  'token-dropout': fraction('token-dropout')({ ...NOISE, default: 0, description: 'share of tokens hidden as [UNK]' }),
  'piece-dropout': fraction('piece-dropout')({
    ...NOISE,
    default: 0,
    description: 'how often a word is split otherwise',
  }),
  'label-smoothing': fraction('label-smoothing')({
    ...NOISE,
    default: 0,
    description: 'share of the target spread evenly',
  }),
  consistency: fromZero('consistency')({
    ...NOISE,
    default: 0,
    description: 'R-Drop: learn each text twice and weigh the disagreement so much',
  }),
  average: fraction('average')({ ...NOISE, default: 0, description: 'decay of a moving average of the weights' }),

  adversarial: Flags.string({
    ...HARDENING,
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'method[:option=value]',
    description:
      'learn perturbed texts too: fgsm, pgd, freelb or smart on the embeddings, a2t, hotflip, ascc or dne on the words, augment:SUITE or augment:ATTACK on the text; repeat to mix. See docs/adversarial-training.md',
  }),
  'augment-once': Flags.boolean({
    ...HARDENING,
    description: 'make the copies of augment once, not anew for each epoch',
  }),
  'augment-queries': wholeNumber(
    'augment-queries',
    0,
  )({
    ...HARDENING,
    default: 0,
    description:
      'texts each attack of augment may ask the model at hand for one copy, to find one that fools it; 0 = chance makes the copies, and none is asked',
  }),
  alpha: fraction('alpha')({
    ...HARDENING,
    default: 0.5,
    description: 'share of the untouched texts in the loss; 1 is plain training',
  }),
  epsilon: positive('epsilon')({
    ...HARDENING,
    default: 0.2,
    description: 'how far a token may move, in mean embedding norms, as the embedding attacks measure it',
  }),

  'no-compare': Flags.boolean({ ...HARDENING, description: 'leave out the control and the comparison under attack' }),
  test: Flags.string({ ...HARDENING, description: 'labelled texts to compare on [default: the validation texts]' }),
  suite: Flags.string({
    ...HARDENING,
    char: 's',
    multiple: true,
    multipleNonGreedy: true,
    description: 'attacks to compare under; repeat [default: those the methods are meant against]',
  }),
  attack: Flags.string({
    ...HARDENING,
    char: 'a',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'name[:option=value]',
    description: 'an attack to compare under; repeat',
  }),
  'num-examples': wholeNumber(
    'num-examples',
    0,
  )({ ...HARDENING, char: 'n', default: 200, description: 'texts to compare on; 0 = all' }),
  seeds: wholeNumber(
    'seeds',
    1,
  )({ ...HARDENING, default: 1, description: 'trainings and comparisons, each of another seed, counted from --seed' }),

  metric: Flags.option({ options: ['accuracy', 'macroF1'] as const })({
    ...CHOOSING,
    default: 'accuracy',
    description: 'the score on the validation texts that picks the weights to keep',
  }),
  patience: wholeNumber(
    'patience',
    0,
  )({ ...CHOOSING, default: 0, description: 'stop after so many measurements without a better one' }),
  'evaluate-every': wholeNumber(
    'evaluate-every',
    0,
  )({ ...CHOOSING, default: 0, description: 'steps; 0 = once an epoch' }),

  'checkpoint-every': wholeNumber(
    'checkpoint-every',
    0,
  )({
    helpGroup: 'running',
    default: 200,
    description: 'steps between the points an interrupted training goes on from',
  }),
  resume: Flags.boolean({
    helpGroup: 'running',
    description: 'go on with the interrupted training in the output folder; its flags are remembered',
  }),
  offline,
  force: Flags.boolean({ helpGroup: 'running', description: 'overwrite the model in the output folder' }),
  engine: Flags.option({ options: ['onnx', 'tfjs'] as const })({
    helpGroup: 'running',
    default: 'onnx',
    description: 'what computes the gradients; tfjs is the independent, slower one',
  }),
  threads: wholeNumber(
    'threads',
    1,
  )({ helpGroup: 'running', default: 2, description: 'another number may change the last bits' }),
  'no-progress': speedFlags['no-progress'],
};
