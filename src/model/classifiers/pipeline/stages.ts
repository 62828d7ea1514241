/** @file The stages of a pipeline at work: those that change what is read, and those that flag a text. */
import { type ShieldPart, shield } from '../../../shield/index.js';

/** A stage that changes which texts the stages behind it read. */
export interface ReadingStage {
  readonly name: string;
  /** Parts of the shield that it applies. */
  readonly parts?: readonly ShieldPart[];
  /** It adds texts to those that are read. */
  readonly adds?: true;
  read(texts: readonly string[]): string[];
}

/** A stage that answers a score from 0 to 1 for each text, of which 0.5 and more flag it. */
export interface FlaggingStage {
  readonly name: string;
  /** Score below which a cascade passes a text at once. */
  readonly passes?: number;
  /** It sends texts elsewhere: a cascade runs it only on texts that the earlier stages leave open. */
  readonly remote?: true;
  scores(texts: readonly string[]): Promise<number[]>;
  /** As `scores`, past every cache. Present if answers may vary. */
  again?(texts: readonly string[]): Promise<number[]>;
  /** The pipeline's threshold leaves its verdict as it is. */
  readonly fixed?: true;
  /** Present on a stage of rules. */
  readonly rules?: {
    readonly names: readonly string[];
    /** Names of the rules that the texts break. */
    broken(texts: readonly string[]): ReadonlySet<string>;
  };
  /** The part of a text beyond the model's limit, and the limit: "64 tokens". Undefined for a text that is read whole. */
  cut?(text: string): { readonly rest: string; readonly most: string } | undefined;
}

export type PipelineStages = readonly (FlaggingStage | ReadingStage)[];

export const isFlagging = (stage: FlaggingStage | ReadingStage): stage is FlaggingStage => 'scores' in stage;

/** Scores up to the first pass a text, from the second to the third they flag it: the gap keeps rounding from making ties. */
const [PASSES, FLAGS, SUREST] = [0.49, 0.51, 0.99];

/** Score of a text that breaks one rule. It is above all scores of models, so that a calibrated threshold leaves rules as they are. */
export const HARD = 0.995;

/** Scores of a fixed stage that passes a text end here, below any threshold that is calibrated. */
const LEAST = 1e-3;

/** Each further rule that a text breaks halves the distance to 1. */
export const scoreOfRules = (broken: number): number => (broken === 0 ? 0 : 1 - (1 - HARD) * 0.5 ** (broken - 1));

/** A score on a scale on which its threshold is in the middle. */
export const centred = (score: number, threshold: number): number =>
  score >= threshold
    ? FLAGS + ((SUREST - FLAGS) * (score - threshold)) / (1 - threshold)
    : (PASSES * score) / threshold;

/** As `centred`, beside the scores of other models: above all of them from the threshold on, below all of them up to it. */
export const fixedScore = (score: number, threshold: number): number =>
  score >= threshold
    ? HARD + ((SUREST - FLAGS) / 100) * ((score - threshold) / (1 - threshold))
    : (LEAST * score) / threshold;

/** The texts that a stage reads for `text`. */
export function readingsAt(stages: PipelineStages, at: number, text: string): readonly string[] {
  let texts: readonly string[] = [text];
  for (const stage of stages.slice(0, at)) if (!isFlagging(stage)) texts = stage.read(texts);
  return texts;
}

/** A stage's score of several readings of a text is the highest one. */
export const highest = (scores: readonly number[]): number =>
  scores.some(Number.isNaN) ? Number.NaN : Math.max(...scores);

/** The stage of a pipeline that undoes disguises by these parts of the shield. */
export const normaliser = (name: string, parts: readonly ShieldPart[]): ReadingStage => ({
  name,
  parts,
  read: (texts) => texts.map((text) => shield(text, { parts }).text),
});
