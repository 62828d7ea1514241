/** @file A comparison as rows, a figure each, for every format alike: what it is called, its value in both models, and what the difference says. */
import type { Comparison, DetectedUnderAttack, PairedRates } from '../../src/results/comparison/comparison.js';
import { SIGNIFICANCE_LEVEL, verdictsOn } from '../../src/results/comparison/hardening.js';
import { type Inline, strong } from '../../src/results/report/document.js';
import { figureBounds, figureDifference, figureValue, figureWords, underAttackWords } from '../decision-words.js';
import { probability } from '../figures.js';

/** A figure of two models, under one attack or unedited. */
export interface PairRow {
  readonly title: string;
  /** As the requirements of a gate call it: `accuracy`, `recall`, `regression.pearson`. */
  readonly metric: string;
  readonly higherIsBetter: boolean;
  /** The attack or suite; absent of unedited texts. */
  readonly attack?: string;
  /** The label, for the figure of a single label. */
  readonly label?: string;
  /** A figure of entities, over all attacks. */
  readonly entities?: true;
  readonly rates: Pick<PairedRates, 'a' | 'b' | 'difference'>;
  readonly p: number | null;
  readonly asr?: PairedRates | undefined;
}

export type Compared = Omit<Comparison, 'models'>;

/** Unedited, under each attack, each suite, and all of them. */
export function pairRows(comparison: Compared): PairRow[] {
  const { clean, attacks, suites, overall, figures, decisions, tags = [] } = comparison;
  const rule = decisions?.[0];
  const unedited = { title: 'unedited', metric: 'accuracy', higherIsBetter: true, rates: clean, p: clean.mcnemarP };
  const under = (attack: string, words: string, of: Comparison['attacks'][number]): PairRow[] =>
    rowsUnder(attack, words, comparison, { of, p: of.adjustedP, asr: of.attackSuccessRate });
  return [
    ...(figures?.map(({ a, b, difference, adjustedP, ...figure }) => ({
      ...figure,
      title: figureWords(figure.metric, rule, figure.label),
      rates: { a, b, difference },
      p: adjustedP,
    })) ?? [unedited]),
    ...tags.map(({ a, b, difference, adjustedP, ...figure }) => ({
      ...figure,
      title: entityWords(figure),
      rates: { a, b, difference },
      p: adjustedP,
      entities: true as const,
    })),
    ...attacks.flatMap((of) => under(of.name, of.name, of)),
    ...suites.flatMap((of) => under(of.name, `any of ${of.name}`, of)),
    ...(attacks.length > 1 ? rowsUnder('any', 'any of all', comparison, { of: overall, p: overall.mcnemarP }) : []),
  ];
}

/** `PERSON: entities leaked`. */
const entityWords = ({ metric, label }: Pick<PairRow, 'metric' | 'label'>): string =>
  figureWords(label === undefined ? metric : metric.slice(0, -label.length - 1), undefined, label);

/** A detector's rates under an attack; of other decisions the share of texts that it did not flip. */
function rowsUnder(
  attack: string,
  words: string,
  comparison: Compared,
  { of, p, asr }: { of: PairedRates & DetectedUnderAttack; p: number | null; asr?: PairedRates },
): PairRow[] {
  const title = (metric: string): string =>
    `${underAttackWords(metric, comparison).replace(/ under attack$/, '')} under ${words}`;
  const row = (metric: string, higherIsBetter: boolean, rates: PairedRates, own = p): PairRow => ({
    title: title(metric),
    attack,
    metric,
    higherIsBetter,
    rates,
    p: own,
    asr,
  });
  if (comparison.decisions === undefined) return [{ ...row('accuracyUnderAttack', true, of), title: words }];
  if (comparison.decisions[0].kind !== 'threshold') return [row('accuracyUnderAttack', true, of)];
  const { recallUnderAttack: recall, falsePositiveRateUnderAttack: alarms } = of;
  return [
    ...(recall ? [row('recallUnderAttack', true, recall, recall.adjustedP)] : []),
    ...(alarms ? [row('falsePositiveRateUnderAttack', false, alarms, alarms.adjustedP)] : []),
  ];
}

/** State of b in a row: worse or better than a by more than chance, `alike`, or `unknown` if nothing was compared. */
export function stateOf({ rates, p, higherIsBetter }: PairRow): 'worse' | 'better' | 'alike' | 'unknown' {
  const { value } = rates.difference;
  if (value === null || p === null) return 'unknown';
  if (p >= SIGNIFICANCE_LEVEL) return 'alike';
  return value < 0 === higherIsBetter ? 'worse' : 'better';
}

/** The difference, its interval, and the p-value that counts; one that is more than chance stands out. */
export function differenceCells({ rates: { difference }, p, metric }: PairRow): Inline[] {
  const change = figureDifference(metric, difference);
  const sure = p !== null && p < SIGNIFICANCE_LEVEL;
  return [sure ? strong(change) : change, figureBounds(metric, difference), probability(p)];
}

/** `typos: accuracy under attack 31.0 → 58.0 % (+27.0, 95 % CI +21.0 to +33.0, p <0.001)`, or that it is no more than chance. */
export function verdictLine(
  title: string,
  { rates: { a, b, difference }, p, metric }: Pick<PairRow, 'rates' | 'p' | 'metric'>,
): string {
  if (a.value === null || b.value === null || p === null) return `${title}: not measured for both`;
  const from = figureValue(metric, a).replace(/ %$/, '');
  const sure = p < SIGNIFICANCE_LEVEL ? `p ${probability(p)}` : 'n.s.';
  return `${title} ${from} → ${figureValue(metric, b)} (${figureDifference(metric, difference)}, 95 % CI ${figureBounds(metric, difference)}, ${sure})`;
}

/**
 * Rows of the comparison's verdict: each figure without an attack except those of single labels, then each suite and each attack outside
 * one.
 */
export function verdictRows(comparison: Compared): { readonly title: string; readonly row: PairRow }[] {
  const rows = pairRows(comparison);
  const clean = rows.filter(({ attack, label }) => attack === undefined && label === undefined);
  return [
    ...clean.map((row) => ({ title: row.title === 'unedited' ? 'clean accuracy' : row.title, row })),
    ...verdictsOn(comparison).flatMap(({ attackSuccessRate }) =>
      rows
        .filter(({ asr }) => asr === attackSuccessRate)
        .map((row) => ({ title: `${row.attack}: ${underAttackWords(row.metric, comparison)}`, row })),
    ),
  ];
}
