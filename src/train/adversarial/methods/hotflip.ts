import { z } from 'zod';
import { bestReplacement, steepestRows, textsOf } from '../word-gradients.js';
import { adversarialMethod } from './method.js';

/** Flips per text. */
const options = z.strictObject({ flips: z.coerce.number().int().min(1).max(100).default(1) });

/** The tokens of largest gradient become the pieces that raise the loss most: Ebrahimi et al., "HotFlip" (ACL 2018), section 3. */
export const hotflip = adversarialMethod('hotflip', options, ({ flips }) => ({
  against: ['hotflip'],
  replacesTokens: true,
  perturb: ({ special = [] }) => {
    const excluded = new Set(special);
    return (context, share) => {
      const { tokens, table, batch } = context;
      const pieces = Array.from({ length: table.length / batch.hidden }, (_, id) => id);
      const ordinary = pieces.filter((id) => !excluded.has(id));
      const ids = tokens.ids.slice();
      for (const [from, to] of textsOf(tokens)) {
        for (const row of steepestRows(context, from, to, () => true).slice(0, flips)) {
          ids[row] = bestReplacement(context, row, ordinary) ?? ids[row]!;
        }
      }
      return context.pass({ tokens: { ...tokens, ids } }, share);
    };
  },
}));
