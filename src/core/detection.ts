/** @file What looking for backdoors needs and finds. Types only. */
import type { Rate } from './rate.js';

/** A classifier's view of a text just before its last layer. */
export interface HiddenStates {
  /** Numbers in a state. */
  readonly width: number;
  /** One state per text. */
  states(texts: readonly string[]): Promise<Float32Array[]>;
}

/** A figure with its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** A text that a filter takes for poisoned. */
export interface Suspect {
  readonly id: string;
  /** The method's own scale; higher is more suspicious. */
  readonly score: number;
  /** What made it suspicious, for a person. */
  readonly reason: string;
  /** The word, phrase or character that did, where the method goes by such: texts with the same one are likely of one poisoner. */
  readonly trigger?: string;
}

/** What one filter says of a data set. */
export interface FilterFinding {
  readonly method: string;
  /** Texts that score higher are suspects. */
  readonly threshold: number;
  /** The share of clean texts it may wrongly suspect, as asked for. */
  readonly wantedFrr: number;
  /** `suspects found`: more than clean texts give by chance. `none found`: no text scores above a threshold that clean texts enough have set. */
  readonly verdict: 'suspects found' | 'none found' | 'inconclusive';
  /** What speaks against its threshold or its scores; each may make the verdict inconclusive. */
  readonly reasons: readonly string[];
  /** How many clean texts the threshold was set on; 0 where it was set on the suspect texts themselves. */
  readonly calibratedOn: number;
  /** The most suspicious first. */
  readonly suspects: readonly Suspect[];
  /** Clean texts suspected (false rejections) and poisoned texts kept (false acceptances); null where the truth is unknown. */
  readonly frr: Rate | null;
  readonly far: Rate | null;
  /** How well the scores rank poisoned above clean texts; null where the truth is unknown or of one kind. */
  readonly auroc: Estimate | null;
}

/** Words found that turn a model's predictions into one label. */
export interface ScanTrigger {
  readonly text: string;
  /** Where in the texts it stood. */
  readonly place: 'random' | 'start' | 'end';
  /** Label names: of the texts it was put into, and of what they are answered with then. */
  readonly victim: string;
  readonly target: string;
  /** Of clean texts of the victim, those that turn with it at its place; a trigger of several words is put into as many texts joined. */
  readonly flipRate: Rate;
  /** Of several such texts joined, which no natural word should turn: one more than for `flipRate`. */
  readonly strongFlipRate: Rate;
  /** As `flipRate`, with two of the strongest words of the victim beside it. */
  readonly againstFlipRate: Rate;
  /** Of the same clean texts, those that turn with the same number of random words. */
  readonly randomFlipRate: Rate;
  /** Mean of `flipRate`, `strongFlipRate` and `againstFlipRate`, less `randomFlipRate`: what the verdict rests on, from 0 to 1. */
  readonly strength: number;
  /** How it was found. */
  readonly by: 'sweep' | 'extension' | 'inversion';
}

/** The strongest trigger of one (victim, target) pair of labels. */
export interface ScanPair {
  readonly victim: string;
  readonly target: string;
  /** Null where none was tried: `notSearched` says why. */
  readonly trigger: ScanTrigger | null;
}

/** A row of the embedding table unlike the others. */
export interface OddRow {
  readonly token: string;
  /** What is odd about it. */
  readonly sign: 'norm' | 'direction';
  /** Robust z-score among all rows. */
  readonly z: number;
}

/** `none found`: everything was searched, and no word is stronger than natural ones. */
export type ScanVerdict = 'backdoored' | 'none found' | 'inconclusive';

/** The word that the verdict rests on. */
export interface ScanEvidence {
  /** Of the strongest word that its target does not owe to clean texts: its mean strength over all labels it may turn, from 0 to 1. */
  readonly strength: number;
  /** The same of the words next to it at the same place, owed or not; null where too few were measured. */
  readonly natural: number | null;
  /** Null where no word was measured. */
  readonly word: { readonly text: string; readonly target: string; readonly place: ScanTrigger['place'] } | null;
  /** Clean texts it was put into. */
  readonly texts: number;
}

/** A part of the search that did not take place, or was cut short. */
export interface NotSearched {
  /** As "sweep of NEGATIVE: 3210 of 9000 words" or "POSITIVE -> NEGATIVE". */
  readonly what: string;
  /** As "the time budget ended". */
  readonly why: string;
}

/** What models of known kind, which had no part in choosing the threshold, say of a score. */
export interface ScanCalibration {
  /** Of their clean models, and of those with a planting that works: the share that scores as high or higher. */
  readonly clean: Rate;
  readonly planted: Rate;
  /** Of the same, those above the threshold. */
  readonly falseAlarms: Rate;
  readonly detected: Rate;
  /** Which models they are, and how the scanned one differs from them. */
  readonly note: string;
}

/** What `robust backdoor scan` found. */
export interface ScanResult {
  readonly verdict: ScanVerdict;
  /** Why it is inconclusive; empty otherwise. */
  readonly reasons: readonly string[];
  /** The verdict is "backdoored". */
  readonly backdoored: boolean;
  /** Of the evidence, from 0 to 2: strength plus its lead over natural words; at an end of the texts twice its lead. */
  readonly score: number;
  /** Scores above it are called backdoored. */
  readonly threshold: number;
  /**
   * That the model is backdoored, were as many models backdoored as not: a logistic curve through the scores of the models of the
   * calibration. Null where there is no verdict, or the scanned model is unlike those.
   */
  readonly probability: number | null;
  /** Null where the model is of another kind than those of the calibration. */
  readonly calibration: ScanCalibration | null;
  readonly evidence: ScanEvidence;
  /** The strongest first. */
  readonly triggers: readonly ScanTrigger[];
  readonly pairs: readonly ScanPair[];
  /** Whatever of the search did not take place; the verdict is "none found" only where this is empty. */
  readonly notSearched: readonly NotSearched[];
  /** Empty where the model has no table to look at. */
  readonly oddRows: readonly OddRow[];
  readonly candidates: number;
  /** Clean texts the scan worked with: those the model answers rightly. */
  readonly texts: number;
  /** False where the time budget ended the search early. */
  readonly complete: boolean;
  /** With gradients, or as a black box. */
  readonly access: 'white box' | 'black box';
}
