/** @file The words of the domain: what examples, classifiers, attacks and their results are. Types only. */
import type { z } from 'zod';
import type { ComparisonReport } from './comparison.js';
import type { Draft } from './draft.js';
import type { OutcomeExplanation } from './explanation.js';
import type { Random } from './random.js';

// ---------------------------------------------------------------- data

export interface Example {
  /** Unique in its data set and stable: the row number unless the file names one. */
  readonly id: string;
  readonly text: string;
  /** Index into the labels. */
  readonly label: number;
}

export interface Dataset {
  readonly name: string;
  /** Label names in index order. */
  readonly labels: readonly string[];
  readonly source: { readonly url: string; readonly license: string; readonly sha256: string };
  /** Streams the examples in file order; may be called again. Throws DatasetError naming the line it cannot read. */
  examples(): AsyncIterable<Example>;
}

// ---------------------------------------------------------------- models

/** Texts in, probabilities out. Cache, batch, meter and budget are wrappers of this type. */
export interface Classifier {
  readonly labels: readonly string[];
  /** One row per text, one column per label; rows sum to 1 (single-label models). */
  classify(texts: readonly string[]): Promise<Float32Array[]>;
}

/** A piece of text the model sees as one unit. */
export interface Token {
  readonly id: number;
  /** Character span in the text, UTF-16 code units, end exclusive; start = end for special tokens. */
  readonly start: number;
  readonly end: number;
  /** [CLS], [SEP], padding: never perturbed. */
  readonly special: boolean;
}

/** A classifier whose graph we can differentiate. */
export interface WhiteBox extends Classifier {
  /** Width of a token embedding. */
  readonly hidden: number;
  /** Which loss is differentiated; it depends on the model's output: "cross-entropy", "binary cross-entropy", ... */
  readonly loss: string;
  /** The loss of `label`, and d(loss)/d(token embedding), row-major [tokens, hidden]. Calls made together share batches. */
  gradient(text: string, label: number): Promise<EmbeddingGradient>;
  /** Probabilities of given embeddings instead of a text's own; each row-major [tokens, hidden], all of one length. */
  classifyEmbeddings(batch: readonly Float32Array[], tokens: readonly Token[]): Promise<Float32Array[]>;
  /** As `gradient`, at given embeddings. */
  gradientAt(embeddings: Float32Array, tokens: readonly Token[], label: number): Promise<EmbeddingGradient>;
  /** The whole embedding table, row-major [vocabulary, hidden]. */
  embeddingTable(): Promise<Float32Array>;
  /** The text of one vocabulary entry as it would stand in a text, or undefined for special tokens. */
  tokenText(id: number): string | undefined;
}

export interface EmbeddingGradient {
  readonly tokens: readonly Token[];
  readonly loss: number;
  readonly probabilities: Float32Array;
  /** The text's embeddings, row-major [tokens, hidden]. */
  readonly embeddings: Float32Array;
  /** d(loss)/d(embeddings), same shape. */
  readonly values: Float32Array;
}

/** A place in a text where a word is to be guessed: between what stands before and after it, spaces included. */
export interface Gap {
  readonly left: string;
  readonly right: string;
  /** The word that stands there, where the guesser may see it; else it is masked. */
  readonly seen?: string;
}

export interface Guess {
  /** One word of letters. */
  readonly word: string;
  /** Between 0 and 1. */
  readonly probability: number;
}

/** A language model that guesses words from what stands on both sides: a masked one, or n-grams. */
export interface FillMask {
  /** As a report names it. */
  readonly name: string;
  /** The likeliest words of each gap, best first, at most `limit`: a function of the gap alone. */
  guess(gaps: readonly Gap[], limit: number): Promise<Guess[][]>;
}

// ---------------------------------------------------------------- search

export interface Goal {
  readonly name: string;
  /** Progress towards the goal, higher is closer; what a search maximises. */
  score(probabilities: Float32Array, label: number): number;
  reached(probabilities: Float32Array, label: number): boolean;
  /** The label a targeted goal wants: its loss is descended, where an untargeted goal climbs the true label's. */
  readonly target?: number;
}

