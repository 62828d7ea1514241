/** @file How good a filter was, where the truth is known. The only place in filtering that is shown it. */
import { auroc } from '../../core/statistics/auroc.js';
import type { Estimate, Rate } from '../../core/statistics/rate.js';
import { wilson } from '../../core/statistics/stats.js';
import type { FilteredTexts } from './filter.js';

/** `texts` and `poisoned` are in the order of the scores. */
export function judge(
  found: Pick<FilteredTexts, 'scores' | 'suspects'>,
  texts: readonly { readonly id: string }[],
  poisoned: readonly boolean[],
): { frr: Rate; far: Rate; auroc: Estimate | null } {
  const flagged = new Set(found.suspects.map(({ id }) => id));
  const bad = found.scores.filter((_, at) => poisoned[at]);
  const good = found.scores.filter((_, at) => !poisoned[at]);
  const over = (are: boolean): number => texts.filter(({ id }, at) => poisoned[at] === are && flagged.has(id)).length;
  return {
    frr: wilson(over(false), good.length),
    far: wilson(bad.length - over(true), bad.length),
    auroc: auroc(bad, good),
  };
}
