/**
 * @file Decides whether a measurement is evidence, for every command that judges or compares. A measurement supports no verdict if it used
 * copies of a few texts, texts that the model cannot read, a victim that gives all texts one answer or one text different answers, or
 * attacks that tried nothing.
 */
import { quantity } from '../../core/figure-text.js';
import type { CleanMetrics } from '../clean/clean-metrics.js';
import { type CleanAnswers, degenerateReasons, onlyClass } from '../clean/degenerate.js';
import type { TextCounts } from '../clean/text-census.js';
import type { AttackMetrics } from '../measures/attack-metrics.js';

/** Facts about a measurement; absent ones are not judged. */
export interface EvidenceFacts {
  /** The answers to the unedited texts. */
  readonly clean?: (CleanAnswers & Pick<CleanMetrics, 'repeatability'>) | undefined;
  /** True if the victim's scores are the same for every text. */
  readonly constant?: boolean;
  /** Accept a degenerate victim. */
  readonly allowDegenerate?: boolean;
  readonly texts?: TextCounts | undefined;
  /** Minimum number of different texts. */
  readonly minTexts?: number;
  readonly attacks?: readonly AttackMetrics[];
  /** Examples sent to the victim. */
  readonly examples?: number;
  /** Highest acceptable share of errored among attacked examples, or of unclassified among all examples. */
  readonly maxErrorRate?: number;
  /** Missing parts: a shard, or what a budget cut off. */
  readonly gaps?: readonly string[];
}

/** Why these facts support no verdict, one sentence fragment per reason; empty if they do. */
export function notEvidence(facts: EvidenceFacts): string[] {
  const { clean, attacks = [], gaps = [], allowDegenerate = false } = facts;
  return [
    ...(clean === undefined || allowDegenerate ? [] : [...degenerateReasons(clean, facts.constant), ...unseen(facts)]),
    ...gaps,
    ...textReasons(facts),
    ...repeatabilityReasons(clean?.repeatability),
    ...untriedReasons(attacks),
    ...unclassifiedReasons(facts),
    ...errorReasons(attacks, facts.maxErrorRate),
  ];
}

/** Duplicate texts, and texts without anything to read. */
function textReasons({ texts, minTexts = 0 }: EvidenceFacts): string[] {
  if (texts === undefined || texts.examples === 0) return [];
  const { examples, distinct, wordless, unknown = 0 } = texts;
  const reasons: string[] = [];
  if (2 * wordless > examples)
    reasons.push(`${wordless} of ${quantity(examples, 'text')} contain no letters: there is nothing to read in them`);
  if (2 * unknown > examples) {
    reasons.push(
      `${unknown} of ${quantity(examples, 'text')} consist mostly of words or characters that the model's vocabulary lacks`,
    );
  }
  const few = distinct < minTexts ? `, expected at least ${minTexts}` : '';
  if (distinct < examples && (few !== '' || 2 * distinct <= examples)) {
    reasons.push(
      `its ${quantity(examples, 'example')} are ${distinct} different texts${few} (case, digits, punctuation and spacing aside)`,
    );
  }
  return reasons;
}

/** A single changed decision may come from a borderline text, but only if the scores differ by no more than this. */
const BORDERLINE = 0.1;

function repeatabilityReasons(repeatability: CleanMetrics['repeatability']): string[] {
  if (repeatability === undefined) return [];
  const { changed, asked, difference } = repeatability;
  if (changed === 0 || (changed === 1 && difference <= BORDERLINE)) return [];
  return [
    `the victim does not repeat its answers: when queried again, it decided ${changed} of ${quantity(asked, 'text')} differently`,
  ];
}

/** Examples that were attacked: those that the victim classified correctly. */
const attackedCount = ({ succeeded, failed, errored }: AttackMetrics): number => succeeded + failed + errored;

function untriedReasons(attacks: readonly AttackMetrics[]): string[] {
  if (attacks.length === 0) return [];
  if (attacks.every(({ applicable }) => applicable === false)) return ['no attack is applicable to these texts'];
  if (attacks.every(({ attackSuccessRate: { n } }) => n === 0)) return ['no attack was carried out on any example'];
  const idle = ({ succeeded, failed, untried = [], applicable }: AttackMetrics): boolean =>
    applicable === false || (succeeded === 0 && untried.reduce((sum, { n }) => sum + n, 0) >= failed);
  return attacks.every(idle) ? ['no attack could try anything on any example'] : [];
}

/** Attacks with too many errored examples. */
export const spoiltAttacks = (attacks: readonly AttackMetrics[], maxErrorRate: number): readonly AttackMetrics[] =>
  attacks.filter((attack) => attack.errored > maxErrorRate * attackedCount(attack));

const errorReasons = (attacks: readonly AttackMetrics[], maxErrorRate = 1): string[] =>
  spoiltAttacks(attacks, maxErrorRate).map(
    (attack) => `too many examples of ${attack.name} errored: ${attack.errored} of ${attackedCount(attack)}`,
  );

function unclassifiedReasons({ clean, examples = 0, maxErrorRate = 1 }: EvidenceFacts): string[] {
  const lost = clean === undefined ? 0 : examples - clean.accuracy.n;
  return lost > maxErrorRate * examples ? [`${lost} of ${quantity(examples, 'text')} could not be classified`] : [];
}

/** A victim that answers one class to texts of that class, whatever the edits, may never answer anything else. */
function unseen({ clean, attacks = [] }: EvidenceFacts): string[] {
  const label = clean && onlyClass(clean);
  const flipped = attacks.some(({ succeeded, ownGoal }) => succeeded > 0 && !ownGoal);
  return label === undefined || flipped
    ? []
    : [`all texts are ${label}, and so is every answer: whether the victim ever answers anything else was not seen`];
}

/** Share of errored among attacked examples. */
export const errorRate = (attack: AttackMetrics): number =>
  attack.errored === 0 ? 0 : attack.errored / attackedCount(attack);
