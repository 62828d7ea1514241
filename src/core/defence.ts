/** @file Interface of defences: wrappers that make a victim harder to fool, selected by `--defend`. */
import type { z } from 'zod';
import type { Classifier } from './classifier.js';
import type { Language, LanguagePart } from './language.js';
import type { Random } from './random.js';

/** Data available to a defence before the first text. */
export interface DefenceContext {
  /** Words that the victim's tokenizer has as one piece, lower case; empty if it has none. */
  readonly vocabulary: readonly string[];
  /** Ordinary texts of the kind that the victim reads, if the user gave some. */
  readonly texts: readonly string[];
  /** Replaces a hidden word. */
  readonly mask: string;
  readonly seed: number;
  /** Language of the texts. It offers the parts that the defence declares. */
  readonly language: Language;
}

/** A defence that is ready to use. */
export interface Defence {
  /** As given: "ranmask:rate=0.7". */
  readonly name: string;
  /** Its effect and parameters, as printed next to every rate. */
  readonly conditions: string;
  /** Changes the text before the victim reads it. Deterministic. */
  readonly rewrite?: (text: string) => string;
  /** Answers instead of the victim from several versions of the text. `random` is a function of the text and of the attack's seed. */
  readonly vote?: (text: string, victim: Classifier, random: Random) => Promise<Float32Array>;
}

/** A kind of defence, with options. */
export interface DefencePlugin<O = unknown> {
  readonly kind: 'defence';
  readonly name: string;
  /** One sentence: its effect on a text, with an example. */
  readonly summary: string;
  readonly paper?: { readonly title: string; readonly url: string };
  readonly options: z.ZodType<O>;
  /** Parts of the language that it requires. It is refused if the language lacks them. */
  readonly language?: readonly LanguagePart[];
  create(options: O, material: DefenceContext): Pick<Defence, 'conditions' | 'rewrite' | 'vote'>;
}
