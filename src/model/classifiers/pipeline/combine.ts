/** @file From the scores of the stages to the score of the pipeline, and to the stages that decided. */
import type { PipelineFile } from './schema.js';
import { centred, type FlaggingStage } from './stages.js';

export interface Combination {
  /** One score for the scores of all stages; 0.5 and more flag the text. NaN if a stage refused to answer. */
  score(scores: ArrayLike<number>): number;
  /** Indices of the stages that flag the text. In a cascade, only stages that are reached. */
  flagging(scores: ArrayLike<number>, threshold: number): number[];
  /** Index of the stage at which a cascade passes the text, or -1. */
  passing(scores: ArrayLike<number>, threshold: number): number;
  /** Does a cascade decide before it reaches the next stage? */
  decided(scores: ArrayLike<number>): boolean;
}

export function combination(combine: PipelineFile['combine'], stages: readonly FlaggingStage[]): Combination {
  const never = { passing: () => -1, decided: () => false };
  if (combine === 'cascade') return cascade(stages);
  if (typeof combine === 'object' && 'weights' in combine) {
    const { weights, threshold } = combine;
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const mean = (scores: ArrayLike<number>): number =>
      Array.from(scores).reduce((sum, score, at) => sum + score * weights[at]!, 0) / Math.max(total, Number.MIN_VALUE);
    // The threshold of a weighted mean is not that of a stage.
    return {
      ...never,
      score: (scores) => centred(mean(scores), threshold),
      flagging: (scores) => reaching(scores, 0.5),
    };
  }
  const needed = combine === 'any' ? 1 : combine === 'all' ? stages.length : combine.atLeast;
  return {
    ...never,
    score: (scores) => {
      const all = Array.from(scores);
      return all.some(Number.isNaN) ? Number.NaN : all.sort((a, b) => b - a)[needed - 1]!;
    },
    flagging: reaching,
  };
}

const reaching = (scores: ArrayLike<number>, threshold: number): number[] =>
  Array.from(scores).flatMap((score, at) => (score >= threshold ? [at] : []));

/** The first stage that flags a text flags it, unless a stage before lets it pass. */
function cascade(stages: readonly FlaggingStage[]): Combination {
  /** Above a half while the stage does not let the text pass. */
  const open = (score: number, at: number): number => {
    const { passes, fixed } = stages[at]!;
    if (passes === undefined) return 1;
    return fixed ? Number(score >= passes) : centred(score, passes);
  };
  const reached = (scores: ArrayLike<number>): number[] => {
    let still = 1;
    return Array.from(scores, (score, at) => {
      const own = Math.min(score, still);
      still = Math.min(still, open(score, at));
      return own;
    });
  };
  const flagging = (scores: ArrayLike<number>, threshold: number): number[] => reaching(reached(scores), threshold);
  const passing = (scores: ArrayLike<number>, threshold: number): number =>
    Array.from(scores).findIndex((score, at) => open(score, at) < threshold);
  return {
    score: (scores) => {
      const all = reached(scores);
      return all.some(Number.isNaN) ? Number.NaN : Math.max(...all);
    },
    flagging,
    passing,
    decided: (scores) => flagging(scores, 0.5).length > 0 || passing(scores, 0.5) >= 0,
  };
}
