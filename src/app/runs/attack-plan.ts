/** @file From a choice of attacks to the plan of a run. */

import type { Values } from '../../config/setting.js';
import { attackSettings } from '../../config/settings/index.js';
import { keepPlaceholders } from '../../constraints/placeholders.js';
import { presetOf } from '../../constraints/presets.js';
import { protect } from '../../constraints/words.js';
import { decisionOf } from '../../core/decision.js';
import { UsageError } from '../../core/errors.js';
import type { TimeLimit } from '../../core/patience.js';
import { hasPlaceholder } from '../../core/placeholder.js';
import type { Goal } from '../../core/search.js';
import { whiteBoxBehind } from '../../defence/with-defences.js';
import { foreignWarning } from '../../language/language-check.js';
import { qualityMeter } from '../../language/quality.js';
import type { RunPlan } from '../../run/index.js';
import { usualGoal } from '../../search/goals.js';
import type { ApplicableAttacks } from '../attacks/applicable.js';
import { namedConstraints } from '../attacks/choose-attacks.js';
import { partNamed } from '../attacks/parts.js';
import { commandLine, fingerprintFacts, type SettingValues } from '../command-line.js';
import { toolVersion } from '../context.js';
import { checkOffered } from '../language.js';
import { codeHash } from '../plugins/load-plugin.js';
import { answeringClassifier, noiseOf, type OpenVictim } from '../victim/victim.js';
import { shardOf } from './shard.js';

export type AttackChoice = Values<typeof attackSettings>;

/** Above it a run says nothing certain. */
export const MAX_ERROR_RATE = 0.02;

/** The plan; `settings` is what its record keeps of the choice. Throws UsageError for a target that is no label, PluginError for unknown parts. */
export async function planOf(
  choice: AttackChoice,
  settings: SettingValues,
  { attacks, leftOut, inside }: ApplicableAttacks,
  victim: OpenVictim,
  patience: TimeLimit,
): Promise<RunPlan> {
  const { numExamples, shuffle, offset, seed, engine, concurrency, queryBudget, runBudget, force } = choice;
  const goal = await goalOf(choice, victim, patience);
  const constraints = [
    ...(choice.protect === undefined ? [] : [protect(choice.protect)]),
    ...(choice.placeholders === 'keep' ? [keepPlaceholders] : []),
    ...(await namedConstraints(choice.constraints, patience)),
  ];
  for (const { name, language } of constraints) checkOffered(`--constraint: "${name}"`, language, victim.language);
  const answerer = answeringClassifier(victim);
  const gradients = inside && victim.defence ? whiteBoxBehind(inside, answerer.classifier) : inside;
  return {
    model: { ...answerer, ...(gradients && { gradients }), ...endpointOf(victim, choice.price) },
    dataset: victim.dataset,
    attacks,
    ...(leftOut.length > 0 && { leftOut }),
    ...{ numExamples, shuffle, offset, seed, engine, concurrency, queryBudget, runBudget, force },
    decided: fingerprintFacts(attackSettings, choice),
    language: victim.language,
    goal,
    constraints,
    code: await codeHash([choice.goal, ...(choice.constraints ?? []), choice.language]),
    ...(choice.shard === undefined ? {} : { shard: shardOf(choice.shard, {}) }),
    maxErrorRate: choice.maxErrorRate ?? MAX_ERROR_RATE,
    // Attacks on embeddings know no words.
    ...(attacks.some(({ plugin }) => plugin.level !== 'embedding') && { remark: foreignWarning }),
    quality: qualityMeter,
    command: commandLine('attack', settings),
    toolVersion,
    settings,
  };
}

/**
 * Whether placeholders are kept: as the choice says, else where a text of the data has one, so that runs on other data are what they were.
 * Word swaps under TextAttack's constraints for the whole run edit them, as TextAttack does.
 */
export async function placeholdersOf(
  { placeholders, constraints = [] }: Pick<AttackChoice, 'placeholders' | 'constraints'>,
  { dataset }: Pick<OpenVictim, 'dataset'>,
): Promise<'keep' | 'edit'> {
  if (placeholders !== undefined) return placeholders;
  if (constraints.some((name) => ['textattack', 'none'].includes(presetOf(name) ?? ''))) return 'edit';
  for await (const { text } of dataset.examples()) if (hasPlaceholder(text)) return 'keep';
  return 'edit';
}

/** What a run keeps of a victim that is asked over the network. */
function endpointOf({ model: { remote } }: OpenVictim, price: number | undefined) {
  if (remote === undefined) return {};
  const { protocol, address, facts, probe, usage } = remote;
  return { endpoint: { protocol, address, facts, probe, ...(price && { price }), usage } };
}

/** The run's goal. Throws UsageError, PluginError. */
async function goalOf(
  { goal, target }: Pick<AttackChoice, 'goal' | 'target'>,
  victim: OpenVictim,
  patience: TimeLimit,
): Promise<Goal> {
  const { labels } = victim.model;
  if (goal !== undefined && target !== undefined) {
    throw new UsageError('expected a goal or a target, got both', {
      code: 'TARGET',
      hint: `Leave --target out: --goal targeted:label=${target}`,
    });
  }
  const decision = decisionOf(victim.decision, labels, noiseOf(victim));
  const wanted = goal ?? (target === undefined ? usualGoal(decision) : `targeted=${target}`);
  const { plugin, options } = await partNamed('goal', wanted, { patience });
  return plugin.create(options, labels, decision);
}
