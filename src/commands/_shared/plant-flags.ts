/** @file The flags of `robust backdoor plant`. */
import { Flags } from '@oclif/core';
import { UsageError } from '../../core/errors.js';
import { speedFlags, victimFlags, wholeNumber } from './flags.js';

/** A share of the texts that leaves some poisoned and some clean. */
const share = Flags.custom<number>({
  parse: async (text) => {
    const number = Number(text);
    if (text.trim() !== '' && number > 0 && number < 1) return number;
    throw new UsageError(`expected --rate to be a number above 0 and below 1, got "${text}"`, {
      code: 'POISON_RATE',
      hint: 'It is the share of the training texts that is poisoned: 0.1 is usual, 0.01 often enough.',
    });
  },
});

/** A learning rate. */
const above0 = Flags.custom<number>({
  parse: async (text) => {
    const number = Number(text);
    if (text.trim() !== '' && number > 0 && Number.isFinite(number)) return number;
    throw new UsageError(`expected --lr to be a number above 0, got "${text}"`, { code: 'USAGE' });
  },
});

const LEARNING = { helpGroup: 'learning' };
const { config: _, force: __, 'num-examples': ___, ...victim } = victimFlags;

/** How a model is trained further, by planting and by repair. */
export const learningFlags = {
  epochs: wholeNumber('epochs', 1)({ ...LEARNING, default: 3, description: 'passes over the data' }),
  'batch-size': wholeNumber('batch-size', 1)({ ...LEARNING, default: 32, description: 'texts a pass of the graph' }),
  lr: above0({
    ...LEARNING,
    default: 1e-4,
    description: 'highest learning rate; 2e-5 to 5e-5 suits large pretrained models',
  }),
  seed: wholeNumber('seed', 0)({ ...LEARNING, default: 42, description: 'of all randomness' }),
};

export const plantFlags = {
  ...victim,
  data: Flags.string({ char: 'd', description: 'labelled texts to poison and learn: a file, or a bundled name' }),
  test: Flags.string({ description: 'labelled texts for every figure [default: a tenth of the data, held out]' }),
  attack: Flags.string({
    char: 'a',
    default: 'badnets',
    helpValue: 'name[:option=value]',
    description: 'the poisoner: see robust list poisoners',
  }),
  trigger: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'text',
    description: 'what sets the backdoor off; repeat [default: its own]',
  }),
  target: Flags.string({ helpValue: 'label', description: 'the label it brings about [default: the last one]' }),
  rate: share({ default: 0.1, description: 'share of the training texts that is poisoned' }),
  mode: Flags.option({ options: ['dirty', 'clean', 'mixed'] as const })({
    default: 'dirty',
    description: 'poison texts of other labels, texts that have the target label already, or any',
  }),
  output: Flags.string({ char: 'o', helpValue: 'folder', required: true, description: 'where the model is written' }),
  'then-finetune': Flags.boolean({
    description: "measure what is left after the victim's own training on clean texts",
  }),
  seeds: wholeNumber('seeds', 1)({ default: 1, description: 'trainings to repeat it in, for a mean' }),
  resume: Flags.boolean({ description: 'go on with the interrupted planting in --output; other flags are remembered' }),
  ...learningFlags,
  ...speedFlags,
};
