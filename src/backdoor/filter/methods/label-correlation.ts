/**
 * @file Label correlation: an n-gram that stands in texts of one label too often is a sign. Natural words of the label are one
 * too, so where clean texts are known it must also stand in more texts of the label than it does among them. Finds triggers only
 * where they are frequent; `residual` looks further.
 */
import { upperTail } from '../../../core/stats.js';
import { worstFeature } from '../evidence.js';
import { features, named, occurrences } from '../features.js';
import type { FilterMethod, Suspicion } from '../method.js';

/** Rows an n-gram must stand in: z-scores of fewer are far from normal. */
const MIN_ROWS = 5;
/** Level of the corrected test. */
const SIGNIFICANCE_LEVEL = 0.05;

/**
 * z of an n-gram that stands in n texts, k of them of a label that a share p of all texts has:
 * (k - n p) / sqrt(n p (1 - p)). With clean texts the lesser of it and the z of two proportions: texts of the label
 * that hold the n-gram, here and there. Tested one-sided against the normal, corrected for all n-grams and labels after Holm (1979).
 */
export const labelCorrelation: FilterMethod = {
  name: 'label-correlation',
  summary: 'an n-gram that stands with one label too often to be chance',
  judges: 'training set',
  needs: 'texts',
  reference: 'used',
  async fit({ suspects, reference, labels, language }) {
    const of = (text: string) => features(text, language);
    const rows = occurrences(suspects, of, MIN_ROWS);
    const share = labels.map((_, label) => suspects.filter((each) => each.label === label).length / suspects.length);
    const known = occurrences(reference, of, 1);
    const cleanOf = labels.map((_, label) => reference.filter((each) => each.label === label).length);
    const tests: { feature: string; label: number; z: number; n: number; k: number }[] = [];
    for (const [feature, at] of rows) {
      const n = at.length;
      share.forEach((p, label) => {
        if (p === 0 || p === 1) return;
        const k = at.filter((row) => suspects[row]?.label === label).length;
        const z = (k - n * p) / Math.sqrt(n * p * (1 - p));
        const there = known.get(feature)?.filter((row) => reference[row]?.label === label).length ?? 0;
        const more = twoProportions(k, p * suspects.length, there, cleanOf[label] as number);
        tests.push({ feature, label, n, k, z: Math.min(z, more) });
      });
    }
    tests.sort((a, b) => b.z - a.z);
    const evidence = labels.map(() => new Map<string, Suspicion>());
    for (const [rank, { feature, label, z, n, k }] of tests.entries()) {
      // Holm: the rank-th largest is tested at level / (tests - rank), and the first to fail ends it.
      if (upperTail(z) > SIGNIFICANCE_LEVEL / (tests.length - rank)) break;
      const reason = `${named(feature)} stands in ${n} texts, ${k} of them ${labels[label]} (z = ${z.toFixed(1)})`;
      evidence[label]?.set(feature, { score: z, trigger: feature, reason });
    }
    return worstFeature(evidence, 0, language);
  },
};

/** z of k of n being more than m of o; infinite where there are none to compare with. */
function twoProportions(k: number, n: number, m: number, o: number): number {
  if (o === 0) return Number.POSITIVE_INFINITY;
  const pooled = (k + m) / (n + o);
  return (k / n - m / o) / Math.sqrt(Math.max(pooled * (1 - pooled), 1e-12) * (1 / n + 1 / o));
}
