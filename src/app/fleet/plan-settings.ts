/** @file The settings of a run that travel to its workers: those that name no file, since what a job names must not be opened there. */
import { z } from 'zod';
import type { Values } from '../../config/setting.js';
import { attackSettings } from '../../config/settings/index.js';
import { UsageError } from '../../core/errors.js';
import { DEVICES, deviceOf } from '../../model/device.js';

const {
  seed,
  target,
  protect,
  queryBudget,
  maxErrorRate,
  engine,
  precision,
  concurrency,
  numExamples,
  force,
  windows,
  stride,
} = attackSettings;

/** Options of attacks, parts and defences whose values are files or models. */
const FILES = /(^|[:,"])\s*(mlm|vectors|texts|from|surrogate)=/i;

/** A name with options, none of which could be a path. */
const named = z
  .string()
  .max(10_000)
  .refine((spec) => !/[\\/]/.test(spec) && !/\.[cm]?[jt]s\b/i.test(spec) && !FILES.test(spec), 'names a file');
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
  target: target.schema,
  protect: protect.schema,
  seed: seed.schema,
  queryBudget: queryBudget.schema,
  maxErrorRate: maxErrorRate.schema,
  engine: engine.schema,
  precision: precision.schema,
  /** Which of several is the worker's own matter. */
  device: z.enum(DEVICES).optional(),
  concurrency: concurrency.schema,
  numExamples: numExamples.schema,
  force: force.schema,
  windows: windows.schema,
  stride: stride.schema,
  /** What the scores mean is told by the plan; of which kind decides how they are computed. */
  task: z.enum(['argmax', 'threshold', 'multi-label', 'regression']).optional(),
});
export type TravellingSettings = z.infer<typeof travelling>;

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
  if (choice.mlm !== undefined)
    refuse('a masked language model of your own does not travel yet', 'Leave --mlm out: n-grams then guess.');
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
    target: choice.target,
    protect: choice.protect,
    seed: choice.seed,
    queryBudget: choice.queryBudget,
    maxErrorRate: choice.maxErrorRate,
    engine: choice.engine,
    precision: choice.precision,
    ...(device && { device }),
    concurrency: choice.concurrency,
    numExamples: choice.numExamples,
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
