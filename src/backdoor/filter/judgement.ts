/** @file How good a filter was, where the truth is known. The only place in filtering that is shown it. */
import { auroc } from '../../core/auroc.js';
import type { Estimate } from '../../core/backdoor-findings.js';
import type { Rate } from '../../core/rate.js';
import { wilson } from '../../core/stats.js';
import type { FilteredTexts } from './filter.js';

/** `poisoned`: one per text, in the order of the scores. */
export function judge(
  { scores, threshold }: Pick<FilteredTexts, 'scores' | 'threshold'>,
  poisoned: readonly boolean[],
): { frr: Rate; far: Rate; auroc: Estimate | null } {
  const bad = scores.filter((_, at) => poisoned[at]);
  const good = scores.filter((_, at) => !poisoned[at]);
  const over = (of: Float64Array): number => of.filter((score) => score > threshold).length;
  return {
    frr: wilson(over(good), good.length),
    far: wilson(bad.length - over(bad), bad.length),
    auroc: auroc(bad, good),
  };
}
