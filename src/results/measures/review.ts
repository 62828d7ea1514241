/** @file Figures of each attack that only a review of the run gives. */
import { rateSchema } from '../../core/statistics/rate.js';
import { labelKept } from '../report/review.js';
import type { Measure } from './measure.js';

/** A figure of each attack that only a review gives: it is not folded from outcomes, but added to reports of reviewed runs. */
const reviewed = <V>(measure: Pick<Measure<V>, 'name' | 'schema' | 'metrics'>): Measure<V> => ({
  ...measure,
  fold: () => ({ add() {}, value: () => undefined }),
});

export const REVIEW_MEASURES: readonly Measure[] = [
  reviewed({
    name: 'labelKept',
    schema: labelKept,
    metrics: [{ key: 'labelKept', label: 'Label kept', unit: 'rate', about: 'for readers of a blind review' }],
  }),
  reviewed({
    name: 'validSuccessRate',
    schema: rateSchema,
    metrics: [
      {
        key: 'validSuccessRate',
        label: 'Valid success rate',
        unit: 'rate',
        about: 'successes whose label readers keep',
      },
    ],
  }),
  reviewed({
    name: 'accuracyUnderValidAttacks',
    schema: rateSchema,
    metrics: [
      {
        key: 'accuracyUnderValidAttacks',
        label: 'Accuracy under valid attacks',
        column: null,
        unit: 'rate',
        about: 'only successes whose label readers keep count',
      },
    ],
  }),
] as Measure[];

/** Names of the figures that need a review. */
export const REVIEWED_FIGURES: ReadonlySet<string> = new Set(REVIEW_MEASURES.map(({ name }) => name));
