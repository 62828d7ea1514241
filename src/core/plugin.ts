/** @file What a plugin offers: attacks, poisoners, and suites of attacks by name. Types only. */
import type { z } from 'zod';
import type { Example } from './dataset.js';
import type { Decision } from './decision.js';
import type { Language, LanguagePart } from './language.js';
import type { Measure } from './measure.js';
import type { Attempt } from './outcome.js';
import type { Poisoner } from './poisoner.js';
import type { Constraint, Goal, SearchMethod, Transformation } from './search.js';
import type { MeteredVictim, Victim } from './victim.js';

interface Plugin<O> {
  /** File name = name = command-line id, kebab-case. */
  readonly name: string;
  /** One sentence: what it does to a text, with an example. */
  readonly summary: string;
  readonly paper?: { readonly title: string; readonly url: string };
  /** zod object; every option has a default, so that `{}` parses. Unknown keys are refused. */
  readonly options: z.ZodType<O>;
}

/** Who still reads what an attack rewrote. `decoder`: only who is told to decode it, or finds out. */
export type Reader = 'person' | 'language model' | 'decoder';

/** What stays readable of a text that must do its work after it has passed a detector. */
export interface Legibility {
  readonly readers: readonly Reader[];
  /**
   * A text as they read it: what an attack made of a text holds what is read of that text itself, and plain texts that
   * differ read differently.
   */
  read(text: string, language: Language): string;
}

export interface EvasionPlugin<O = unknown> extends Plugin<O> {
  readonly kind: 'evasion';
  readonly level: 'character' | 'word' | 'sentence' | 'embedding';
  /** What it must see of the victim. `labels`: it asks until the goal is reached; `scores`: it goes where they rise, and is blind without. */
  readonly needs: 'labels' | 'scores' | 'gradients';
  /** Present where a success is something else than a turned prediction. */
  readonly ownGoal?: true;
  /** It asks the victim of texts that are no rewrites of one example: left out of pairs, whose other text they would lack. */
  readonly ownTexts?: true;
  /** Present on attacks that let the whole of a text through to its reader. */
  readonly legibility?: Legibility;
  /** What it finds out besides whether it succeeded. */
  readonly measures?: readonly Measure[];
  /** The edits it makes, which other recipes may name too. */
  readonly transformation?: TransformationPlugin;
  create(options: O): EvasionAttack;
}

/** The parts of an attack, by kind. */
export interface Parts {
  readonly transformation: Transformation;
  readonly search: SearchMethod;
  readonly constraint: Constraint;
  readonly goal: Goal;
}

/** A part of an attack that a recipe may name: `--search beam:width=4`. */
export interface ComponentPlugin<K extends keyof Parts = keyof Parts, O = unknown> extends Plugin<O> {
  readonly kind: K;
  /** The option whose value may stand for all of them: `max-edits=3` is `max-edits:edits=3`. */
  readonly main?: string;
  /** `labels`: the victim's, which goals may name; `decision`: what its scores mean. Throws UsageError for options that lack what it cannot do without. */
  create(options: O, labels?: readonly string[], decision?: Decision): Parts[K];
}

export type TransformationPlugin<O = unknown> = ComponentPlugin<'transformation', O>;

export interface EvasionAttack {
  /** The names of the constraints it applies: an ASR without them is meaningless. */
  readonly constraints: readonly string[];
  /** Present where the chosen options need more of the victim than the plugin does by default. */
  readonly needs?: 'gradients';
  /** It rewrites the whole text, and constraints on words do not bind it. */
  readonly whole?: true;
  /** Present where a success is judged by argmax, as TextAttack judges it: a tie then counts for the label that comes first. */
  readonly peerRule?: true;
  /** What it asks of the language of the texts: left out where that does not offer it. What it can do without is not among it. */
  readonly language?: readonly LanguagePart[];
  /**
   * Called once, before any example, with some that the victim gets right: for attacks that learn one perturbation for all.
   * A resumed run calls it again, so it must be a function of what it is given.
   */
  prepare?(sample: readonly Example[], victim: Victim): Promise<void>;
  /** Called only for examples the victim gets right. */
  run(example: Example, target: MeteredVictim): Promise<Attempt>;
}

export interface PoisonPlugin<O = unknown> extends Plugin<O> {
  readonly kind: 'poison';
  /** What it asks of the language of the texts: refused where that does not offer it. */
  readonly language?: readonly LanguagePart[];
  /** Throws UsageError for options that do not go together. */
  create(options: O, language: Language): Poisoner;
}

export interface Suite {
  readonly name: string;
  readonly summary: string;
  /** Names of attacks, each optionally with options as on the command line: "deepwordbug:max-edits=30". */
  readonly attacks: readonly string[];
}
