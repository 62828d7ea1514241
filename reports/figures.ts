/** @file How numbers are written in reports that people read: the same digits everywhere. */
import type { AttackMetrics, Difference, Estimate, Rate, Report } from '../src/index.js';

/** A fraction as a percentage: `81.5 %`. */
export const percent = (fraction: number | null): string =>
  fraction === null ? '-' : `${(fraction * 100).toFixed(1)} %`;

/** The 95 % interval of a rate in percent, `75-87`; with a decimal only where it is narrow enough to need one: `81.2-81.9`. */
export function interval({ low, high }: Rate): string {
  if (low === null || high === null) return '';
  const digits = high - low < 0.02 ? 1 : 0;
  return [low, high].map((bound) => (bound * 100).toFixed(digits)).join('-');
}

/** A difference in points: `+27.0`. */
export const points = (fraction: number | null): string =>
  fraction === null ? '-' : `${fraction > 0 ? '+' : ''}${(fraction * 100).toFixed(1)}`;

/** The bounds of a difference in points: `+21.0 to +33.0`. */
export const bounds = ({ low, high }: Difference): string => (low === null ? '' : `${points(low)} to ${points(high)}`);

/** A p-value: `<0.001`, `0.042`. */
export const probability = (p: number | null): string => (p === null ? '-' : p < 0.001 ? '<0.001' : p.toFixed(3));

/** `0.913 (0.88-0.94)` */
export const estimate = (of: Estimate | null): string =>
  of === null ? '-' : `${of.value.toFixed(3)} (${of.low.toFixed(2)}-${of.high.toFixed(2)})`;

/** `+0.123`, `-0.040` */
export const signed = (value: number, digits = 3): string =>
  `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(digits)}`;
/** One row of the attack table. */
export type Row =
  | { readonly title: string; cell(attack: AttackMetrics): string }
  | { readonly title: string; rate(attack: AttackMetrics): Rate; readonly overall: Rate };

/** A rate that only some attacks have, with its interval below. */
const one = (of: (attack: AttackMetrics) => Rate | undefined) => (attack: AttackMetrics) => {
  const rate = of(attack);
  return rate === undefined ? '' : `${percent(rate.value)}\n${interval(rate)}`;
};

/** Columns of the accuracy of attacks on embeddings against their size; undefined where there is none. */
export function sweeps({ attacks }: Pick<Report, 'attacks'>): string[][] | undefined {
  const swept = attacks.flatMap(({ name, sweep }) => (sweep === undefined ? [] : [{ name, sweep }]));
  if (swept.length === 0) return undefined;
  const sizes = [...new Set(swept.flatMap(({ sweep }) => sweep.map(({ size }) => size)))].sort((a, b) => a - b);
  const column = (title: string, sweep: NonNullable<AttackMetrics['sweep']>, of: 'Attack' | 'Noise'): string[] => [
    title,
    ...sizes.map((size) => {
      const rate = sweep.find((point) => point.size === size)?.[`accuracyUnder${of}`];
      return rate === undefined ? '' : `${percent(rate.value)} (${interval(rate)})`;
    }),
  ];
  return [
    ['size', ...sizes.map(String)],
    ...swept.flatMap(({ name, sweep }) => [column(name, sweep, 'Attack'), column('noise', sweep, 'Noise')]),
  ];
}

/** `epsilon 0.12, noiseEpsilon 0.9`: medians of an attack's own figures. */
export const medians = ({ details }: AttackMetrics): string =>
  Object.entries(details ?? {})
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** `not tried: 3 (no word in the text)`: why some texts could not be attacked; empty where all were. */
export const untried = ({ untried: reasons = [] }: AttackMetrics): string =>
  reasons.length === 0 ? '' : `not tried: ${reasons.map(({ reason, n }) => `${n} (${reason})`).join(', ')}`;