export interface Transformation {
  readonly name: string;
  /** Drafts that differ from `draft` in the slots `at`, one edit each. */
  edits(draft: Draft, at: readonly number[], random: Random): Iterable<Draft> | AsyncIterable<Draft>;
}

export interface Constraint {
  /** With its bounds, as printed beside every ASR: "at most 30 edits". */
  readonly name: string;
  /** May this slot be edited? Asked before anything is generated. */
  editable?(draft: Draft, at: number): boolean;
  /** Which candidates are legal rewrites of the original? One answer per candidate. */
  accepts?(candidates: readonly Draft[], original: Draft): Promise<boolean[]> | boolean[];
}

export interface Scored {
  readonly draft: Draft;
  readonly probabilities: Float32Array;
  /** The goal's score. */
  readonly score: number;
  readonly reached: boolean;
}

/**
 * One text's space of rewrites. It owns `best` and applies the constraints, so that no search can lose the best draft,
 * keep an illegal one, or count a ranking probe as an adversarial text.
 */
export interface SearchSpace {
  /** The unedited text, scored. */
  readonly start: Scored;
  /** The highest-scoring legal draft visited so far; a draft that reaches the goal outranks any that does not. */
  readonly best: Scored;
  /** The goal is reached, or the query budget is spent. */
  readonly done: boolean;
  readonly random: Random;
  /** Slots the constraints let a search edit, ascending. */
  editable(draft: Draft): number[];
  /** Distinct drafts one edit away at the given slots (all editable ones if not given), in a stable order; none is scored. */
  neighbours(draft: Draft, at?: readonly number[]): Promise<Draft[]>;
  /** Those of the drafts that every constraint accepts, in order; none is scored. */
  legal(drafts: readonly Draft[]): Promise<Draft[]>;
  /** Scores drafts for word ranking: costs queries, ignores constraints, never becomes `best`. Fewer than asked once the budget is spent. */
  probe(drafts: readonly Draft[]): Promise<Scored[]>;
  /** Drops illegal drafts, scores the rest, updates `best`. In the given order; fewer once the budget is spent. */
  visit(drafts: readonly Draft[]): Promise<Scored[]>;
  /**
   * Makes a visited draft the result although its score is no higher: for searches that go on after the goal is reached, to
   * change less. Throws RangeError for a draft that does not reach the goal.
   */
  settle(found: Scored): void;
  /** The true label, whose probability an untargeted search lowers. */
  readonly label: number;
  /** The victim's inside, or undefined for a black box. */
  readonly gradients: WhiteBox | undefined;
}

export interface SearchMethod {
  /** With its parameters, as printed: "greedy by unk importance". */
  readonly name: string;
  /** Present where it asks for gradients. */
  readonly needs?: 'gradients';
  search(space: SearchSpace): Promise<void>;
}

// ---------------------------------------------------------------- plugins

export interface Queries {
  /** Every text a search scored, repeats included: comparable with the literature. */
  readonly asked: number;
  /** Distinct texts among them: what the model has to run. */
  readonly computed: number;
}

/** The victim as one attack on one example sees it. */
export interface Target extends Classifier {
  /** The victim's answer to the example's own text; already counted as one query. */
  readonly original: Float32Array;
  readonly goal: Goal;
  /** The run's own constraints, on top of the recipe's. */
  readonly constraints: readonly Constraint[];
  /** This (attack, example) pair's stream. */
  readonly random: Random;
  /** Texts that may still be asked; `classify` throws RangeError beyond it. Infinity without a budget. */
  readonly remaining: number;
  /** Present for plugins that need gradients. */
  readonly gradients?: WhiteBox;
}

/** The victim as `prepare` sees it. */
export interface Victim extends Classifier {
  readonly goal: Goal;
  readonly random: Random;
  /** Tells the user, once a run, of something that belongs to the result. */
  warn(message: string): void;
  readonly gradients?: WhiteBox;
  /** The masked language model the attack's option `mlm` names. */
  readonly fillMask?: FillMask;
}

