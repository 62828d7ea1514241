/** @file From a choice of attacks to the plan of a run. */
import type { Values } from '../../config/setting.js';
import { attackSettings } from '../../config/settings/index.js';
import { keepPlaceholders } from '../../constraints/placeholders.js';
import { protect } from '../../constraints/words.js';
import type { Dataset } from '../../core/dataset.js';
import type { Language } from '../../core/language.js';
import type { TimeLimit } from '../../core/patience.js';
import { hasPlaceholder } from '../../core/placeholder.js';
import type { Constraint, Goal } from '../../core/search.js';
import { whiteBoxBehind } from '../../defence/with-defences.js';
import { diagnose } from '../../diagnostics/diagnose.js';
import { foreignWarning } from '../../language/language-check.js';
import { qualityMeter } from '../../language/quality.js';
import { recognisableName } from '../../language/word-recognition.js';
import { GUARDRAIL } from '../../results/card/guard-card.js';
import { STANDARD } from '../../results/diagnostics/index.js';
import type { RunPlan } from '../../run/index.js';
import { usualGoal } from '../../search/goals.js';
import { decisionOf } from '../../tasks/decide.js';
import type { ApplicableAttacks } from '../attacks/applicable.js';
import { namedConstraints, type SharedOptions } from '../attacks/choose-attacks.js';
import { partNamed } from '../attacks/parts.js';
import { commandLine, fingerprintFacts, type SettingValues } from '../command-line.js';
import { type Context, toolVersion } from '../context.js';
import { checkOffered } from '../language.js';
import { codeHash } from '../plugins/load-plugin.js';
import { answeringClassifier, examplesTaken, noiseOf, type OpenVictim } from '../victim/victim.js';
import { shardOf } from './shard.js';

export type AttackChoice = Values<typeof attackSettings>;

/** Texts that the latency of a guard is measured on, which its card states. */
const TIMED_TEXTS = 100;

/** Above it a run says nothing certain. */
export const MAX_ERROR_RATE = 0.02;

/** The attacks of a choice, and the options of all of them. */
export interface AttackList extends SharedOptions {
  readonly suites: readonly string[] | undefined;
  readonly attacks: readonly string[] | undefined;
}

/** The suite of typos where nothing is named. */
export function attackList(choice: AttackChoice): AttackList {
  const { attacks, transformation, search, constraints, mlm } = choice;
  const named = attacks !== undefined || transformation !== undefined;
  const suites = choice.suites ?? (named ? undefined : ['typos']);
  return { suites, attacks, transformation, search, constraints, mlm };
}

interface ConstraintChoice {
  readonly names: readonly string[] | undefined;
  readonly protect: AttackChoice['protect'];
  readonly placeholders: AttackChoice['placeholders'];
}

/** The settings of a run besides its victim and its attacks. */
export interface RunTerms {
  readonly goal: string | undefined;
  readonly constraints: ConstraintChoice;
  readonly price: number | undefined;
  /** Names that may be files of the user's own. */
  readonly modules: readonly (string | undefined)[];
  /** As the plan has it. */
  readonly planned: Pick<
    RunPlan,
    | (
        | 'numExamples'
        | 'shuffle'
        | 'offset'
        | 'seed'
        | 'engine'
        | 'concurrency'
        | 'queryBudget'
        | 'runBudget'
        | 'force'
        | 'labelMap'
        | 'touch'
      )
    | ('decided' | 'shard' | 'maxErrorRate')
  >;
}

/** The terms of a choice, with a decision on placeholders where it makes none. Throws RobustError for what is no shard. */
export async function settledTerms(
  choice: AttackChoice,
  dataset: Dataset,
  { hooks }: Pick<Context, 'hooks'>,
): Promise<RunTerms> {
  const terms = runTerms(choice);
  const { names, placeholders } = terms.constraints;
  const settled = placeholders ?? (await placeholdersIn(dataset, names));
  if (settled === 'keep' && placeholders === undefined)
    hooks.onNote?.('placeholders such as @user stay as they are; --protect placeholders=edit lets attacks edit them');
  return { ...terms, constraints: { ...terms.constraints, placeholders: settled } };
}

