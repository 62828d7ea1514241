/** @file From the flags of `robust attack` to the plan of a run. */

import { seenThrough } from '../../defence/defended.js';
import type { OpenWhiteBox } from '../../gradient/white-box.js';
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
import type { PlannedAttack, RunPlan } from '../../run/index.js';
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
  attacks: readonly PlannedAttack[],
  victim: Victim,
  inside: OpenWhiteBox | undefined,
  toolVersion: string,
): RunPlan {
  const queryBudget = flags['query-budget'];
  const runBudget = flags['run-budget'];
  const answerer = answering(victim);
  if (victim.defence !== undefined) checkReach(attacks);
  const gradients = inside && victim.defence ? seenThrough(inside, answerer.classifier) : inside;
  return {
    model: { ...answerer, ...(gradients && { gradients }) },
    dataset: victim.dataset,
    attacks,
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

/** Attacks on embeddings go past what is done to texts: what they achieve says nothing about it. */
function checkReach(attacks: readonly PlannedAttack[]): void {
  const past = attacks.find(({ plugin }) => plugin.level === 'embedding');
  if (past === undefined) return;
  throw new UsageError(`--defend: ${past.label} acts on embeddings, behind what a defence does to texts`, {
    code: 'DEFENCE_BYPASSED',
    hint: 'Attack the model without --defend, or choose attacks on texts.',
  });
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