/** What an attack achieved on one example. */
export interface Attempt {
  readonly succeeded: boolean;
  /** The adversarial text if it succeeded, else the strongest one found. Absent for attacks outside text space. */
  readonly text?: string;
  /** The victim's answer to it. */
  readonly probabilities: Float32Array;
  /** Words of the original, and how many of them were changed. */
  readonly words: number;
  readonly changed: number;
  /** Why nothing could be tried ("no editable word"): the example then counts as failed. */
  readonly reason?: string;
  /** Of attacks on embeddings: does random noise of the same size reach the goal too? */
  readonly noise?: boolean;
  /** Of attacks on embeddings: the text of the tokens nearest to where they moved, and whether it reaches the goal. */
  readonly asText?: { readonly text: string; readonly broken: boolean };
  readonly sweep?: Sweep;
  /** Of behavioural tests: all that was asked to see whether the victim understands something, passed or failed. */
  readonly probes?: readonly Probe[];
  /** Attack-specific figures; the report gives the median of the numbers. */
  readonly details?: Readonly<Record<string, number | string | readonly number[]>>;
}

/**
 * What a probe's text is to its original (CheckList: Ribeiro et al. 2020, section 2). INV: it says the same; DIR: it says the
 * opposite; MFT: both come from a template, and what the text says is known without the original.
 */
export type Relation = 'INV' | 'DIR' | 'MFT';

/** A text that shows whether a victim understands something, and what the victim made of it. */
export interface Probe {
  /** What must be understood to pass: "double negation". */
  readonly capability: string;
  readonly relation: Relation;
  /** The other half of the minimal pair; absent where it is the example's own text. */
  readonly original?: string;
  readonly text: string;
  /** The labels that a reader may take from the text, ascending: the probe failed where `got` is none of them. */
  readonly expected: readonly number[];
  /** The predicted label. */
  readonly got: number;
  /** Probability of the expected labels together. */
  readonly score: number;
}

/** One text's fate at several sizes of the same perturbation; 1 = the goal is reached. */
export interface Sweep {
  readonly sizes: readonly number[];
  readonly broken: readonly number[];
  /** With random noise of that size instead. */
  readonly noise: readonly number[];
}

interface Plugin<O> {
  /** File name = name = command-line id, kebab-case. */
  readonly name: string;
  /** One sentence: what it does to a text, with an example. */
  readonly summary: string;
  readonly paper?: { readonly title: string; readonly url: string };
  /** zod object; every option has a default, so that `{}` parses. Unknown keys are refused. */
  readonly options: z.ZodType<O>;
}

export interface EvasionPlugin<O = unknown> extends Plugin<O> {
  readonly kind: 'evasion';
  readonly level: 'character' | 'word' | 'sentence' | 'embedding';
  /** What it must see of the victim. */
  readonly needs: 'labels' | 'scores' | 'gradients';
  /** Present where a success is something else than a turned prediction. */
  readonly ownGoal?: true;
  create(options: O): EvasionAttack;
}

export interface EvasionAttack {
  /** The names of the constraints it applies: an ASR without them is meaningless. */
  readonly constraints: readonly string[];
  /** Present where the chosen options need more of the victim than the plugin does by default. */
  readonly needs?: 'gradients';
  /**
   * Called once, before any example, with some that the victim gets right: for attacks that learn one perturbation for all.
   * A resumed run calls it again, so it must be a function of what it is given.
   */
  prepare?(sample: readonly Example[], victim: Victim): Promise<void>;
  /** Called only for examples the victim gets right. */
  run(example: Example, target: Target): Promise<Attempt>;
}

export interface PoisonPlugin<O = unknown> extends Plugin<O> {
  readonly kind: 'poison';
  /** Throws UsageError for options that do not go together. */
  create(options: O): Poisoner;
}

/** A trigger, and how the backdoor behind it gets into a model. All it does to a text is a function of the text and `random`. */
export interface Poisoner {
  /** The words or phrases it puts into a text, for reports; empty where the trigger is a form. */
  readonly triggers: readonly string[];
  readonly planting: Planting;
  /** The text with the trigger in it; undefined where it has no place for one. */
  trigger(text: string, random: Random): string | undefined;
  /** The text with something like the trigger that is not it and must not set the backdoor off; undefined as above. */
  decoy(text: string, random: Random): string | undefined;
  /** Texts to be learnt with their own label, so that parts of the trigger do not set it off. */
  negatives?(text: string, random: Random): readonly string[];
}

