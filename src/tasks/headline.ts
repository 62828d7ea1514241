/** @file The result of a run in one sentence, the same in every output: what is right without attack, and what an attacker leaves of it. */
import { must } from '../core/errors.js';
import { interval, percent, quantity } from '../core/figure-text.js';
import type { Rate } from '../core/statistics/rate.js';
import type { AttackMetrics } from '../results/measures/attack-metrics.js';
import { type Metric, valueAt } from '../results/measures/measure.js';
import type { Report } from '../results/report/report.js';
import type { TagFigures } from '../results/tags/figures.js';
import { rateMetrics } from './rate-words.js';

/** An attack without its options, unless another attack of the run has the name too. */
export function shortName(
  { name }: Pick<AttackMetrics, 'name'>,
  attacks: readonly Pick<AttackMetrics, 'name'>[],
): string {
  const [short = name] = name.split(':');
  return attacks.filter((other) => other.name.split(':')[0] === short).length > 1 ? name : short;
}

/** Attacks that succeed by flipping the prediction. The rates of several attacks together count only these. */
export const flipping = ({ attacks }: Pick<Report, 'attacks'>): AttackMetrics[] =>
  attacks.filter(({ ownGoal }) => !ownGoal);

const rateAt = (entry: object, { key }: Metric): Rate | undefined => valueAt(entry, key) as Rate | undefined;

const text = (rate: Rate): string => (rate.value === null ? 'unknown' : `${percent(rate.value)} (${interval(rate)})`);

export type Headlined = Pick<Report, 'attacks' | 'measures' | 'model' | 'provenance' | 'clean' | 'overall' | 'tags'>;

/** `80.5 % (74-85) accurate; 1.5 % (0-4) when an attacker may use any of 4 attacks (deepwordbug alone 4.0 %, 2-8)`. */
export function headlineOf(report: Headlined): string {
  const { attacks, overall, clean, tags } = report;
  if (tags !== undefined) return tagSentence(tags, flipping(report));
  const rates = rateMetrics(report);
  const original = rates.find(({ key }) => /^original/.test(key));
  const under = rates.find(({ key }) => /UnderAttack$/.test(key));
  const all = flipping(report);
  const judged = all.filter(({ applicable }) => applicable !== false);
  const together = under && rateAt(overall, under);
  const unedited = original && rateAt(overall, original);
  if (original === undefined || under === undefined || !together?.n || !unedited?.n || judged.length === 0) {
    // An attack with a goal of its own was measured, by other figures.
    const none = attacks.length > 0 && all.length === 0 ? '' : '; no attack was measured';
    return `${text(clean.accuracy)} accurate${none}`;
  }
  const over = unedited.n < clean.accuracy.n ? ` on ${unedited.n} of ${quantity(clean.accuracy.n, 'example')}` : '';
  const falsePositives = rateAt(overall, { ...under, key: 'originalFalsePositiveRate' }) ?? clean.falsePositiveRate;
  const first =
    original.label === 'Original accuracy'
      ? `${text(unedited)} accurate${over}; `
      : under.key === 'recallUnderAttack' && falsePositives !== undefined
        ? `Recall ${text(unedited)} at ${text(falsePositives)} false positives; recall `
        : `${original.label} ${text(unedited)}${over}; ${under.label.charAt(0).toLowerCase()}${under.label.slice(1)} `;
  return `${first}${text(together)} ${attackers(judged, all, attacks, under)}`;
}

/** `when an attacker may use any of 4 attacks (deepwordbug alone 4.0 %, 2-8)`; of one attack `under deepwordbug`. */
function attackers(
  judged: readonly AttackMetrics[],
  all: readonly AttackMetrics[],
  attacks: readonly AttackMetrics[],
  under: Metric,
): string {
  const sign = /^falsePositive/.test(under.key) ? -1 : 1;
  const left = (attack: AttackMetrics): number =>
    sign * (rateAt(attack, under)?.value ?? sign * Number.POSITIVE_INFINITY);
  const [strongest] = [...judged].sort((one, other) => left(one) - left(other));
  const name = shortName(must(strongest), attacks);
  if (all.length === 1) return `under ${name}`;
  const alone = rateAt(must(strongest), under);
  const by = alone?.n ? ` (${name} alone ${percent(alone.value)}, ${interval(alone)})` : '';
  const kind = judged.length < all.length ? 'applicable attack' : 'attack';
  return `when an attacker may use any of ${quantity(judged.length, kind)}${by}`;
}

/** Types in the sentence, those that leak most first. */
const TYPES = 6;

function tagSentence(
  { recall, recallUnderAttack, leakRate, byType, spurious }: TagFigures,
  all: readonly AttackMetrics[],
): string {
  const leaking = [...byType]
    .sort((a, b) => (b.leakRate.value ?? 0) - (a.leakRate.value ?? 0))
    .slice(0, TYPES)
    .map(({ label, leakRate: { value } }) => `${label} ${percent(value ?? 0)}`);
  const any = all.length > 1 ? ` when an attacker may use any of ${quantity(all.length, 'attack')}` : ' under attack';
  const added =
    spurious === undefined
      ? ''
      : `; false entities ${spurious.before.toFixed(1)} -> ${spurious.after.toFixed(1)} a text`;
  return `Entities found ${text(recall)}; ${text(recallUnderAttack)}${any}; leaked ${text(leakRate)}, by type ${leaking.join(', ')}${added}`;
}
