/** @file Of the texts that withstood: those on which nothing could be tried, or whose search could not end, by the reason. */
import { z } from 'zod';
import type { Measure } from '../measure.js';
import { type Outcome, wasAttacked } from '../outcome.js';
import { inapplicable, outOfReach } from '../reach.js';

/** Why nothing was tried on an example that withstood; undefined where something was. */
export function untriedReason({
  status,
  reason,
  queries,
}: Pick<Outcome, 'status' | 'reason' | 'queries'>): string | undefined {
  if (status !== 'failed') return undefined;
  return reason ?? (queries.asked > 1 ? undefined : 'the model was asked nothing but the unedited text');
}

/** The most frequent first. Where the attack does not apply to the texts, those out of its reach are no failures. */
export const untried: Measure<readonly { readonly reason: string; readonly n: number }[]> = {
  name: 'untried',
  schema: z.array(z.object({ reason: z.string(), n: z.number().int().min(0) })),
  fold() {
    const reasons = new Map<string, { n: number; unreached: number }>();
    let [attacked, unreached] = [0, 0];
    return {
      add(outcome) {
        if (!wasAttacked(outcome.status)) return;
        const beyond = outOfReach(outcome) ? 1 : 0;
        attacked += 1;
        unreached += beyond;
        const reason = untriedReason(outcome);
        if (reason === undefined) return;
        const known = reasons.get(reason) ?? { n: 0, unreached: 0 };
        reasons.set(reason, { n: known.n + 1, unreached: known.unreached + beyond });
      },
      value() {
        const applies = inapplicable(unreached, attacked) === undefined;
        const found = [...reasons]
          .map(([reason, of]) => ({ reason, n: of.n - (applies ? 0 : of.unreached) }))
          .filter(({ n }) => n > 0)
          .sort((a, b) => b.n - a.n || (a.reason < b.reason ? -1 : 1));
        return found.length === 0 ? undefined : found;
      },
    };
  },
  told: (reasons) => `failed, not tried: ${reasons.map(({ reason, n }) => `${n} (${reason})`).join(', ')}`,
};
