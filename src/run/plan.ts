/** @file The plan of a run, and the facts of it that must be equal for a run to be continued. */
import { isDeepStrictEqual } from 'node:util';
import type { WindowVotes } from '../core/certificate.js';
import type { Approximation, Classifier, WhiteBox } from '../core/classifier.js';
import type { Dataset, Example } from '../core/dataset.js';
import type { Decision, DecisionRule } from '../core/decision.js';
import type { EndpointCounts, EndpointFacts } from '../core/endpoint.js';
import { RobustError } from '../core/errors.js';
import type { FillMask } from '../core/fill-mask.js';
import type { Language } from '../core/language.js';
import type { Outcome, Quality } from '../core/outcome.js';
import type { OutputReading } from '../core/output-reading.js';
import type { TimeLimit } from '../core/patience.js';
import type { Constraint, Goal } from '../core/search.js';
import type { Touch, WordRecognition } from '../core/tags/carried.js';
import type { TagObserver } from '../core/tags/evidence.js';
import type { TextLimit } from '../core/text-limit.js';
import type { ReadPart } from '../core/victim.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import type { Diagnose } from '../results/diagnostics/evidence.js';
import { ATTACK_KEYS } from '../results/measures/attack-metrics.js';
import { GENERAL_MEASURES } from '../results/measures/index.js';
import type { Measure } from '../results/measures/measure.js';
import type { LeftOut } from '../results/report/left-out.js';
import { decisionOf } from '../tasks/decide.js';
import type { NamedFiles, RunOrigin } from './origin.js';
import type { Shard } from './shard.js';

export interface PlannedAttack {
  readonly plugin: EvasionPlugin;
  /** As the plugin's schema parsed them. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly suite: string | null;
  /** Asked for by its own name, not just as one of a suite: where it cannot be carried out, that is an error. */
  readonly named?: boolean;
  /** How long it may neither ask nor end, where it is code of the user's. @default any time */
  readonly patience?: TimeLimit;
  /** SHA-256 of the user's own files that it is made of: an edited one is another attack. */
  readonly code?: string;
  /** Unique in the run: "deepwordbug", or "deepwordbug:max-edits=3". Names its random streams. */
  readonly label: string;
  /** Its entry in a list of attacks, if that is not its label; null if other settings name it. */
  readonly spec?: string | null;
  /** The masked language model its options name, and the hash of its files. */
  readonly fillMask?: FillMask & { readonly sha256: string };
}

/** The constraints of the run that bind an attack with these options. */
export const bindingConstraints = (
  constraints: readonly Constraint[],
  options: PlannedAttack['options'] = {},
): readonly Constraint[] => constraints.filter(({ binds }) => binds === undefined || binds(options));

/** A model whose answers may vary, because code or a server that is not ours gives them. */
export interface Repeating extends Pick<Classifier, 'classify'> {
  /** Asks again, whatever is remembered. */
  again(text: string): Promise<Float32Array>;
}

/** A victim whose hash does not fix its answers: an endpoint, or a module that may read its weights from elsewhere. */
export interface Unpinned {
  /** Asks the victim, past every cache. */
  readonly classify: Classifier['classify'];
  /** Its answer to a text in an earlier session, if that is kept besides the clean answers. */
  readonly remembered?: (text: string) => Float32Array | undefined;
}

/** The victim and the texts: all that the clean pass needs. */
export interface EvaluationPlan {
  readonly model: {
    readonly classifier: Classifier;
    readonly name: string;
    readonly sha256: string;
    readonly gradients?: WhiteBox | undefined;
    /** Its scores say no more than its labels. @default false */
    readonly labelsOnly?: boolean;
    /** Searches query it instead of `classifier`, which confirms their successes. */
    readonly approximation?: Approximation;
    readonly output?: OutputReading;
    /** Asks a text again, whatever is known of it. Present where answers may vary: if they do, a success must be confirmed. */
    readonly again?: (text: string) => Promise<Float32Array>;
    /** The model behind the defences, where its answers may vary. */
    readonly repeating?: Repeating;
    /** How a resumed run finds out whether the victim is still the same. Absent where the hash says so. */
    readonly unpinned?: Unpinned;
    /** Whether the model's vocabulary lacks most of a text. Absent where it can lack nothing. */
    readonly unreadable?: (text: string) => boolean;
    /** The length from which on it cuts texts, if that is known. */
    readonly limit?: TextLimit;
    /** The endpoint, and the queries of all sessions. */
    readonly endpoint?: EndpointFacts & { usage(): EndpointCounts };
    /** The defences that `classifier` is behind. */
    readonly defence?: string;
    /** The meaning of its scores. @default the most probable label */
    readonly decision?: DecisionRule;
    /** Largest difference between two answers to one text: what a success must exceed. @default 0 */
    readonly noise?: number;
    /** The part of a text that it reads, where it cuts this one. */
    readonly read?: (text: string) => ReadPart | undefined;
    /** The pieces into which its tokenizer cuts a text, if it is known. */
    readonly pieces?: (text: string) => readonly string[];
    /** Its votes, which bound its answers under edits; opened on first use. */
    readonly votes?: () => Promise<WindowVotes | undefined>;
    /** All tags of a text, where the victim tags. */
    readonly tags?: TagObserver;
  };
  readonly dataset: Dataset;
  /** Number of examples from the first on; 0 = all. */
  readonly numExamples: number;
  /** How the data set came by its order: drawn by the seed, and how many examples were left out before. */
  readonly shuffle?: boolean | undefined;
  readonly offset?: number | undefined;
  /** Go on although the labels look permuted. */
  readonly force?: boolean;
  /** Label of the data -> label of the model, as the user gave them: a better map is suggested in the same words. */
  readonly labelMap?: Readonly<Record<string, string>> | undefined;
}

