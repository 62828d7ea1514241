/** @file Of the texts that withstood: those on which nothing could be tried, or whose search could not end, by the reason. */
import { z } from 'zod';
import type { Measure } from '../measure.js';
import type { Outcome } from '../outcome.js';

/** Why nothing was tried on an example that withstood; undefined where something was. */
export function untriedReason({
  status,
  reason,
  queries,
}: Pick<Outcome, 'status' | 'reason' | 'queries'>): string | undefined {
  if (status !== 'failed') return undefined;
  return reason ?? (queries.asked > 1 ? undefined : 'the model was asked nothing but the unedited text');
}

/** The most frequent first. */
export const untried: Measure<readonly { readonly reason: string; readonly n: number }[]> = {
  name: 'untried',
  schema: z.array(z.object({ reason: z.string(), n: z.number().int().min(0) })),
  fold() {
    const reasons = new Map<string, number>();
    return {
      add(outcome) {
        const reason = untriedReason(outcome);
        if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      },
      value() {
        const found = [...reasons]
          .map(([reason, n]) => ({ reason, n }))
          .sort((a, b) => b.n - a.n || (a.reason < b.reason ? -1 : 1));
        return found.length === 0 ? undefined : found;
      },
    };
  },
  told: (reasons) => `failed, not tried: ${reasons.map(({ reason, n }) => `${n} (${reason})`).join(', ')}`,
};
