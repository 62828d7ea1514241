/** @file How a model is attacked. */
import { z } from 'zod';
import { kebab } from '../../core/plugin-options.js';
import { TOUCHES } from '../../core/tags/carried.js';
import {
  booleanFlag,
  fractionBelowOne,
  KEPT,
  nonEmptyText,
  type Settings,
  SHARED,
  textList,
  wholeNumber,
} from '../setting.js';
import { decisionSettings, pairSettings } from './decision.js';
import { coordinatorSettings } from './fleet.js';
import {
  defendSetting,
  deviceSetting,
  engineSetting,
  precisionSetting,
  seedSetting,
  speedSettings,
  victimSettings,
  windowSettings,
} from './victim.js';

const ATTACK = { group: 'attack', ...SHARED } as const;

/** Whether `name:option=value` can hold a value, which ends before the next option; an item of a list ends before a comma. */
const fitsName = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.every((each) => !Array.isArray(each) && fitsName(each) && /^[^,]+$/.test(String(each)))
    : typeof value !== 'object' && !/:[A-Za-z][\w-]*=/.test(String(value));

const optionValue = z
  .unknown()
  .refine(fitsName, 'expected text without ":option=", a number, true or false, or a list of texts without commas');

/** A part of an attack, `name:option=value`, which is its identity in labels and records; a configuration may write the options as a map. */
const part = z.union([
  nonEmptyText,
  z
    .strictObject({ name: nonEmptyText, options: z.record(nonEmptyText, optionValue).optional() })
    .transform(({ name, options = {} }) =>
      [name, ...Object.entries(options).map(([key, value]) => `${kebab(key)}=${[value].flat().join(',')}`)].join(':'),
    ),
]);

/** An attack of parts, which stands as JSON among the names of attacks. */
const recipe = z
  .strictObject({
    name: nonEmptyText.regex(/^[a-z][a-z0-9-]*$/, 'expected kebab-case').describe('what the report calls it'),
    transformation: part.describe('its edits'),
    search: part.describe('how they are searched; greedy without').optional(),
    constraints: z.array(part).describe('what a rewrite may do').optional(),
    goal: part.describe("its goal; the run's without").optional(),
  })
  .transform((parts) => JSON.stringify(parts));

/** Settings of a single call of `attack`. */
export const sessionSettings = {
  resume: {
    schema: nonEmptyText.optional(),
    group: 'running',
    value: '[run]',
    help: 'continue an interrupted run (id or latest); its settings are restored',
  },
  surrogate: {
    schema: nonEmptyText.optional(),
    group: 'attack',
    value: 'model',
    help: 'transfer attack: attack this model, and query --model once with each success; two queries per text',
  },
  dryRun: {
    schema: booleanFlag,
    group: 'running',
    help: 'send no query; estimate the queries, requests and cost of the run',
  },
  ...coordinatorSettings,
} as const satisfies Settings;

export const attackSettings = {
  ...victimSettings,
  ...defendSetting,
  ...pairSettings,
  ...decisionSettings,
  ...windowSettings,
  suites: {
    schema: textList.optional(),
    flag: 'suite',
    char: 's',
    help: 'suite of attacks, see robust list suites; repeat [default: typos, unless --attack or --transformation is given]',
    choice: 'attacks',
    ...SHARED,
  },
  attacks: {
    schema: z
      .array(z.union([nonEmptyText, recipe]))
      .readonly()
      .optional(),
    flag: 'attack',
    char: 'a',
    value: 'name[:option=value]',
    path: 'module',
    choice: 'attacks',
    help: 'one attack, or a file of yours; options after colons; repeat; see robust list attacks',
    ...SHARED,
  },
  touch: {
    schema: z.enum(TOUCHES).optional(),
    group: 'decision',
    of: 'task',
    fingerprint: 'set',
    help: 'tags: words that attacks may edit: those inside of the entity, only its context, or both [default: both for edits of letters, else context]',
    ...SHARED,
  },
  transformation: {
    schema: part.optional(),
    ...ATTACK,
    value: 'name[:option=value]',
    path: 'module',
    choice: 'attacks',
    help: 'build an attack from parts: these edits, by --search, under each --constraint; see robust list transformations',
  },
  search: {
    schema: part.optional(),
    ...ATTACK,
    value: 'name[:option=value]',
    path: 'module',
    choice: 'attacks',
    help: 'search method of --transformation [default: greedy]',
  },
  constraints: {
    schema: z.union([part.transform((one): readonly string[] => [one]), z.array(part).readonly()]).optional(),
    flag: 'constraint',
    ...ATTACK,
    value: 'name[=value]',
    path: 'module',
    help: 'constraint on every attack; or a preset for word substitutions: default, textattack, strict, none; repeat',
  },
  goal: {
    schema: part.optional(),
    ...ATTACK,
    value: 'name[:option=value]',
    path: 'module',
    help: 'what counts as a success; untargeted, targeted:label=LABEL [default: untargeted; evade for a detector, label-lost for several labels]',
  },
  mlm: {
    schema: nonEmptyText.optional(),
    ...ATTACK,
    of: 'language',
    value: 'folder',
    path: 'input',
    help: 'folder of a language model, masked or causal, for attacks that fill gaps [default: n-grams of the texts]',
  },
  ...seedSetting,
  protect: {
    schema: textList.optional(),
    ...ATTACK,
    blanks: true,
    value: 'phrase',
    help: 'words that no attack may change; repeat',
  },
  placeholders: {
    schema: z.enum(['keep', 'edit']).optional(),
    ...ATTACK,
    of: 'protect',
    help: 'whether attacks may edit @user, http, <NAME>, {{x}} and similar placeholders [default: keep]',
  },
  queryBudget: {
    schema: wholeNumber(1).optional(),
    ...ATTACK,
    fingerprint: 'always',
    help: 'maximum queries per attack and example',
  },
  runBudget: {
    schema: wholeNumber(1).optional(),
    group: 'attack',
    ...KEPT,
    of: 'queryBudget',
    option: 'run',
    fingerprint: 'always',
    help: 'maximum queries of the whole run; a run that exhausts them is inconclusive',
  },
  maxErrorRate: {
    schema: fractionBelowOne.optional(),
    ...ATTACK,
    help: 'share of failed examples above which the run is inconclusive [default: 0.02]',
  },
  ...engineSetting,
  ...precisionSetting,
  ...deviceSetting,
  concurrency: {
    schema: wholeNumber(1).default(64),
    of: 'runtime',
    help: 'texts attacked at once',
    configured: true,
    travels: true,
  },
  ...speedSettings,
  shard: {
    schema: nonEmptyText.optional(),
    group: 'running',
    value: 'i/n',
    help: 'attack part i of n of the examples; robust report --merge joins the parts; auto reads both from the CI job, Kubernetes (auto/n) or Slurm',
    recorded: true,
  },
} as const satisfies Settings;
