/** @file Measures of attacks on a detector: recall and false positives under attack, and the length that the attack added. */
import { z } from 'zod';
import type { ThresholdDecision } from '../../core/decision.js';
import { count, type Declared } from '../../core/declared.js';
import { wordsOf } from '../../core/draft.js';
import { withBounds } from '../../core/figure-text.js';
import { besideGoal, type Outcome } from '../../core/outcome.js';
import { type Rate, rateSchema } from '../../core/statistics/rate.js';
import { type DetectorRates, detectorRates, standingOf } from './attack-rates.js';
import type { Measure } from './measure.js';

/** A detector's rate under one attack, over the positives or the negatives. */
const sideRate = (
  name: keyof DetectorRates,
  label: string,
  about: string,
  isPositive: (outcome: Outcome) => boolean,
): Measure<Rate> => ({
  name,
  schema: rateSchema,
  fold() {
    const positives = { flipped: 0, kept: 0, wrong: 0 };
    const negatives = { ...positives };
    return {
      add(outcome) {
        const standing = standingOf(outcome);
        if (standing !== undefined) (isPositive(outcome) ? positives : negatives)[standing] += 1;
      },
      value: () => detectorRates(positives, negatives)[name],
    };
  },
  metrics: [{ key: name, label, unit: 'rate', about }],
});

export const detectorMeasures = (detector: ThresholdDecision): readonly Measure[] => {
  const positive = ({ label }: Outcome): boolean => detector.isPositive(label);
  return [
    sideRate('originalRecall', 'Original recall', 'share of the positives detected without attack', positive),
    sideRate('recallUnderAttack', 'Recall under attack', 'share of the positives still detected', positive),
    sideRate('evasionRate', 'Evasion rate', 'share of the detected positives that the attack gets past', positive),
    sideRate(
      'originalFalsePositiveRate',
      'Original false positives',
      'share of the negatives detected without attack',
      positive,
    ),
    sideRate(
      'falsePositiveRateUnderAttack',
      'False positives under attack',
      'share of the negatives detected without attack or because of it',
      positive,
    ),
    sideRate('alarmRate', 'Alarm rate', 'share of the passed negatives that the attack makes it detect', positive),
    otherTexts,
    added,
  ];
};

/** Texts that the goal does not concern. They are never attacked, count as skipped, and enter no rate. */
export const otherTexts: Measure<number> = {
  name: 'notConcerned',
  schema: count.describe(
    'Skipped texts that the goal excludes or that the model refused to answer; they count in no rate.',
  ),
  fold() {
    let n = 0;
    return {
      add(outcome) {
        if (besideGoal(outcome)) n += 1;
      },
      value: () => (n === 0 ? undefined : n),
    };
  },
  metrics: [
    {
      key: 'notConcerned',
      label: 'Other texts',
      unit: 'count',
      about: 'skipped texts that the goal excludes or that the model refused to answer; they count in no rate',
    },
  ],
};

const mean = z.object({ value: z.number(), low: z.number(), high: z.number() });

/** A mean with its 95 % interval by the normal approximation; for a single text, the bounds equal the value. */
type MeanEstimate = Declared<typeof mean>;

const addedSchema = z
  .object({ n: count.describe('Successes in text space.'), words: mean, characters: mean })
  .describe('By how much successes are longer than their originals, with 95 % intervals.');

/** Sums of integers, which do not depend on the order. */
function meanFold() {
  let [n, sum, squares] = [0, 0, 0];
  return {
    add(value: number): void {
      n += 1;
      sum += value;
      squares += value * value;
    },
    mean(): MeanEstimate {
      const value = sum / n;
      const variance = n < 2 ? 0 : Math.max(0, (squares - n * value * value) / (n - 1));
      const spread = 1.959963984540054 * Math.sqrt(variance / n);
      return { value, low: value - spread, high: value + spread };
    },
  };
}

/** Added length of the successes relative to their originals; negative if they are shorter. */
const added: Measure<Declared<typeof addedSchema>> = {
  name: 'added',
  schema: addedSchema,
  fold() {
    const [words, characters] = [meanFold(), meanFold()];
    let n = 0;
    return {
      add({ status, text, adversarial }) {
        if (status !== 'succeeded' || adversarial === undefined) return;
        n += 1;
        words.add(wordsOf(adversarial).length - wordsOf(text).length);
        characters.add([...adversarial].length - [...text].length);
      },
      value: () => (n === 0 ? undefined : { n, words: words.mean(), characters: characters.mean() }),
    };
  },
  metrics: [
    { key: 'added.words.value', label: 'Added words', unit: 'mean', about: 'by which successes are longer' },
    {
      key: 'added.characters.value',
      label: 'Added characters',
      unit: 'mean',
      about: 'code points by which successes are longer',
    },
  ],
  remark: ({ words, characters }) =>
    `successes add ${withBounds(words, 1)} words, ${withBounds(characters, 1)} characters`,
};
