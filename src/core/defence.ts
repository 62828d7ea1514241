/** @file What a defence is: a wrapper that makes a victim harder to fool, named by `--defend`. */
import type { z } from 'zod';
import type { Classifier } from './classifier.js';
import type { Language, LanguagePart } from './language.js';
import type { Random } from './random.js';

/** What a defence may learn from before the first text. */
export interface DefenceContext {
  /** Words that the victim's tokenizer knows as one piece, lower case; empty where it has none. */
  readonly vocabulary: readonly string[];
  /** Ordinary texts of the kind the victim reads, where the user gave some. */
  readonly texts: readonly string[];
  /** What stands for a hidden word. */
  readonly mask: string;
  readonly seed: number;
  /** Of the texts the victim reads. It offers what the defence asks of it. */
  readonly language: Language;
}

/** A defence ready to work. */
export interface Defence {
  /** As given: "ranmask:rate=0.7". */
  readonly name: string;
  /** What it does, with its parameters, as printed beside every rate. */
  readonly conditions: string;
  /** Changes the text before the victim reads it. The same text always gives the same. */
  readonly rewrite?: (text: string) => string;
  /** Answers in the victim's stead from several versions of the text; `random` is a function of the text and of the attack's seed. */
  readonly vote?: (text: string, victim: Classifier, random: Random) => Promise<Float32Array>;
}

/** A kind of defence, with options. */
export interface DefencePlugin<O = unknown> {
  readonly kind: 'defence';
  readonly name: string;
  /** One sentence: what it does to a text, with an example. */
  readonly summary: string;
  readonly paper?: { readonly title: string; readonly url: string };
  readonly options: z.ZodType<O>;
  /** What it asks of the language of the texts: refused where that offers none. */
  readonly language?: readonly LanguagePart[];
  create(options: O, material: DefenceContext): Pick<Defence, 'conditions' | 'rewrite' | 'vote'>;
}
