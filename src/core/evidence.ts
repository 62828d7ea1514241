/**
 * @file Is this evidence, and if not, why? Every command that judges or compares asks here: what was measured on copies of a few texts, on
 * texts that the model cannot read, on a victim that answers all texts alike or the same text differently, or by attacks that tried
 * nothing, supports no verdict, whatever the figures.
 */
import type { AttackMetrics } from './attack-metrics.js';
import type { CleanMetrics } from './clean-metrics.js';
import { type CleanAnswers, degenerateReasons, onlyClass } from './degenerate.js';
import type { TextCounts } from './text-census.js';

/** What is known of a measurement; what is absent is not judged. */
export interface EvidenceFacts {
  /** The answers to the unedited texts. */
  readonly clean?: (CleanAnswers & Pick<CleanMetrics, 'repeatability'>) | undefined;
  /** The victim's scores are the same for every text. */
  readonly constant?: boolean;
  /** Accept a degenerate victim. */
  readonly allowDegenerate?: boolean;
  readonly texts?: TextCounts | undefined;
  /** Different texts below which copies leave too little. */
  readonly minTexts?: number;
  readonly attacks?: readonly AttackMetrics[];
  /** Examples that the victim was asked for. */
  readonly examples?: number;
  /** Errored / attacked examples of an attack, or unclassified / asked ones, above which nothing is said. */
  readonly maxErrorRate?: number;
  /** What is missing: a shard, what a budget cut off. */
  readonly gaps?: readonly string[];
}

/** Why these facts support no verdict, a sentence fragment a reason; empty where they do. */
export function notEvidence(facts: EvidenceFacts): string[] {
  const { clean, attacks = [], gaps = [], allowDegenerate = false } = facts;
  return [
    ...(clean === undefined || allowDegenerate ? [] : [...degenerateReasons(clean, facts.constant), ...unseen(facts)]),
    ...gaps,
    ...textReasons(facts),
    ...unsteady(clean?.repeatability),
    ...untriedReasons(attacks),
    ...unclassified(facts),
    ...errorReasons(attacks, facts.maxErrorRate),
  ];
}

/** Copies, and texts with nothing to read in them. */
function textReasons({ texts, minTexts = 0 }: EvidenceFacts): string[] {
  if (texts === undefined || texts.examples === 0) return [];
  const { examples, distinct, wordless, unknown = 0 } = texts;
  const reasons: string[] = [];
  if (2 * wordless > examples)
    reasons.push(`${wordless} of ${examples} texts contain no letters: there is nothing to read in them`);
  if (2 * unknown > examples) {
    reasons.push(
      `${unknown} of ${examples} texts consist mostly of words or characters that the model's vocabulary lacks`,
    );
  }
  const few = distinct < minTexts ? `, expected at least ${minTexts}` : '';
  if (distinct < examples && (few !== '' || 2 * distinct <= examples)) {
    reasons.push(
      `its ${examples} examples are ${distinct} different texts${few} (case, digits, punctuation and spacing aside)`,
    );
  }
  return reasons;
}

/** A single changed decision may be that of a borderline text, but only where scores differ by no more than this. */
const BORDERLINE = 0.1;

function unsteady(repeatability: CleanMetrics['repeatability']): string[] {
  if (repeatability === undefined) return [];
  const { changed, asked, difference } = repeatability;
  if (changed === 0 || (changed === 1 && difference <= BORDERLINE)) return [];
  return [`the victim does not repeat its answers: asked again, it decided ${changed} of ${asked} texts differently`];
}

/** Examples an attack was tried on: those that the victim classified correctly. */
const attacked = ({ succeeded, failed, errored }: AttackMetrics): number => succeeded + failed + errored;

function untriedReasons(attacks: readonly AttackMetrics[]): string[] {
  if (attacks.length === 0) return [];
  if (attacks.every(({ applicable }) => applicable === false)) return ['no attack is applicable to these texts'];
  if (attacks.every(({ attackSuccessRate: { n } }) => n === 0)) return ['no attack was carried out on any example'];
  const idle = ({ succeeded, failed, untried = [], applicable }: AttackMetrics): boolean =>
    applicable === false || (succeeded === 0 && untried.reduce((sum, { n }) => sum + n, 0) >= failed);
  return attacks.every(idle) ? ['no attack could try anything on any example'] : [];
}

/** Attacks of which too many examples errored. */
export const spoiltAttacks = (attacks: readonly AttackMetrics[], maxErrorRate: number): readonly AttackMetrics[] =>
  attacks.filter((attack) => attack.errored > maxErrorRate * attacked(attack));

const errorReasons = (attacks: readonly AttackMetrics[], maxErrorRate = 1): string[] =>
  spoiltAttacks(attacks, maxErrorRate).map(
    (attack) => `too many examples of ${attack.name} errored: ${attack.errored} of ${attacked(attack)}`,
  );

function unclassified({ clean, examples = 0, maxErrorRate = 1 }: EvidenceFacts): string[] {
  const lost = clean === undefined ? 0 : examples - clean.accuracy.n;
  return lost > maxErrorRate * examples ? [`${lost} of ${examples} texts could not be classified`] : [];
}

/** A victim that answers one class to texts of that class, whatever is done to them, may be one that knows no other answer. */
function unseen({ clean, attacks = [] }: EvidenceFacts): string[] {
  const label = clean && onlyClass(clean);
  const flipped = attacks.some(({ succeeded, ownGoal }) => succeeded > 0 && !ownGoal);
  return label === undefined || flipped
    ? []
    : [`all texts are ${label}, and so is every answer: whether the victim ever answers anything else was not seen`];
}

/** Errored / attacked examples of an attack. */
export const errorRate = (attack: AttackMetrics): number =>
  attack.errored === 0 ? 0 : attack.errored / attacked(attack);
