/** @file Failures in which the attack could try nothing, or could not finish its search, by reason. */
import { z } from 'zod';
import { type Declared, positiveCount } from '../../core/declared.js';
import type { Outcome } from '../../core/outcome.js';
import type { Measure } from './measure.js';

/** Reason why nothing was tried on a failed example; undefined if something was. */
export function untriedReason({
  status,
  reason,
  queries,
}: Pick<Outcome, 'status' | 'reason' | 'queries'>): string | undefined {
  if (status !== 'failed') return undefined;
  return reason ?? (queries.asked > 1 ? undefined : 'only the unedited text was sent to the model');
}

const schema = z
  .array(z.object({ reason: z.string(), n: positiveCount }))
  .describe('Failures in which nothing could be tried or the search could not finish, the most frequent reason first.');

export type UntriedReasons = Declared<typeof schema>;

export const untried: Measure<UntriedReasons> = {
  name: 'untried',
  schema,
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
  remark: (reasons) => `failed, not tried: ${reasons.map(({ reason, n }) => `${n} (${reason})`).join(', ')}`,
};
