/** @file What a plugin offers: attacks, poisoners, and suites of attacks by name. Types only. */
import type { z } from 'zod';
import type { Example } from './dataset.js';
import type { Attempt } from './outcome.js';
import type { Poisoner } from './poisoner.js';
import type { Constraint, Goal, SearchMethod, Transformation } from './search.js';
import type { Target, Victim } from './victim.js';

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
  /** What it must see of the victim. `labels`: it asks until the goal is reached; `scores`: it goes where they rise, and is blind without. */
  readonly needs: 'labels' | 'scores' | 'gradients';
  /** Present where a success is something else than a turned prediction. */
  readonly ownGoal?: true;
  /** The edits it makes, which other recipes may name too. */
  readonly transformation?: TransformationPlugin;
  create(options: O): EvasionAttack;
}

interface Component<O> extends Plugin<O> {
  /** The option whose value may stand without its name: `max-edits=3` is `max-edits:edits=3`. */
  readonly main?: string;
}

export interface TransformationPlugin<O = unknown> extends Component<O> {
  readonly kind: 'transformation';
  readonly level: EvasionPlugin['level'];
  create(options: O): Transformation;
}

export interface SearchPlugin<O = unknown> extends Component<O> {
  readonly kind: 'search';
  create(options: O): SearchMethod;
}

export interface ConstraintPlugin<O = unknown> extends Component<O> {
  readonly kind: 'constraint';
  create(options: O): Constraint;
}

export interface GoalPlugin<O = unknown> extends Component<O> {
  readonly kind: 'goal';
  /** Throws UsageError where the options name none of the victim's labels. */
  create(options: O, labels: readonly string[]): Goal;
}

/** A part of an attack that a recipe may name. */
export type ComponentPlugin<O = unknown> =
  | TransformationPlugin<O>
  | SearchPlugin<O>
  | ConstraintPlugin<O>
  | GoalPlugin<O>;

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

export interface Suite {
  readonly name: string;
  readonly summary: string;
  /** Names of attacks, each optionally with options as on the command line: "deepwordbug:max-edits=30". */
  readonly attacks: readonly string[];
}
