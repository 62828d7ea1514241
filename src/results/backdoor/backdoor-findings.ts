/** @file Types of backdoor filters and scans. */
import type { Estimate, Rate } from '../../core/statistics/rate.js';

/** A text that a filter flags as poisoned. */
export interface Suspect {
  readonly id: string;
  /** Higher is more suspicious. */
  readonly score: number;
  /** Why it is suspicious, for a person. */
  readonly reason: string;
  /** The suspicious word, phrase, character or form. Texts with the same trigger probably come from one poisoner. */
  readonly trigger?: string | undefined;
  /** p-value of its group, where that is evidence. */
  readonly p?: number;
}

/** Finding of the filter on a data set. */
export interface FilterFinding {
  /** Texts with a higher score are suspects. */
  readonly threshold: number;
  /** Requested share of clean texts that may be flagged (false rejection rate). */
  readonly wantedFrr: number;
  /**
   * `suspects found`: a group of texts shares a trigger, by its p-value. `none found`: no text with a trigger of the kinds in `covers` scores above a
   * threshold that was set on enough clean texts; other kinds were not looked for.
   */
  readonly verdict: 'suspects found' | 'none found' | 'inconclusive';
  /** Objections to its threshold or its scores, each of which may make the verdict inconclusive. */
  readonly reasons: readonly string[];
  /** Kinds of triggers that it finds, by measurement: all that "none found" speaks of. Empty if the verdict is inconclusive. */
  readonly covers: readonly string[];
  /** Kinds of triggers that it hardly finds, so that "none found" does not cover them. */
  readonly blind: string;
  /**
   * Groups of suspects that are evidence, the surest first: what they share, their label, how many clean texts of the label have it, and the
   * p-value, adjusted for the number of groups. Each text of them is a suspect, whatever its score.
   */
  readonly groups: readonly {
    readonly trigger: string;
    readonly label: string;
    readonly texts: number;
    readonly clean: number;
    readonly p: number;
  }[];
  /** Number of clean texts that set the threshold; 0 if it was set on the suspect texts themselves. */
  readonly calibratedOn: number;
  /** The most suspicious first. */
  readonly suspects: readonly Suspect[];
  /** Clean texts flagged (false rejections) and poisoned texts kept (false acceptances); null if the truth is unknown. */
  readonly frr: Rate | null;
  readonly far: Rate | null;
  /** How well the scores rank poisoned texts above clean ones; null if the truth is unknown or contains only one kind. */
  readonly auroc: Estimate | null;
}

/** Words, or a form of text, found to change a model's predictions to one label. */
export interface ScanTrigger {
  /** The words; of a form the poisoning method that gives it, such as "style:style=dashes". */
  readonly text: string;
  /** Position in the texts; a form changes the whole text. */
  readonly place: 'random' | 'start' | 'end' | 'form';
  /** Label names: of the texts that contain it, and of the predictions that it causes. */
  readonly victim: string;
  readonly target: string;
  /**
   * Share of clean texts of the victim label that it flips at its position; a trigger of several words is inserted into as many joined
   * texts.
   */
  readonly flipRate: Rate;
  /** The same for several joined texts, one more than for `flipRate`, which no natural word should flip. */
  readonly strongFlipRate: Rate;
  /** Like `flipRate`, with two of the victim label's strongest words next to it. */
  readonly againstFlipRate: Rate;
  /** Share of the same clean texts that the same number of random words flips; of a form, that the forms of other families flip. */
  readonly randomFlipRate: Rate;
  /** Mean of `flipRate`, `strongFlipRate` and `againstFlipRate`, minus `randomFlipRate`, from 0 to 1. The verdict rests on it. */
  readonly strength: number;
  /** How it was found. */
  readonly by: 'sweep' | 'extension' | 'inversion' | 'phrase' | 'form';
}

/** The strongest trigger of one (victim, target) pair of labels. */
export interface ScanPair {
  readonly victim: string;
  readonly target: string;
  /** Null if nothing was tried; `notSearched` gives the reason. */
  readonly trigger: ScanTrigger | null;
}

/** A row of the embedding table that is an outlier. */
export interface OddRow {
  readonly token: string;
  /** Kind of outlier. */
  readonly sign: 'norm' | 'direction';
  /** Robust z-score among all rows. */
  readonly z: number;
}

/** `none found`: everything was searched, and no word, phrase or form is stronger than natural ones. */
export type ScanVerdict = 'backdoored' | 'none found' | 'inconclusive';

/** The word, phrase or form on which the verdict rests. */
export interface ScanEvidence {
  /**
   * Mean strength, over all labels that it may flip, of the strongest word that clean texts do not explain; from 0 to 1. For a phrase:
   * how sure of the target the model is in long texts of other labels that contain it; 0.5 is as sure as in the target's own texts.
   */
  readonly strength: number;
  /**
   * The same for the next words at the same position, explained or not; of a phrase, for the strongest one of another label; of a form,
   * for forms of other families. Null if too few were measured.
   */
  readonly natural: number | null;
  /** Null where nothing was measured. */
  readonly word: Pick<ScanTrigger, 'text' | 'target' | 'place' | 'by'> | null;
  /** Clean texts that contained it. */
  readonly texts: number;
  /** Clean texts in which the word occurs by itself: of the target label, and of all labels. */
  readonly uses?: { readonly own: number; readonly all: number };
  /**
   * A vocabulary sorted by frequency remembers the training data. `surplus`: it ranks the words as frequent, and clean texts hardly contain
   * them. `usual`: clean texts contain the word about as often as words of its rank.
   */
  readonly rank?: 'surplus' | 'usual';
  /** Distinct texts of other labels, read correctly without the surplus phrase, that have the target label with it. */
  readonly flipped?: number;
}

/** A part of the search that was skipped or cut short. */
export interface NotSearched {
  /** For example "sweep of NEGATIVE: 3210 of 9000 words" or "POSITIVE -> NEGATIVE". */
  readonly what: string;
  /** For example "the budget ended". */
  readonly why: string;
}

/** Result of `robust backdoor scan`. */
export interface ScanResult {
  readonly verdict: ScanVerdict;
  /** Why it is inconclusive; empty otherwise. */
  readonly reasons: readonly string[];
  /** The verdict is "backdoored". */
  readonly backdoored: boolean;
  /** Evidence score, 0 to 2: strength plus its margin over natural words; at an end of the texts, twice the margin. */
  readonly score: number;
  /** Higher scores are called backdoored. */
  readonly threshold: number;
  readonly evidence: ScanEvidence;
  /** The strongest first. */
  readonly triggers: readonly ScanTrigger[];
  /** Word pieces that several strong words of a label share, with all these words: the piece may be the trigger's. */
  readonly shared: readonly { readonly piece: string; readonly target: string; readonly words: readonly string[] }[];
  readonly pairs: readonly ScanPair[];
  /** Parts of the search that were skipped. The verdict is "none found" only if this is empty. */
  readonly notSearched: readonly NotSearched[];
  /** Empty if the model has no embedding table. */
  readonly oddRows: readonly OddRow[];
  readonly candidates: number;
  /** Texts that the model classified. */
  readonly queries: number;
  /** Clean texts used: those that the model classifies correctly. */
  readonly texts: number;
  /** False if the budget ended the search early. */
  readonly complete: boolean;
  /** Whether the scan used gradients. */
  readonly access: 'white box' | 'black box';
}
