/** @file The flags of commands that attack one model. */
import { Flags } from '@oclif/core';
import { defendFlag, fraction, speedFlags, victimFlags, wholeNumber } from './flags.js';
import { shardFlag } from './shard-flag.js';

const ATTACK = { helpGroup: 'attack' };
const RUNNING = { helpGroup: 'running' };

/** What decides the result: recorded with the run, printed as the command that replays it. */
export const SETTINGS = [
  ...['model', 'data', 'text-column', 'label-column', 'id-column', 'label-map', 'suite', 'attack', 'num-examples'],
  ...['defend', 'constraints', 'mlm'],
  ...['seed', 'engine', 'target', 'protect', 'query-budget', 'run-budget', 'max-error-rate', 'force', 'shard'],
];

export const attackFlags = {
  ...victimFlags,
  ...defendFlag,
  suite: Flags.string({
    char: 's',
    multiple: true,
    multipleNonGreedy: true,
    description: 'a list of attacks by name; repeat [default: typos, unless --attack is given]',
  }),
  attack: Flags.string({
    char: 'a',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'name[:option=value]',
    description: 'an attack by name, or the file of your own; options after colons; repeat',
  }),
  constraints: Flags.string({
    ...ATTACK,
    options: ['ours', 'paper', 'strict', 'none'],
    description: 'how freely words may be swapped: as we would, as the paper did, strictly, or anyhow',
  }),
  mlm: Flags.string({
    ...ATTACK,
    helpValue: 'folder',
    description: 'a masked language model as ONNX that guesses words for attacks that fill gaps; n-grams without',
  }),
  seed: wholeNumber('seed', 0)({ default: 42, description: 'of all randomness' }),
  target: Flags.string({
    ...ATTACK,
    helpValue: 'label',
    description: 'turn predictions into this label, not just any other',
  }),
  protect: Flags.string({
    ...ATTACK,
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'phrase',
    description: 'words no attack may touch; repeat',
  }),
  'query-budget': wholeNumber(
    'query-budget',
    1,
  )({ ...ATTACK, description: 'texts one attack may ask about one example' }),
  'run-budget': wholeNumber('run-budget', 1)({ ...ATTACK, description: 'texts the whole run may ask' }),
  'max-error-rate': fraction('max-error-rate')({
    ...ATTACK,
    description: 'share of errored examples above which the verdict is inconclusive [default: 0.02]',
  }),
  engine: Flags.string({
    ...RUNNING,
    options: ['onnx', 'tfjs'],
    default: 'onnx',
    description: 'what computes gradients, for attacks that need them: onnxruntime, or TF.js',
  }),
  concurrency: wholeNumber(
    'concurrency',
    1,
  )({ ...RUNNING, char: 'j', default: 64, description: 'texts attacked at once' }),
  ...speedFlags,
  shard: shardFlag,
};
