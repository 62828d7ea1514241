/** @file From the flags of `robust attack` to the plan of a run. */

import { seenThrough } from '../../defence/defended.js';
import {
  didYouMean,
  foreignWarning,
  type Goal,
  protect,
  qualityMeter,
  targeted,
  UsageError,
  untargeted,
} from '../../index.js';
import type { RunPlan } from '../../run/index.js';
import type { Applicable } from './applicable.js';
import { commandLine, type Settings } from './replay.js';
import { shardOf } from './shard-flag.js';
import { answering, type Victim } from './victim.js';

export interface AttackFlags {
  readonly 'num-examples': number;
  readonly seed: number;
  readonly engine: string;
  readonly concurrency: number;
  readonly 'max-error-rate': number | undefined;
  readonly 'query-budget': number | undefined;
  readonly 'run-budget': number | undefined;
  readonly protect: readonly string[] | undefined;
  readonly target: string | undefined;
  readonly force: boolean;
  readonly shard?: string | undefined;
}

/** Above it a run says nothing certain. */
export const MAX_ERROR_RATE = 0.02;

/** The plan; `settings` is what its record keeps of the command line. Throws UsageError for a target that is no label. */
export function planOf(
  flags: AttackFlags,
  settings: Settings,
  { attacks, leftOut, inside }: Applicable,
  victim: Victim,
  toolVersion: string,
): RunPlan {
  const queryBudget = flags['query-budget'];
  const runBudget = flags['run-budget'];
  const answerer = answering(victim);
  const gradients = inside && victim.defence ? seenThrough(inside, answerer.classifier) : inside;
  return {
    model: { ...answerer, ...(gradients && { gradients }) },
    dataset: victim.dataset,
    attacks,
    ...(leftOut.length > 0 && { leftOut }),
    numExamples: flags['num-examples'],
    seed: flags.seed,
    engine: flags.engine === 'tfjs' ? 'tfjs' : 'onnx',
    concurrency: flags.concurrency,
    ...(queryBudget === undefined ? {} : { queryBudget }),
    ...(runBudget === undefined ? {} : { runBudget }),
    goal: flags.target === undefined ? untargeted : aimedAt(flags.target, victim.model.labels),
    constraints: flags.protect === undefined ? [] : [protect(flags.protect)],
    ...(flags.shard === undefined ? {} : { shard: shardOf(flags.shard, process.env) }),
    maxErrorRate: flags['max-error-rate'] ?? MAX_ERROR_RATE,
    force: flags.force,
    // Attacks on embeddings know no words.
    ...(attacks.some(({ plugin }) => plugin.level !== 'embedding') && { remark: foreignWarning }),
    quality: qualityMeter,
    command: commandLine('attack', settings),
    toolVersion,
    settings,
  };
}

/** The goal of turning predictions into a label, given by name (any case) or index. */
function aimedAt(target: string, labels: readonly string[]): Goal {
  const named = labels.findIndex((label) => label.toLowerCase() === target.toLowerCase());
  const index = named === -1 && /^\d+$/.test(target) ? Number(target) : named;
  if (index >= 0 && index < labels.length) return targeted(index);
  throw new UsageError(`--target: expected one of the model's labels, got "${target}"`, {
    code: 'TARGET',
    hint: didYouMean(target, labels),
  });
}
