/** @file From a choice of attacks to the plan of a run. */

import type { Values } from '../../config/setting.js';
import type { attackSettings } from '../../config/settings/index.js';
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
import type { Applicable } from '../attacks/applicable.js';
import { commandLine, type Settings } from '../command-line.js';
import { toolVersion } from '../context.js';
import { answering, type Victim } from '../victim/victim.js';
import { shardOf } from './shard.js';

/** Above it a run says nothing certain. */
export const MAX_ERROR_RATE = 0.02;

/** The plan; `settings` is what its record keeps of the choice. Throws UsageError for a target that is no label. */
export function planOf(
  choice: Values<typeof attackSettings>,
  settings: Settings,
  { attacks, leftOut, inside }: Applicable,
  victim: Victim,
): RunPlan {
  const { queryBudget, runBudget } = choice;
  const answerer = answering(victim);
  const gradients = inside && victim.defence ? seenThrough(inside, answerer.classifier) : inside;
  return {
    model: { ...answerer, ...(gradients && { gradients }) },
    dataset: victim.dataset,
    attacks,
    ...(leftOut.length > 0 && { leftOut }),
    numExamples: choice.numExamples,
    seed: choice.seed,
    engine: choice.engine,
    concurrency: choice.concurrency,
    ...(queryBudget === undefined ? {} : { queryBudget }),
    ...(runBudget === undefined ? {} : { runBudget }),
    goal: choice.target === undefined ? untargeted : aimedAt(choice.target, victim.model.labels),
    constraints: choice.protect === undefined ? [] : [protect(choice.protect)],
    ...(choice.shard === undefined ? {} : { shard: shardOf(choice.shard, {}) }),
    maxErrorRate: choice.maxErrorRate ?? MAX_ERROR_RATE,
    force: choice.force,
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
