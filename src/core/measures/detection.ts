/** @file What attacks on a detector measure: what it still detects under them, what they make it detect, and what they had to add. */
import { z } from 'zod';
import type { Decision, ThresholdDecision } from '../decision.js';
import { isDetector, isRegressor } from '../decision.js';
import { wordsOf } from '../draft.js';
import { type Measure, rateSchema } from '../measure.js';
import { besideGoal, hasFailed, type Outcome, wasAttacked } from '../outcome.js';
import type { Rate } from '../rate.js';
import { inapplicable, outOfReach } from '../reach.js';
import { wilson } from '../stats.js';
import { labelChanges } from './label-changes.js';
import { shift } from './shift.js';

interface SideCounts {
  readonly broken: number;
  readonly withstood: number;
  /** Wrong without an attack. */
  readonly skipped: number;
}

/** A rate over the outcomes on one side of a detector; texts that an attack does not apply to are left out, as of the attack's other rates. */
const sideRate = (
  about: { readonly name: string; readonly label: string; readonly about: string },
  of: (outcome: Outcome) => boolean,
  rate: (side: SideCounts) => Rate,
): Measure<Rate> => ({
  name: about.name,
  schema: rateSchema,
  fold() {
    let [broken, withstood, skipped] = [0, 0, 0];
    const beyond = { side: 0, all: 0, attacked: 0 };
    return {
      add(outcome) {
        const out = outOfReach(outcome) ? 1 : 0;
        if (wasAttacked(outcome.status)) beyond.attacked += 1;
        beyond.all += out;
        if (besideGoal(outcome) || !of(outcome)) return;
        beyond.side += out;
        if (outcome.status === 'succeeded') broken += 1;
        if (hasFailed(outcome.status)) withstood += 1;
        if (outcome.status === 'skipped') skipped += 1;
      },
      value() {
        if (broken + withstood + skipped === 0) return undefined;
        const applies = inapplicable(beyond.all, beyond.attacked) === undefined;
        return rate({ broken, withstood: withstood - (applies ? 0 : beyond.side), skipped });
      },
    };
  },
  metrics: [{ key: about.name, label: about.label, unit: 'rate', about: about.about }],
});

const measuresOf = (detector: ThresholdDecision): readonly Measure[] => {
  const positive = ({ label }: Outcome): boolean => detector.isPositive(label);
  const negative = (outcome: Outcome): boolean => !positive(outcome);
  const all = ({ broken, withstood, skipped }: SideCounts): number => broken + withstood + skipped;
  return [
    sideRate(
      {
        name: 'recallUnderAttack',
        label: 'Recall under attack',
        about: 'positives that are detected whatever the attack does',
      },
      positive,
      (side) => wilson(side.withstood, all(side)),
    ),
    sideRate(
      {
        name: 'evasionRate',
        label: 'Evasion rate',
        about: 'of the positives detected, those that the attack gets past',
      },
      positive,
      ({ broken, withstood }) => wilson(broken, broken + withstood),
    ),
    sideRate(
      {
        name: 'falsePositiveRateUnderAttack',
        label: 'False positives under attack',
        about: 'negatives that are detected, with an attack or without',
      },
      negative,
      // What is detected without an attack is so under it.
      (side) => wilson(side.broken + side.skipped, all(side)),
    ),
    sideRate(
      {
        name: 'alarmRate',
        label: 'Alarm rate',
        about: 'of the negatives let pass, those that the attack makes it detect',
      },
      negative,
      ({ broken, withstood }) => wilson(broken, broken + withstood),
    ),
    others as Measure,
    added as Measure,
  ];
};

/** Texts that the goal is not after: they are among the skipped, and in no rate. */
const others: Measure<number> = {
  name: 'notConcerned',
  schema: z.int().min(0),
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
      about: 'among the skipped, those that the goal is not after',
    },
  ],
};

/** A mean with its 95 % interval by the normal approximation; the bounds are the value where there is one text. */
interface MeanEstimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

interface Added {
  /** Successes in text space. */
  readonly n: number;
  readonly words: MeanEstimate;
  readonly characters: MeanEstimate;
}

/** Sums of whole numbers, which no order changes. */
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

const estimate = z.object({ value: z.number(), low: z.number(), high: z.number() });

/** By how much the successes are longer than their originals; below 0 where they are shorter. */
const added: Measure<Added> = {
  name: 'added',
  schema: z.object({ n: z.int().min(0), words: estimate, characters: estimate }),
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
  told: ({ words, characters }) => `successes add ${shown(words)} words, ${shown(characters)} characters`,
};

const shown = ({ value, low, high }: MeanEstimate): string =>
  `${value.toFixed(1)} [${low.toFixed(1)} to ${high.toFixed(1)}]`;

const NUMBER_MEASURES: readonly Measure[] = [shift as Measure];

const known = new Map<string, readonly Measure[]>();

/** What attacks on such a victim measure besides what every attack does: one list a rule, as measures are told apart by identity. */
export function decisionMeasures(decision: Decision, labels: readonly string[]): readonly Measure[] {
  if (decision.rule === undefined) return [];
  if (isRegressor(decision)) return NUMBER_MEASURES;
  const key = JSON.stringify([decision.rule.kind, isDetector(decision) && decision.rule.positive, labels]);
  const measures =
    known.get(key) ??
    (isDetector(decision) ? measuresOf(decision) : [others as Measure, labelChanges(labels) as Measure]);
  known.set(key, measures);
  return measures;
}