export interface RunPlan extends EvaluationPlan {
  readonly attacks: readonly PlannedAttack[];
  /** Attacks that cannot be carried out on this victim, for the report. */
  readonly leftOut?: readonly LeftOut[];
  readonly seed: number;
  readonly engine: 'onnx' | 'tfjs';
  /** Texts that are sent alone before the clean pass, to time the answers. @default none */
  readonly timed?: number;
  /** Searches in flight. Changes the speed and nothing else. */
  readonly concurrency: number;
  /** Texts one attack may ask about one example, the unedited text included. */
  readonly queryBudget?: number | undefined;
  /**
   * Queries of all outcomes of the run together. The run ends before the first (attack, example) pair, in
   * canonical order, that would exceed it, so that the same outcomes are kept whatever the concurrency. Searches of
   * later pairs that were already under way are dropped: the victim may have seen up to `concurrency` searches more.
   */
  readonly runBudget?: number | undefined;
  /** Attack only this part of the examples. */
  readonly shard?: Shard;
  readonly goal: Goal;
  /** The language of the texts. */
  readonly language: Language;
  readonly constraints: readonly Constraint[];
  /** Which words attacks may edit where the victim tags. @default any for edits of letters, for others those outside of entities */
  readonly touch?: Touch | undefined;
  /** Does a reader recognise a word of an entity in what replaces it? @default any */
  readonly recognises?: WordRecognition;
  /** SHA-256 of the user's own files that the goal, the constraints and the language are from. */
  readonly code?: string | undefined;
  /** Errored / tried examples of an attack above which the verdict is inconclusive. */
  readonly maxErrorRate: number;
  /** A remark on texts like these for readers of the results; or undefined. */
  readonly remark?: (texts: readonly string[], language: Language) => string | undefined;
  /** Makes extra queries after the attacks, which show whether their figures can be trusted. */
  readonly diagnose?: Diagnose;
  /** Given some texts of the data set, what measures an adversarial text beside its original. Nothing is measured without. */
  readonly quality?: (
    texts: readonly string[],
    language: Language,
  ) => (original: string, adversarial: string) => Quality;
  /** The settings that decide outcomes, by key: facts of the fingerprint. */
  readonly decided: Readonly<Record<string, unknown>>;
  /** The command line that replays the run. */
  readonly command: string;
  readonly toolVersion: string;
  /** Where each setting was set, by which configuration, and what is installed. */
  readonly made?: RunOrigin;
  /** Says that this user gave the settings, where these name code or an address. */
  readonly named?: NamedFiles;
  /** Recorded in run.json, so that `--resume` needs no other flag. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Each search asks for it: made once for each model. */
const decisions = new WeakMap<EvaluationPlan['model'], Decision>();

/** The meaning of the scores of the plan's victim. */
export function decisionOfPlan({ model }: Pick<EvaluationPlan, 'model'>): Decision {
  const known =
    decisions.get(model) ?? decisionOf(model.decision, model.classifier.labels, model.noise, model.output?.tags);
  decisions.set(model, known);
  return known;
}

/** The facts every outcome of this (attack, example) pair shares. `before` is the victim's answer to the unedited text. */
export interface AttackPair {
  readonly example: Example;
  readonly attack: string;
  readonly before: Float32Array;
  /** The meaning of the victim's scores. @default the most probable label */
  readonly decision?: Decision;
}

export interface RunProgress {
  readonly stage: 'clean' | 'attack';
  /** The attack whose example has just been finished. */
  readonly attack?: string;
  /** Examples classified (clean), or (attack, example) pairs of the whole run finished, earlier sessions' included. */
  readonly done: number;
  /** The total; undefined while the data set is still being read. */
  readonly total: number | undefined;
  /** How many of `done` an earlier session of a resumed run had finished: the speed is (done - resumed) / seconds. */
  readonly resumed: number;
  /** Over the whole run so far: the ASR so far is succeeded / attacked. */
  readonly succeeded: number;
  readonly attacked: number;
  /** Queries in this session's stage. */
  readonly asked: number;
  /** Cost of the victim's answers in this session, if a price was given. */
  readonly cost?: number;
  /** Since this session's stage began. */
  readonly seconds: number;
  /** Workers of a run on a queue. */
  readonly fleet?: { readonly workers: number };
}

/** The run of an outcome: its attacks by label, and how many examples each of them has. */
export interface OutcomeOf {
  readonly attacks: readonly string[];
  readonly examples: number;
}

export interface RunHooks {
  /** Ends the run with `RunInterrupted`, keeping every finished outcome. */
  readonly signal?: AbortSignal | undefined;
  progress?(progress: RunProgress): void;
  /** Called with every outcome of the run, those of earlier sessions included. */
  outcome?(outcome: Outcome, of: OutcomeOf): void;
  warn?(message: string): void;
  /** Stacks of unexpected errors: for `--verbose`. */
  debug?(message: string): void;
}

/** Facts that two sessions must share for their outcomes to belong to one run; concurrency and verdict rules are not among them. */
export type Fingerprint = Readonly<Record<string, unknown>>;

export function fingerprint(plan: RunPlan): Fingerprint {
  const facts = {
    toolVersion: plan.toolVersion,
    model: plan.model.sha256,
    labels: plan.model.classifier.labels,
    decision: plan.model.decision,
    windows: plan.model.output?.windows,
    tags: plan.model.output?.tags,
    data: plan.dataset.source.sha256,
    dataLabels: plan.dataset.labels,
    attacks: plan.attacks.map(({ plugin, options, label, fillMask, code }) => ({
      label,
      name: plugin.name,
      options,
      fillMask: fillMask?.sha256,
      code,
    })),
    ...plan.decided,
    goal: plan.goal.name,
    constraints: plan.constraints.map(({ name }) => name),
    // Runs on English have never said so, and must go on.
    language: plan.language.code === 'en' ? undefined : plan.language.code,
    precision: plan.model.approximation?.precision,
    shard: plan.shard,
    code: plan.code,
  };
  // As it will be read back: without undefined facts and class instances.
  return JSON.parse(JSON.stringify(facts)) as Fingerprint;
}

/** Throws RobustError naming each fact in which a plan differs from the run it should continue. */
export function checkSame(recorded: Fingerprint, planned: Fingerprint, run: string): void {
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(planned)])];
  const different = names
    .filter((name) => !isDeepStrictEqual(recorded[name], planned[name]))
    .map((name) => `${name} (was ${JSON.stringify(recorded[name])}, is ${JSON.stringify(planned[name])})`);
  if (different.length > 0)
    throw new RobustError(`run ${run} cannot be continued with other inputs: ${different.join('; ')}`, {
      code: 'RESUME_MISMATCH',
      hint: 'Resume with the inputs the run was started with, or start a new run.',
    });
}

