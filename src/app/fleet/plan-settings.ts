/** @file The settings of a run that travel to its workers: those that name no file, since what a job names must not be opened there. */
import { z } from 'zod';
import type { Values } from '../../config/setting.js';
import { attackSettings } from '../../config/settings/index.js';
import { UsageError } from '../../core/errors.js';
import { labelOf, splitSpec } from '../../core/plugin-options.js';
import { DEVICES, deviceOf } from '../../model/workers/device.js';
import { isPackageName, packagesIn } from '../../modules/own-module.js';

const {
  seed,
  target,
  protect,
  placeholders,
  queryBudget,
  maxErrorRate,
  engine,
  precision,
  concurrency,
  numExamples,
  shuffle,
  offset,
  force,
  windows,
  stride,
} = attackSettings;

/** The scope of a package's name holds a stroke. */
const withoutScope = (spec: string): string =>
  isPackageName(splitSpec(spec).name) ? spec.replace(/^@[^/]+\//, '') : spec;

/** A masked language model is opened by what the plan has under that name, and by nothing else. */
const withoutGuesser = (spec: string): string => {
  const { name, given } = splitSpec(spec);
  return labelOf(name, new Map([...given].filter(([option]) => option !== 'mlm')));
};

/** Options of attacks, parts and defences whose values are files or models. */
const FILES = /(^|[:,"])\s*(mlm|vectors|texts|from|file|surrogate)=/i;

/** A name with options, none of which could be a path. */
const named = z
  .string()
  .max(10_000)
  // A package is code of the worker's own installation, and of the hash that the plan says.
  .refine((spec) => {
    if (/\.[cm]?[jt]s\b/i.test(spec)) return false;
    const rest = withoutGuesser(spec);
    return !/[\\/]/.test(withoutScope(rest)) && !FILES.test(rest);
  }, 'names a file');
const names = z.array(named);

/** As a worker reads them: whoever can write to Redis writes no more than this. */
export const travelling = z.strictObject({
  suites: z.optional(names),
  attacks: z.optional(names),
  transformation: z.optional(named),
  search: z.optional(named),
  constraints: z.optional(names),
  goal: z.optional(named),
  defend: z.optional(names),
  language: z.string().regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/, 'names a file'),
  /** What attacks call their masked language model, which the plan has; nothing is opened by it. */
  mlm: z.string().min(1).max(1000).optional(),
  target: target.schema,
  protect: protect.schema,
  placeholders: placeholders.schema,
  seed: seed.schema,
  queryBudget: queryBudget.schema,
  maxErrorRate: maxErrorRate.schema,
  engine: engine.schema,
  precision: precision.schema,
  /** Which of several is the worker's own matter. */
  device: z.enum(DEVICES).optional(),
  concurrency: concurrency.schema,
  numExamples: numExamples.schema,
  /** The segments hold the selected examples in their order; what a run is includes how they were selected. */
  shuffle: shuffle.schema,
  offset: offset.schema,
  force: force.schema,
  windows: windows.schema,
  stride: stride.schema,
  /** What the scores mean is told by the plan; of which kind decides how they are computed. */
  task: z.enum(['argmax', 'threshold', 'multi-label', 'regression']).optional(),
});
export type TravellingSettings = z.infer<typeof travelling>;

/** The packages of plugins that settings name: code, which a worker loads only where its --plugin lists it. */
export const packagesOf = (settings: Readonly<Record<string, unknown>>): string[] => [
  ...new Set(Object.values(settings).flatMap((value) => [value].flat().flatMap((each) => packagesIn(String(each))))),
];

/** Throws UsageError for settings that name files, and for those of a run that must be in one piece. */
export function settingsThatTravel(
  choice: Values<typeof attackSettings>,
  language: string,
  task: TravellingSettings['task'],
): TravellingSettings {
  const refuse = (what: string, hint: string): never => {
    throw new UsageError(`--queue: ${what}`, { code: 'QUEUE_UNSUPPORTED', hint });
  };
  if (choice.shard !== undefined) refuse('the queue divides the run, and got --shard too', 'Leave one of them out.');
  if (choice.runBudget !== undefined)
    refuse(
      'a budget of the whole run ends it in an order that many machines do not have',
      'Take --query-budget, which is per example.',
    );
  if (choice.device === 'auto')
    refuse('expected the --device that the workers have, got auto', 'Name it, as in --device cuda.');
  const device = deviceOf(choice.device ?? 'cpu')?.kind;
  const { defend: behind } = choice;
  const found = travelling.safeParse({
    suites: choice.suites,
    attacks: choice.attacks,
    transformation: choice.transformation,
    search: choice.search,
    constraints: choice.constraints,
    goal: choice.goal,
    ...(behind && behind.length > 0 && { defend: behind }),
    language,
    ...(choice.mlm && { mlm: choice.mlm }),
    target: choice.target,
    protect: choice.protect,
    placeholders: choice.placeholders,
    seed: choice.seed,
    queryBudget: choice.queryBudget,
    maxErrorRate: choice.maxErrorRate,
    engine: choice.engine,
    precision: choice.precision,
    ...(device && { device }),
    concurrency: choice.concurrency,
    numExamples: choice.numExamples,
    shuffle: choice.shuffle,
    offset: choice.offset,
    force: choice.force,
    windows: choice.windows,
    stride: choice.stride,
    task,
  });
  if (found.success) return JSON.parse(JSON.stringify(found.data)) as TravellingSettings;
  const [issue] = found.error.issues;
  return refuse(
    `${issue?.path[0] === undefined ? '' : `--${String(issue.path[0])} `}${issue?.message}: workers take attacks, parts and languages by the names they have there`,
    'Attack with those that robust list shows; or divide the run by --shard, where each machine has the files.',
  );
}
