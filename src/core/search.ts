/** @file The parts of an attack that searches the rewrites of one text. Types only. */
import type { WhiteBox } from './classifier.js';
import type { Example } from './dataset.js';
import type { Truth } from './decision.js';
import type { Draft } from './draft.js';
import type { FillMask } from './fill-mask.js';
import type { Language, LanguagePart } from './language.js';
import type { Random } from './random.js';

export interface Goal {
  readonly name: string;
  /** Progress towards the goal, higher is closer; what a search maximises. */
  score(probabilities: Float32Array, label: number, draft?: Draft): number;
  /** Is the answer changed as wanted, by more than the victim's noise? */
  reached(probabilities: Float32Array, label: number): boolean;
  /** Where it is not reached: is the answer so near the line that its noise decides the side? @default never */
  tied?(probabilities: Float32Array, label: number): boolean;
  /** The same goal as TextAttack judges it, by argmax: of tied labels the first one is predicted. Absent where both judge alike. */
  readonly peer?: Goal;
  /** The label a targeted goal wants: its loss is descended, where an untargeted goal climbs the true label's. */
  readonly target?: number;
  /** Is it after such texts? Others are not attacked. @default all */
  concerns?(truth: Truth): boolean;
  /** The goal as it is for one text, where that depends on more than its label; undefined where the text offers nothing to reach. */
  of?(truth: Truth, original: Float32Array): GoalOfText | undefined;
}

/** A goal as it is for one text. */
export interface GoalOfText {
  readonly goal: Goal;
  /** The label whose loss tells of it: an index. */
  readonly label: number;
}

/** What a part of an attack may learn with. */
export interface PreparationResources {
  readonly language: Language;
  readonly fillMask?: FillMask;
}

export interface Transformation {
  readonly name: string;
  /** Drafts that differ from `draft` in the slots `at`, one edit each. `space` is for edits that depend on the victim or the label. */
  edits(
    draft: Draft,
    at: readonly number[],
    random: Random,
    space: Pick<SearchSpace, 'label' | 'labels' | 'language' | 'goal' | 'gradients' | 'done'>,
  ): Iterable<Draft> | AsyncIterable<Draft>;
  /** Called once, before any example, with some that the victim gets right. */
  prepare?(sample: readonly Example[], victim: PreparationResources): void | Promise<void>;
  /**
   * It rewrites the text as a whole: it is asked once, with the slots that may be edited, even if none may; its drafts need not share slots with
   * the text, and the best of them is the result even where it does no harm.
   */
  readonly whole?: true;
  /** Present where it asks for gradients. */
  readonly needs?: 'gradients';
  /** What it asks of the language of the texts. */
  readonly language?: readonly LanguagePart[];
  /** Who makes its edits, where a success rate says little without that; printed before the constraints. */
  readonly source?: string;
  /** What its edits keep to by themselves, printed behind the constraints. */
  readonly bounds?: readonly string[];
}

export interface Constraint {
  /** With its bounds, as printed beside every ASR: "at most 30 edits". */
  readonly name: string;
  /** May this slot be edited? Asked before anything is generated. */
  editable?(draft: Draft, at: number, language: Language): boolean;
  /** Which candidates are legal rewrites of the original? One answer per candidate. */
  accepts?(candidates: readonly Draft[], original: Draft, language: Language): Promise<boolean[]> | boolean[];
  /** Called once, before any example, with some that the victim gets right. */
  prepare?(sample: readonly Example[], victim: PreparationResources): void | Promise<void>;
  /** What it asks of the language of the texts. */
  readonly language?: readonly LanguagePart[];
  /** It does not bind attacks that rewrite the whole text. */
  readonly ofWords?: true;
  /** Of a run's constraint: does it bind an attack with these options? @default every attack */
  binds?(options: Readonly<Record<string, unknown>>): boolean;
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
  readonly goal: Goal;
  /** The true label, whose probability an untargeted search lowers. */
  readonly label: number;
  /** The victim's labels by name. */
  readonly labels: readonly string[];
  /** Of the texts. */
  readonly language: Language;
  /** The victim's inside, or undefined for a black box. */
  readonly gradients: WhiteBox | undefined;
}

export interface SearchMethod {
  /** With its parameters, as printed: "greedy by unk importance". */
  readonly name: string;
  /** What it must see of the victim. @default scores */
  readonly needs?: 'labels' | 'gradients';
  search(space: SearchSpace): Promise<void>;
}
