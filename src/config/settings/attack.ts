/** @file How a model is attacked. */
import { z } from 'zod';
import { fraction, type Settings, text, texts, whole } from '../setting.js';
import { defendSetting, engineSetting, seedSetting, speedSettings, victimSettings } from './victim.js';

const ATTACK = { group: 'attack', configured: true, recorded: true } as const;

export const attackSettings = {
  ...victimSettings,
  ...defendSetting,
  suites: {
    schema: texts.optional(),
    flag: 'suite',
    char: 's',
    help: 'a list of attacks by name; repeat [default: typos, unless --attack is given]',
    configured: true,
    recorded: true,
  },
  attacks: {
    schema: texts.optional(),
    flag: 'attack',
    char: 'a',
    value: 'name[:option=value]',
    help: 'an attack by name, or the file of your own; options after colons; repeat',
    configured: true,
    recorded: true,
  },
  constraints: {
    schema: z.enum(['ours', 'paper', 'strict', 'none']).optional(),
    ...ATTACK,
    help: 'how freely words may be swapped: as we would, as the paper did, strictly, or anyhow',
  },
  mlm: {
    schema: text.optional(),
    ...ATTACK,
    value: 'folder',
    help: 'a masked language model as ONNX that guesses words for attacks that fill gaps; n-grams without',
  },
  ...seedSetting,
  target: {
    schema: z
      .union([z.string(), z.int().min(0)])
      .transform(String)
      .optional(),
    ...ATTACK,
    value: 'label',
    help: 'turn predictions into this label, not just any other',
  },
  protect: { schema: texts.optional(), ...ATTACK, value: 'phrase', help: 'words no attack may touch; repeat' },
  queryBudget: { schema: whole(1).optional(), ...ATTACK, help: 'texts one attack may ask about one example' },
  runBudget: { schema: whole(1).optional(), ...ATTACK, help: 'texts the whole run may ask' },
  maxErrorRate: {
    schema: fraction.optional(),
    ...ATTACK,
    help: 'share of errored examples above which the verdict is inconclusive [default: 0.02]',
  },
  ...engineSetting,
  concurrency: {
    schema: whole(1).default(64),
    group: 'running',
    char: 'j',
    help: 'texts attacked at once',
    configured: true,
  },
  ...speedSettings,
  shard: {
    schema: text.optional(),
    group: 'running',
    value: 'i/n',
    help: 'attack the i-th of n parts of the examples, to be put together by robust report --merge; auto takes both from the CI job, Kubernetes (auto/n) or Slurm',
    recorded: true,
  },
} as const satisfies Settings;