/** Whether an attack, as its options have it, must see inside the victim. */
export const needsGradients = ({ plugin, options }: Pick<PlannedAttack, 'plugin' | 'options'>): boolean =>
  plugin.needs === 'gradients' || plugin.create(options).needs === 'gradients';

/** Refuses plans that cannot be carried out, before anything is classified. */
export function checkPlan(plan: RunPlan): void {
  checkAttacks(plan);
  checkMeasures(plan.attacks);
  if (plan.shard !== undefined && plan.runBudget !== undefined)
    throw new RobustError('a shard cannot know what the others spend of a budget of the whole run', {
      code: 'SHARD_INVALID',
      hint: 'Use --query-budget N, which is per example, instead of --query-budget run=N.',
    });
  const positive = { concurrency: plan.concurrency, queryBudget: plan.queryBudget, runBudget: plan.runBudget };
  for (const [name, value] of Object.entries(positive)) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 1)) {
      throw new RobustError(`${name}: expected a positive integer, got ${value}`, { code: 'OPTION_INVALID' });
    }
  }
}

function checkAttacks({ attacks, model }: RunPlan): void {
  const labels = new Set<string>();
  for (const { label, plugin, options, fillMask } of attacks) {
    if (labels.has(label))
      throw new RobustError(`attack "${label}" is given twice`, {
        code: 'NAME_TAKEN',
        hint: 'Name each attack once, or give the second one other options.',
      });
    labels.add(label);
    if (typeof options.mlm === 'string' && options.mlm !== '' && fillMask === undefined)
      throw new RobustError(
        `attack "${label}" names the masked language model ${options.mlm}, which is not opened here`,
        {
          code: 'ATTACK_UNSUPPORTED',
          hint: 'Use robust attack, or leave mlm out: n-grams of the data set then guess.',
        },
      );
    if (needsGradients({ plugin, options }) && model.gradients === undefined)
      throw new RobustError(`attack "${label}" needs gradients, which model "${model.name}" does not give`, {
        code: 'GRADIENTS_UNSUPPORTED',
        hint: 'Choose a model whose graph can be differentiated, or an attack that needs scores only.',
      });
  }
}

/** Measures of one name are one measure. */
function checkMeasures(attacks: RunPlan['attacks']): void {
  const known = new Map<string, Measure>();
  for (const { label, plugin } of attacks) {
    for (const measure of [...GENERAL_MEASURES, ...(plugin.measures ?? [])]) {
      if (ATTACK_KEYS.has(measure.name) || (known.get(measure.name) ?? measure) !== measure)
        throw new RobustError(
          `attack "${label}": expected a measure with a name of its own, got "${measure.name}", which is taken`,
          { code: 'NAME_TAKEN', hint: 'Call it otherwise.' },
        );
      known.set(measure.name, measure);
    }
  }
}
