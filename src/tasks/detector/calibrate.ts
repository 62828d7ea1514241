/** @file The threshold of a false positive rate, by texts that should pass. */
import type { Classifier } from '../../core/classifier.js';
import type { Dataset } from '../../core/dataset.js';
import type { ThresholdRule } from '../../core/decision.js';
import { must, RobustError } from '../../core/errors.js';
import { queryText } from '../../core/pair.js';
import { clopperPearson } from '../../core/statistics/stats.js';
import { chunks } from '../../core/take.js';
import { positiveScore } from './decide.js';

/** Texts of one query. */
const BATCH = 256;

/**
 * The threshold that at most a share `wanted` of negative texts reaches, halfway to the next score below it. The share of other texts of
 * this kind lies within the interval of Clopper and Pearson (1934). For any scores, the shares above the k-th and the next of n scores are
 * distributed as Beta(k, n - k + 1) and Beta(k + 1, n - k).
 */
export async function calibrated(
  rule: Omit<ThresholdRule, 'at'>,
  wanted: number,
  labels: readonly string[],
  classifier: Classifier,
  { name, examples }: Pick<Dataset, 'name' | 'examples'>,
): Promise<ThresholdRule> {
  const positive = rule.positive.map((label) => labels.indexOf(label));
  const texts = async function* () {
    for await (const example of examples())
      if (!positive.includes(example.label)) yield queryText(example.text, example);
  };
  const scores: number[] = [];
  for await (const batch of chunks(texts(), BATCH))
    for (const row of await classifier.classify(batch)) scores.push(positiveScore(row, positive, rule.by));
  const n = scores.length;
  if (n * wanted < 1) throw tooFew(name, n, wanted, rule.positive);
  scores.sort((a, b) => b - a);
  // Equal scores fall together: on which side of a threshold cannot be chosen for each.
  let alarms = Math.floor(n * wanted + 1e-9);
  while (alarms > 0 && scores[alarms - 1] === scores[alarms]) alarms--;
  const next = scores[alarms] ?? 0;
  const at = alarms === 0 ? aboveAll(next, name) : (next + must(scores[alarms - 1])) / 2;
  const { value, low, high } = clopperPearson(alarms, n);
  return {
    ...rule,
    // A score halfway between two neighbours of single precision rounds to one of them, which must be the upper one.
    at: Math.fround(at) > next ? at : must(scores[alarms - 1]),
    calibration: { wanted, data: name, falsePositiveRate: { value, low, high, n } },
  };
}

/** Where the highest score is that of many texts, only what is above it lets enough of them pass. Throws RobustError where nothing is. */
function aboveAll(highest: number, name: string): number {
  if (highest < 1) return (highest + 1) / 2;
  throw new RobustError(`${name}: expected texts that should pass to have scores below 1, got too many of score 1`, {
    code: 'DECISION_INVALID',
    hint: 'No threshold has so low a false positive rate: ask for a higher one, --threshold fpr=...',
  });
}

function tooFew(name: string, n: number, wanted: number, positive: readonly string[]): RobustError {
  const needed = Math.ceil(1 / wanted - 1e-9);
  const others = `texts of other labels than ${positive.join(', ')}`;
  if (n === 0) {
    return new RobustError(`--threshold fpr=${wanted}: expected ${needed} ${others} in ${name}, got none`, {
      code: 'EXAMPLES_TOO_FEW',
      hint: 'Give some: --threshold fpr=0.01:calibration=FILE, or a score: --threshold 0.5.',
    });
  }
  return new RobustError(`--threshold fpr=${wanted}: expected at least ${needed} ${others} in ${name}, got ${n}`, {
    code: 'EXAMPLES_TOO_FEW',
    hint: `By these the lowest false positive rate that can be had is ${Number((1 / n).toPrecision(2))}: --threshold fpr=${(Math.ceil(1000 / n) / 1000).toString()}; or take more of them (-n 0, or its option calibration=FILE).`,
  });
}