/** Beside the rates of an attack that does not apply to most texts, which they leave out; else nothing. */
export const beside = ({ applicable }: AttackMetrics): string => (applicable === false ? 'not applicable' : '');

/** `Not applicable: it found edits for ...`; empty of an attack that is. */
export const idleness = ({ notApplicable }: AttackMetrics): string =>
  notApplicable === undefined
    ? ''
    : `not applicable: ${notApplicable.reason}, which its rates leave out, but for what it turned`;

/** What the adversarial texts of an attack are like, a line a figure; empty where no attack was measured. */
export function qualityRows(attacks: Report['attacks']): Extract<Row, { cell: unknown }>[] {
  if (!attacks.some(({ quality }) => quality)) return [];
  const of =
    (figure: (quality: NonNullable<AttackMetrics['quality']>) => string) =>
    ({ quality }: AttackMetrics): string =>
      quality === undefined ? '' : figure(quality);
  const ratio = (value: number | null): string => (value === null ? '-' : `${value.toFixed(2)} x`);
  return [
    { title: 'Edit distance', cell: of((quality) => quality.editDistance.toFixed(1)) },
    { title: 'Perplexity', cell: of((quality) => ratio(quality.perplexityRatio)) },
    { title: 'Similarity', cell: of((quality) => quality.similarity.toFixed(2)) },
    { title: 'Readable words', cell: of((quality) => percent(quality.readability)) },
    ...(attacks.length > 1 ? [{ title: 'Found twice', cell: of((quality) => String(quality.duplicates)) }] : []),
  ];
}

/** What the figures of `qualityRows` are. */
export const qualityLegend = (attacks: Report['attacks']): string =>
  `Of successes: edit distance in characters; perplexity by n-grams of the data, times the original's; similarity of meaning (ours, by WordNet; 1 = the same); readable words: the same in outline${attacks.length > 1 ? '; found twice: the same text by another attack' : ''}.`;

/** TextAttack's rows, which users know (its `loggers/attack_log_manager.py`). */
export function rows({ clean, attacks, overall }: Pick<Report, 'clean' | 'attacks' | 'overall'>): Row[] {
  const idle: Row = { title: 'Not applicable', cell: (a) => String(a.notApplicable?.n ?? 0) };
  const errored: Row = { title: 'Errored', cell: (a) => String(a.errored) };
  return [
    { title: 'Successful attacks', cell: (a) => String(a.succeeded) },
    { title: 'Failed attacks', cell: (a) => String(a.failed) },
    { title: 'Skipped', cell: (a) => String(a.skipped) },
    ...(attacks.some((a) => a.notApplicable) ? [idle] : []),
    ...(attacks.some((a) => a.errored > 0) ? [errored] : []),
    { title: 'Original accuracy', rate: () => clean.accuracy, overall: clean.accuracy },
    { title: 'Accuracy under attack', rate: (a) => a.accuracyUnderAttack, overall: overall.accuracyUnderAttack },
    { title: 'Attack success rate', rate: (a) => a.attackSuccessRate, overall: overall.attackSuccessRate },
    ...(attacks.some((a) => a.noise) ? [{ title: 'Noise of the same size', cell: one((a) => a.noise) }] : []),
    ...(attacks.some((a) => a.asText) ? [{ title: 'Success as text', cell: one((a) => a.asText) }] : []),
    { title: 'Perturbed words', cell: (a) => percent(a.perturbedWords) },
    ...qualityRows(attacks),
    { title: 'Queries asked', cell: (a) => a.queries.asked.toFixed(1) },
    { title: 'Queries computed', cell: (a) => a.queries.computed.toFixed(1) },
  ];
}

/** The suites worth a line of their own: not those of one attack, nor the only one, which is all there is. */
export const toldSuites = ({ suites }: Pick<Report, 'suites'>): Report['suites'] =>
  suites.length > 1 ? suites.filter(({ attacks }) => attacks.length > 1) : [];
