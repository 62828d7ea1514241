/**
 * @file Krippendorff's alpha for nominal data with any number of readers and missing answers (Krippendorff 2011, "Computing Krippendorff's
 * Alpha-Reliability"). 1 is perfect agreement, 0 what chance would give.
 */
import type { Random } from '../core/random.js';
import { percentileBounds } from '../core/statistics/bootstrap.js';

/** The answers about one item by those who answered; categories are compared as texts. */
export type ItemAnswers = readonly string[];

export interface ReaderAgreement {
  readonly alpha: number;
  /** 95 % percentile interval of a bootstrap over items. */
  readonly low: number;
  readonly high: number;
}

/** Sums over items from which alpha follows. */
interface Coincidences {
  /** Pairable answers by category: n_c. */
  readonly counts: ReadonlyMap<string, number>;
  /** Sum over items of the disagreeing ordered pairs, each over the number of answers less one. */
  readonly disagreement: number;
}

function coincidencesOf(answers: ItemAnswers): Coincidences | undefined {
  const { length } = answers;
  // An item with one answer cannot be paired.
  if (length < 2) return undefined;
  const counts = new Map<string, number>();
  for (const each of answers) counts.set(each, (counts.get(each) ?? 0) + 1);
  let disagreeing = 0;
  for (const count of counts.values()) disagreeing += count * (length - count);
  return { counts, disagreement: disagreeing / (length - 1) };
}

/** alpha = 1 - D_o / D_e. Undefined without two different answers: there is no variation that readers could agree on. */
function alphaOf(items: readonly Coincidences[], times?: ArrayLike<number>): number | undefined {
  const totals = new Map<string, number>();
  let observed = 0;
  for (const [at, { counts, disagreement }] of items.entries()) {
    const weight = times?.[at] ?? 1;
    if (weight === 0) continue;
    observed += weight * disagreement;
    for (const [category, count] of counts) totals.set(category, (totals.get(category) ?? 0) + weight * count);
  }
  const n = [...totals.values()].reduce((sum, count) => sum + count, 0);
  let expected = 0;
  for (const count of totals.values()) expected += count * (n - count);
  return expected === 0 ? undefined : 1 - ((n - 1) * observed) / expected;
}

/** Undefined without two answers about an item, or if all answers are the same. */
export const krippendorffAlpha = (answers: readonly ItemAnswers[]): number | undefined =>
  alphaOf(answers.flatMap((each) => coincidencesOf(each) ?? []));

const RESAMPLES = 1000;

/** Alpha with its interval. Resamples without variation count as perfect agreement only if all readers agreed in them. */
export function agreementOf(answers: readonly ItemAnswers[], random: Random): ReaderAgreement | undefined {
  const items = answers.flatMap((each) => coincidencesOf(each) ?? []);
  const alpha = alphaOf(items);
  if (alpha === undefined) return undefined;
  const times = new Uint32Array(items.length);
  const resampled = Array.from({ length: RESAMPLES }, () => {
    times.fill(0);
    for (let draw = 0; draw < items.length; draw++) times[Math.floor(random.unit() * items.length)]! += 1;
    return alphaOf(items, times) ?? 1;
  });
  const { low, high } = percentileBounds(resampled) ?? { low: alpha, high: alpha };
  return { alpha, low: Math.min(low, alpha), high: Math.max(high, alpha) };
}
