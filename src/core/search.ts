/** @file Parts of an attack that searches rewrites of one text. Types only. */
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
  /** Whether the answer changed as wanted, by more than the victim's noise. */
  reached(probabilities: Float32Array, label: number): boolean;
  /** If the goal is not reached: is the answer so close to the boundary that the victim's noise decides the side? @default never */
  tied?(probabilities: Float32Array, label: number): boolean;
  /** The same goal with TextAttack's argmax rule: of tied labels, the first one is predicted. Absent if both rules agree. */
  readonly peer?: Goal;
  /** Label of a targeted goal, whose loss is minimised; an untargeted goal maximises the true label's loss. */
  readonly target?: number;
  /** Does the goal apply to such texts? Others are not attacked. @default all */
  concerns?(truth: Truth): boolean;
  /** The goal for one text, if it depends on more than the label; undefined if the text offers nothing to reach. */
  of?(truth: Truth, original: Float32Array): GoalOfText | undefined;
}

/** A goal for one specific text. */
export interface GoalOfText {
  readonly goal: Goal;
  /** Index of the label whose loss measures it. */
  readonly label: number;
}

/** Resources for a part of an attack that learns. */
interface PreparationResources {
  readonly language: Language;
  readonly fillMask?: FillMask | undefined;
}

export interface Transformation {
  readonly name: string;
  /** Drafts that differ from `draft` in the slots `at`, one edit each. `space` is for edits that depend on the victim or the label. */
  edits(
    draft: Draft,
    at: readonly number[],
    random: Random,
    space: Pick<SearchSpace, 'label' | 'labels' | 'language' | 'goal' | 'gradients' | 'pieces' | 'done'>,
  ): Iterable<Draft> | AsyncIterable<Draft>;
  /** Called once, before any example, with examples that the victim classifies correctly. */
  prepare?(sample: readonly Example[], victim: PreparationResources): void | Promise<void>;
  /**
   * It rewrites the text as a whole. It is called once, with the editable slots, even if the list is empty. Its drafts need not share slots
   * with the text, and the best of them is the result even without an effect.
   */
  readonly whole?: true;
  /** Present if it needs gradients. */
  readonly needs?: 'gradients';
  /** Required parts of the language. */
  readonly language?: readonly LanguagePart[];
  /** Source of its edits, if a success rate is hard to interpret without it; printed before the constraints. */
  readonly source?: string;
  /** Built-in bounds of its edits, printed after the constraints. */
  readonly bounds?: readonly string[];
}

export interface Constraint {
  /** With its bounds, as printed next to every attack success rate: "at most 30 edits". */
  readonly name: string;
  /** May this slot be edited? Called before edits are generated. */
  editable?(draft: Draft, at: number, language: Language): boolean;
  /** Which candidates are legal rewrites of the original? One answer per candidate. */
  accepts?(candidates: readonly Draft[], original: Draft, language: Language): Promise<boolean[]> | boolean[];
  /** Called once, before any example, with examples that the victim classifies correctly. */
  prepare?(sample: readonly Example[], victim: PreparationResources): void | Promise<void>;
  /** Required parts of the language. */
  readonly language?: readonly LanguagePart[];
  /** It does not apply to attacks that rewrite the whole text. */
  readonly ofWords?: true;
  /** For a run's constraint: does it apply to an attack with these options? @default every attack */
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
 * The space of rewrites of one text. It owns `best` and applies the constraints, so no search can lose the best draft, keep an illegal one,
 * or count a ranking probe as an adversarial text.
 */
export interface SearchSpace {
  /** The unedited text, scored. */
  readonly start: Scored;
  /** The highest-scoring legal draft visited so far; a draft that reaches the goal outranks all others. */
  readonly best: Scored;
  /** The goal is reached, or the query budget is spent. */
  readonly done: boolean;
  readonly random: Random;
  /** Slots that the constraints allow a search to edit, ascending; of the given ones only. */
  editable(draft: Draft, at?: readonly number[]): number[];
  /** Distinct drafts one edit away at the given slots (by default all editable ones), in a stable order; none is scored. */
  neighbours(draft: Draft, at?: readonly number[]): Promise<Draft[]>;
  /** Drafts that every constraint accepts, in order; none is scored. */
  legal(drafts: readonly Draft[]): Promise<Draft[]>;
  /** Scores drafts for word ranking: costs queries, ignores constraints, never updates `best`. Returns fewer once the budget is spent. */
  probe(drafts: readonly Draft[]): Promise<Scored[]>;
  /** Drops illegal drafts, scores the rest, updates `best`. In the given order; returns fewer once the budget is spent. */
  visit(drafts: readonly Draft[]): Promise<Scored[]>;
  /**
   * Makes a visited draft the result although its score is no higher, for searches that continue after success in order to change less.
   * Throws RangeError for a draft that does not reach the goal.
   */
  settle(found: Scored): void;
  /** Notes slots that have a legal rewrite, and slots whose words decide alone: a failure that edited none of these says nothing. */
  survey(offered: readonly number[], decisive: readonly number[]): void;
  readonly goal: Goal;
  /** The true label, whose probability an untargeted search lowers. */
  readonly label: number;
  /** Names of the victim's labels. */
  readonly labels: readonly string[];
  /** Language of the texts. */
  readonly language: Language;
  /** White-box access to the victim, or undefined for a black box. */
  readonly gradients: WhiteBox | undefined;
  /** The pieces into which the victim's tokenizer cuts a text; undefined if it is not known. */
  readonly pieces?: ((text: string) => readonly string[]) | undefined;
}

export interface SearchMethod {
  /** With its parameters, as printed: "greedy by unk importance". */
  readonly name: string;
  /** Required access to the victim. @default scores */
  readonly needs?: 'labels' | 'gradients' | undefined;
  /** What searches instead where the victim answers labels only. @default `isolate` for a search that follows scores, itself for others */
  readonly byLabels?: SearchMethod;
  search(space: SearchSpace): Promise<void>;
}
