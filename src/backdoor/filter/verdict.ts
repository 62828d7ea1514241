/**
 * @file Evidence for a filter's finding. Finding no suspects is only meaningful if the filter could see any: its threshold must be set on
 * enough clean texts, and its scores must separate texts.
 */
import type { FilterFinding, Suspect } from '../../results/backdoor/backdoor-findings.js';
import { cleanNeeded } from './threshold.js';

/** Texts below which there are too few to learn from. */
const MIN_TEXTS = 30;

/** Clean texts below which they support no verdict that there are suspects. */
const MIN_CLEAN = 30;
export interface SuspectCounts {
  /** The texts it calls suspects, and the groups of them that are evidence. */
  readonly suspects: readonly Suspect[];
  readonly groups: readonly unknown[];
  /** Scores of the suspect texts, and of the clean texts that set the threshold. */
  readonly scores: Float64Array;
  readonly clean: Float64Array;
  readonly threshold: number;
  readonly frr: number;
  /** The clean texts come from another source than the suspects. */
  readonly otherSource: boolean;
  /** Doubts about the clean texts. */
  readonly doubts: readonly string[];
  /** Why nothing that was found is evidence. */
  readonly void: readonly string[];
}

export function verdictOf(of: SuspectCounts): Pick<FilterFinding, 'verdict' | 'reasons'> {
  const { scores, clean, threshold, frr, doubts, void: nothing } = of;
  const suspects = of.suspects.length;
  const needed = cleanNeeded(frr);
  const chance = suspectsByChance(scores.length, clean.length, frr);
  const found = of.groups.length > 0;
  const without = scores.filter((score) => Number.isNaN(score)).length;
  const [first] = scores;
  const reasons = [
    ...nothing,
    ...doubts,
    ...thresholdDoubts(of, needed),
    ...(scores.length < MIN_TEXTS ? [`${scores.length} texts are too few to learn from, ${MIN_TEXTS} are needed`] : []),
    ...(without > 0 || Number.isNaN(threshold) ? [`${without} of ${scores.length} texts got no score`] : []),
    ...(scores.length > 1 && [...scores, ...clean].every((score) => score === first)
      ? ['all texts got the same score: the filter saw no difference between them']
      : []),
    ...(suspects > 0 && clean.length > 0 && !found ? [countReason(suspects, chance, of)] : []),
  ];
  if (nothing.length === 0 && clean.length >= Math.min(MIN_CLEAN, needed) && found) {
    return { verdict: 'suspects found', reasons };
  }
  return { verdict: reasons.length > 0 ? 'inconclusive' : 'none found', reasons };
}

function thresholdDoubts({ clean, frr, otherSource }: SuspectCounts, needed: number): string[] {
  if (clean.length === 0) {
    return [
      'no clean texts set the threshold: it is estimated from the suspect texts themselves, and poison among them moves it',
    ];
  }
  return [
    ...(otherSource
      ? [
          'the texts that set the threshold come from another source: more of yours may exceed it without being poisoned',
        ]
      : []),
    ...(clean.length < needed
      ? [`${clean.length} different clean texts set the threshold, a false rejection rate of ${frr} takes ${needed}`]
      : []),
  ];
}

/** The number of all suspects: a weaker test, which no verdict rests on, because two clean files may differ in what they are about. */
const countReason = (suspects: number, chance: number, { scores, frr }: SuspectCounts): string =>
  suspects > chance
    ? `${suspects} suspects are more than clean texts give (up to ${chance} of ${scores.length} by a false rejection rate of ${frr}), but no group of them is evidence of a trigger by itself`
    : `${suspects} suspects are no more than clean texts give: up to ${chance} of ${scores.length} by a false rejection rate of ${frr}`;

/**
 * The 95 % quantile of the number of suspects among n clean texts. The m clean texts set the threshold at their k-th highest score, so a
 * share Beta(k, m + 1 - k) lies above it (Vovk 2012, section 2). Given that share, the number of suspects is binomial; a normal
 * approximation is used.
 */
export function suspectsByChance(n: number, m: number, frr: number): number {
  const k = Math.max(1, Math.floor(frr * (m + 1)));
  const share = k / (m + 1);
  const variance = n * share * (1 - share) * (1 + (n - 1) / (m + 2));
  return Math.floor(n * share + 1.645 * Math.sqrt(variance));
}