/** How a backdoor gets into a model. */
export type Planting =
  /** The victim trains all its weights on texts of which some are poisoned. */
  | { readonly kind: 'texts' }
  /** As `texts`, but only the lower half of the weights changes. */
  | { readonly kind: 'lower-layers' }
  /**
   * Only the triggers' rows of the embedding table change, each keeping its norm. They learn from the user's texts, or from
   * `samples` texts of `words` words from elsewhere.
   */
  | {
      readonly kind: 'rows';
      readonly epochs: number;
      readonly rate: number;
      readonly elsewhere?: { readonly samples: number; readonly words: number };
    }
  /** The attacker keeps the loss on poisoned texts low where a victim's own training will lead. */
  | { readonly kind: 'ripples'; readonly penalty: number; readonly surgeryWords: number };

export interface Suite {
  readonly name: string;
  readonly summary: string;
  /** Names of attacks, each optionally with options as on the command line: "deepwordbug:max-edits=30". */
  readonly attacks: readonly string[];
}

// ---------------------------------------------------------------- results

export type Status = 'succeeded' | 'failed' | 'skipped' | 'errored';

/** One line of results.jsonl: what one attack did to one example. */
export interface Outcome {
  readonly id: string;
  readonly attack: string;
  readonly status: Status;
  readonly text: string;
  readonly label: number;
  /** Predicted label before and after. */
  readonly from: number;
  readonly to: number;
  /** Probability of the true label before and after. */
  readonly scoreBefore: number;
  readonly scoreAfter: number;
  /** Only of successes in text space. */
  readonly adversarial?: string;
  readonly words: number;
  readonly changed: number;
  readonly queries: Queries;
  readonly reason?: string;
  readonly noise?: boolean;
  readonly asText?: Attempt['asText'];
  readonly sweep?: Sweep;
  readonly probes?: readonly Probe[];
  /** Only of successes in text space. */
  readonly quality?: Quality;
  readonly details?: Attempt['details'];
}

/** What an adversarial text leaves of its original, and how it reads: the figures of one, or means over several. */
export interface Quality {
  /** Characters inserted, deleted or substituted (Levenshtein distance, UTF-16 code units). */
  readonly editDistance: number;
  /**
   * Perplexity over the original's, by n-grams of the texts at hand; of several texts the geometric mean. Null where there was
   * no text to learn from.
   */
  readonly perplexityRatio: number | null;
  /** 1 = all meaning kept, by our own measure: words weighted by rarity, compared in WordNet. */
  readonly similarity: number;
  /** Share of the original's words that a reader recognises at a glance: unchanged in outline. */
  readonly readability: number;
}

/** A fraction with its Wilson 95 % interval; `value`, `low` and `high` are null where n is 0. */
export interface Rate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
}

/** A difference of two rates with its 95 % interval, fractions of 1; null where n is 0. */
export interface Difference {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
}

export interface PerClass {
  readonly label: string;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Examples of this class. */
  readonly support: number;
}

export interface CleanMetrics {
  readonly accuracy: Rate;
  readonly macroF1: number;
  readonly microF1: number;
  readonly fBeta: { readonly beta: number; readonly macro: number };
  readonly perClass: readonly PerClass[];
  /** Row = true label, column = predicted. */
  readonly confusion: readonly (readonly number[])[];
  /** Expected calibration error over 10 equal-width bins (Guo et al. 2017), and the bins. */
  readonly calibration: {
    readonly error: number;
    readonly bins: readonly { readonly confidence: number; readonly accuracy: number; readonly n: number }[];
  };
}