/** Throws RobustError for what is no shard. */
export function runTerms(choice: AttackChoice): RunTerms {
  const { numExamples, shuffle, offset, seed, engine, concurrency, queryBudget, runBudget, force, labelMap } = choice;
  const { touch } = choice;
  const { goal, constraints: names, protect, placeholders, price, language, shard } = choice;
  return {
    goal,
    constraints: { names, protect, placeholders },
    price,
    modules: [goal, ...(names ?? []), language],
    planned: {
      numExamples,
      shuffle,
      offset,
      seed,
      engine,
      concurrency,
      queryBudget,
      runBudget,
      force,
      labelMap,
      touch,
      decided: fingerprintFacts(attackSettings, choice),
      ...(shard !== undefined && { shard: shardOf(shard, {}) }),
      maxErrorRate: choice.maxErrorRate ?? MAX_ERROR_RATE,
    },
  };
}

/** The plan; `settings`: the settings in its record. Throws RobustError for an unknown target, and for unknown parts. */
export async function planOf(
  { goal, constraints, price, modules, planned }: RunTerms,
  settings: SettingValues,
  { attacks, leftOut, labelsOnly, inside }: ApplicableAttacks,
  victim: OpenVictim,
  patience: TimeLimit,
): Promise<RunPlan> {
  const answerer = answeringClassifier(victim);
  const gradients = inside && victim.defence ? whiteBoxBehind(inside, answerer.classifier) : inside;
  return {
    ...planned,
    numExamples: examplesTaken(victim.dataset, planned.numExamples),
    model: { ...answerer, gradients, labelsOnly, ...endpointOf(victim, price) },
    dataset: victim.dataset,
    attacks,
    ...(leftOut.length > 0 && { leftOut }),
    language: victim.language,
    goal: await goalOf(goal, victim, patience),
    constraints: await constraintsOf(constraints, victim.language, patience),
    code: await codeHash(modules),
    // Attacks on embeddings know no words.
    ...(attacks.some(({ plugin }) => plugin.level !== 'embedding') && { remark: foreignWarning }),
    ...(attacks.some(({ suite }) => suite === STANDARD) && { diagnose }),
    ...(attacks.some(({ suite }) => suite === GUARDRAIL) && { timed: TIMED_TEXTS }),
    quality: qualityMeter,
    recognises: (word, now) => recognisableName(word, now, victim.language),
    command: commandLine('attack', settings),
    toolVersion,
    settings,
  };
}

/** The constraints of the run, which bind all attacks. Throws RobustError LANGUAGE_UNSUPPORTED, and as `namedConstraints` does. */
async function constraintsOf(
  { names, protect: words, placeholders }: ConstraintChoice,
  language: Language,
  patience: TimeLimit,
): Promise<Constraint[]> {
  const constraints = [
    ...(words === undefined ? [] : [protect(words)]),
    ...(placeholders === 'keep' ? [keepPlaceholders] : []),
    ...(await namedConstraints(names, patience)),
  ];
  for (const { name, language: needed } of constraints) checkOffered(`--constraint: "${name}"`, needed, language);
  return constraints;
}

/**
 * Whether placeholders are kept where the choice does not say so: where a text of the data has one, so that runs on other data are what they
 * were. Word swaps under TextAttack's constraints for the whole run edit them, as TextAttack does.
 */
async function placeholdersIn(dataset: Dataset, constraints: readonly string[] = []): Promise<'keep' | 'edit'> {
  if (constraints.some((name) => ['textattack', 'none'].includes(name))) return 'edit';
  for await (const { text } of dataset.examples()) if (hasPlaceholder(text)) return 'keep';
  return 'edit';
}

/** The facts of an endpoint that a run keeps. */
function endpointOf({ model: { remote } }: OpenVictim, price: number | undefined) {
  if (remote === undefined) return {};
  const { protocol, address, facts, probe, usage } = remote;
  return { endpoint: { protocol, address, facts, probe, ...(price && { price }), usage } };
}

/** The run's goal. Throws RobustError. */
async function goalOf(goal: string | undefined, victim: OpenVictim, patience: TimeLimit): Promise<Goal> {
  const { labels } = victim.model;
  const decision = decisionOf(victim.decision, labels, noiseOf(victim), victim.model.output?.tags);
  const { plugin, options } = await partNamed('goal', goal ?? usualGoal(decision), { patience });
  return plugin.create(options, labels, decision);
}
