/** @file The result of an exhaustive check. */
import type { Rate } from '../../core/statistics/rate.js';
import type { Report } from './report.js';

/** Result of the check for one example. */
export interface VerifiedExample {
  readonly id: string;
  readonly text: string;
  /** `wrong`: the model classifies the unedited text incorrectly. */
  readonly verdict: 'wrong' | 'proved' | 'broken' | 'unfinished';
  /** Texts of the space that the model classified. */
  readonly texts: number;
  /** How a proof was found: by bounds on the model's votes, or by classifying every text. */
  readonly method?: 'bounds' | 'exhaustive';
  /** The text that changes the prediction. */
  readonly adversarial?: string;
}

/** An attack beside the exhaustive check. */
export interface ComparedAttack {
  readonly name: string;
  readonly accuracyUnderAttack: Rate;
  /** Broken examples that the attack found, too. */
  readonly found: number;
  /** Broken examples that it did not find. */
  readonly missed: number;
  /** Its successes on proved examples: their edits are not in the space. */
  readonly outside: number;
}

export interface VerifyResult {
  readonly run: string;
  readonly model: { readonly name: string; readonly sha256: string };
  readonly data: { readonly name: string; readonly sha256: string; readonly examples: number };
  readonly seed: number;
  readonly space: readonly string[];
  readonly edits: number;
  readonly alphabet: string;
  /** The conditions that all texts of the space meet, in words. */
  readonly constraints: readonly string[];
  /** The accuracy on the unedited texts of these examples. */
  readonly clean: Rate;
  /** Shares of all examples that the goal concerns and the model classified. The robust accuracy lies between `proved` and `notBroken`. */
  readonly verify: {
    readonly proved: Rate;
    readonly notBroken: Rate;
    readonly broken: Rate;
    readonly unfinished: Rate;
  };
  /** Texts that the check sent to the model. */
  readonly texts: number;
  readonly attacks: readonly ComparedAttack[];
  readonly examples: readonly VerifiedExample[];
  /** Inconclusive where no example was proved or broken, or the run is no evidence. */
  readonly verdict: 'inconclusive' | 'none';
  readonly reasons: readonly string[];
  readonly replay: string;
  /** Report of the run, for files. */
  readonly report: Report;
}