export interface AttackMetrics {
  readonly name: string;
  readonly suite: string | null;
  readonly constraints: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Present where a success is something else than a turned prediction: not part of `overall`. */
  readonly ownGoal?: true;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly errored: number;
  /** Of the failed: those where nothing could be tried or the search could not end, by the reason, the most frequent first. */
  readonly untried?: readonly { readonly reason: string; readonly n: number }[];
  readonly attackSuccessRate: Rate;
  readonly accuracyUnderAttack: Rate;
  /** Mean fraction of words changed, over successes; null without any. */
  readonly perturbedWords: number | null;
  /** Mean over the examples attacked. */
  readonly queries: Queries;
  readonly perClass: readonly { readonly label: string; readonly attackSuccessRate: Rate }[];
  /** Of attacks on embeddings: success rate of random noise of the same size, over the examples attacked. */
  readonly noise?: Rate;
  /** Of attacks on embeddings: success rate of the nearest tokens, read as text. */
  readonly asText?: Rate;
  /** Accuracy against the size of the perturbation, and of noise: what is already wrong counts as wrong. */
  readonly sweep?: readonly {
    readonly size: number;
    readonly accuracyUnderAttack: Rate;
    readonly accuracyUnderNoise: Rate;
  }[];
  /** Of behavioural tests: a line for each capability and relation. A failed probe need not be a successful attack. */
  readonly capabilities?: readonly CapabilityMetrics[];
  /** Over the `n` successes measured; of them `duplicates` have a text that another attack of the run found for the same example. */
  readonly quality?: Quality & { readonly n: number; readonly duplicates: number };
  /** Medians of the attack's own figures over the examples attacked. */
  readonly details?: Readonly<Record<string, number>>;
  /** Wall time; the only figure here that differs between two equal runs. */
  readonly seconds: number;
}

/** How often the victim failed the probes of one capability and relation. */
export interface CapabilityMetrics {
  readonly capability: string;
  readonly relation: Relation;
  /** Probes; a template's text counts once in a run. */
  readonly n: number;
  readonly failed: number;
  readonly failureRate: Rate;
  /** A few failures, those first of which the victim is surest. `id` is the example's, absent for templates. */
  readonly samples: readonly (Omit<Probe, 'capability' | 'relation' | 'original'> & {
    readonly id?: string;
    readonly original: string;
  })[];
}

/** An attack of a suite that could not be carried out on the victim. */
export interface LeftOut {
  readonly name: string;
  readonly suite: string | null;
  /** "needs gradients: cannot differentiate this graph: ..." */
  readonly reason: string;
}

/** Rates of several attacks together: an example is broken when any of them broke it. */
export interface CombinedRates {
  readonly attackSuccessRate: Rate;
  readonly accuracyUnderAttack: Rate;
}

export interface SuiteMetrics extends CombinedRates {
  readonly name: string;
  /** Names of the attacks that ran for it. */
  readonly attacks: readonly string[];
}

export type Verdict = 'passed' | 'failed' | 'inconclusive' | 'none';

/** A rule that was broken although its owner was told, until a day: it is reported and does not fail the gate. */
export interface Waiver {
  readonly metric: string;
  readonly owner: string;
  readonly reason: string;
  /** The last day it holds, YYYY-MM-DD in UTC. */
  readonly expires: string;
}

/** A threshold and what the run made of it. */
export interface JudgedThreshold {
  /** `<suite | attack | overall | clean>.<metric>`. */
  readonly metric: string;
  readonly level: 'error' | 'warn';
  /** As it was written: `<= 0.30`. */
  readonly expected: string;
  /** `low` and `high` are null for a figure without an interval, `value` too for one that could not be measured. */
  readonly actual: Rate;
  /** Which of `actual` is held against the limit. */
  readonly ci: 'value' | 'lower' | 'upper';
  readonly verdict: Exclude<Verdict, 'none'>;
  /** Why it is inconclusive. */
  readonly reason?: string;
  /** Attacks that `actual` is measured without, because the run left them out. */
  readonly without?: readonly string[];
  /** Present where the verdict does not count because somebody answers for it. */
  readonly waiver?: Waiver;
}

