/** @file Plugin interfaces: parts of attacks, poisoners and suites. Types only. */
import type { z } from 'zod';
import type { Example } from './dataset.js';
import type { Decision } from './decision.js';
import type { Language, LanguagePart } from './language.js';
import type { Attempt } from './outcome.js';
import type { Poisoner } from './poisoner.js';
import type { Constraint, Goal, SearchMethod, Transformation } from './search.js';
import type { MeteredVictim, Victim } from './victim.js';

export interface Plugin<O> {
  /** Equal to the file name and the command-line id, kebab-case. */
  readonly name: string;
  /** One sentence: its effect on a text, with an example. */
  readonly summary: string;
  readonly paper?: { readonly title: string; readonly url: string } | undefined;
  /** zod object; every option has a default, so `{}` parses. Unknown keys are rejected. */
  readonly options: z.ZodType<O>;
}

/** Types of the parts of an attack. */
export interface Parts {
  readonly transformation: Transformation;
  readonly search: SearchMethod;
  readonly constraint: Constraint;
  readonly goal: Goal;
}

/** A part of an attack that a recipe may name: `--search beam:width=4`. */
export interface ComponentPlugin<K extends keyof Parts = keyof Parts, O = unknown> extends Plugin<O> {
  readonly kind: K;
  /** The option that may be given without its name: `max-edits=3` is `max-edits:edits=3`. */
  readonly main?: string;
  /**
   * `labels`: the victim's labels, for goals that name them; `decision`: the meaning of its scores. Throws RobustError for missing options.
   */
  create(options: O, labels?: readonly string[], decision?: Decision): Parts[K];
}

export type TransformationPlugin<O = unknown> = ComponentPlugin<'transformation', O>;

export interface EvasionAttack {
  /** Names of its constraints: an attack success rate without them is meaningless. */
  readonly constraints: readonly string[];
  /** Present if the chosen options need more access than the plugin's default. */
  readonly needs?: 'gradients';
  /** Present if it makes use of gradients where the victim gives them, and runs without them elsewhere. */
  readonly uses?: 'gradients';
  /** It rewrites the whole text, so constraints on words do not apply. */
  readonly whole?: true;
  /** Present if success is judged by argmax, as in TextAttack: a tie then counts for the label that comes first. */
  readonly peerRule?: true;
  /** Required parts of the language; the attack is left out if one is missing. Optional parts are not listed. */
  readonly language?: readonly LanguagePart[];
  /**
   * Called once, before any example, with examples that the victim classifies correctly: for attacks that learn one perturbation for all. A
   * resumed run calls it again, so it must be a pure function of its arguments.
   */
  prepare?(sample: readonly Example[], victim: Victim): Promise<void>;
  /** Called only for examples that the victim classifies correctly. */
  run(example: Example, target: MeteredVictim): Promise<Attempt>;
}

export interface PoisonPlugin<O = unknown> extends Plugin<O> {
  readonly kind: 'poison';
  /** Required parts of the language; the poisoner is refused if one is missing. */
  readonly language?: readonly LanguagePart[];
  /** Throws RobustError for incompatible options. */
  create(options: O, language: Language): Poisoner;
}

export interface Suite {
  readonly name: string;
  readonly summary: string;
  /** Names of attacks, each optionally with options: "deepwordbug:max-edits=30". */
  readonly attacks: readonly string[];
}