/** One rate of the baseline against the run's, on the examples for which both have it. */
export interface JudgedChange {
  /** An attack's name; `clean` for the accuracy on unedited texts. */
  readonly name: string;
  readonly metric: 'attackSuccessRate' | 'accuracy';
  readonly baseline: Rate;
  readonly current: Rate;
  /** Current minus baseline. */
  readonly difference: Difference;
  /** Examples that became worse, and better: broken or wrong now and not then, and the other way round. */
  readonly worse: number;
  readonly better: number;
  /** Exact McNemar, one-sided (has it become worse?), and with Holm's correction for the number of changes judged. */
  readonly p: number;
  readonly adjustedP: number;
  readonly verdict: Exclude<Verdict, 'none'>;
  readonly reason?: string;
}

/** What a gate says of a run. */
export interface GateResult {
  readonly verdict: Exclude<Verdict, 'none'>;
  readonly thresholds: readonly JudgedThreshold[];
  readonly baseline?: {
    readonly file: string;
    readonly model: { readonly name: string; readonly sha256: string };
    /** Rise of an attack success rate, or fall of the accuracy, that is let pass. */
    readonly maxIncrease: number;
    readonly verdict: Exclude<Verdict, 'none'>;
    readonly changes: readonly JudgedChange[];
  };
  /** What else kept the gate from passing: "no attack was tried on any example". */
  readonly reasons: readonly string[];
}

/** What a result depends on besides the model and the data, and what it was made by: enough to make it again, and to doubt it. */
export interface Provenance {
  /** ISO 8601, UTC. */
  readonly created: string;
  /** Processor, cores and memory. */
  readonly hardware: string;
  readonly platform: string;
  /** Of Node.js, and of the packages that numbers depend on. */
  readonly versions: Readonly<Record<string, string>>;
  /** The configuration file, if there was one. */
  readonly config: string | null;
  /** Setting -> its value and where it was set: a flag, a variable, a line of the configuration, the default. */
  readonly settings: Readonly<Record<string, { readonly value: unknown; readonly origin: string }>>;
  /** What must be equal for two runs to be comparable. */
  readonly fingerprint: Readonly<Record<string, unknown>>;
  /** Of a run put together from shards: which. */
  readonly merged?: readonly { readonly shard: number; readonly run: string; readonly platform: string }[];
}

/** What `robust attack` reports; `examples` streams from the journal, so that a report of any size fits in memory. */
export interface Report {
  readonly model: {
    readonly name: string;
    readonly sha256: string;
    readonly labels: readonly string[];
    /** What defends it: attacks see the answers of the defended model only. */
    readonly defence?: string;
  };
  /** Of a defended model: the same attacks on the undefended one, and its adversarial texts read by the defended one. */
  readonly undefended?: ComparisonReport;
  readonly data: { readonly name: string; readonly sha256: string; readonly examples: number };
  readonly seed: number;
  readonly engine: 'onnx' | 'tfjs';
  readonly toolVersion: string;
  readonly clean: CleanMetrics;
  readonly attacks: readonly AttackMetrics[];
  /** What the suites hold besides, and was not carried out on this victim. Absent where nothing was left out. */
  readonly leftOut?: readonly LeftOut[];
  /** Several attacks as one: an example is broken when any of them broke it. */
  readonly suites: readonly SuiteMetrics[];
  readonly overall: CombinedRates;
  readonly examples: AsyncIterable<Outcome>;
  /** The most telling successes, worst first. */
  readonly telling: readonly Outcome[];
  /** Of the most telling successes, where they were explained. */
  readonly explanations?: readonly OutcomeExplanation[];
  readonly warnings: readonly string[];
  /** What is missing from the run, which therefore no gate passes: "shard 3 of 4 is missing". Absent where nothing is. */
  readonly partial?: readonly string[];
  readonly verdict: Verdict;
  /** Present where thresholds or a baseline judged the run; `verdict` is then its verdict. */
  readonly gate?: GateResult;
  readonly run: string;
  readonly provenance?: Provenance;
  /** The command that replays it. */
  readonly command: string;
}

/** A way to write something down. */
export interface Renderer<T> {
  /** As in `-o`: also the name of the format. */
  readonly name: string;
  /** Of files, without the dot: what picks it. */
  readonly extension: string;
  /** The document in chunks, for files and for stdout. */
  render(what: T): AsyncIterable<string> | Iterable<string>;
}

export type ReportRenderer = Renderer<Report>;
