import { z } from 'zod';
import { bestReplacement, steepestRows, textsOf } from '../word-gradients.js';
import { adversarialMethod } from './method.js';

/** Share of the tokens replaced, at least one. */
const options = z.strictObject({ rate: z.coerce.number().gt(0).max(1).default(0.1) });

/**
 * The words of largest gradient become synonyms: Yoo and Qi, "Towards Improving Adversarial Training of NLP Models" (EMNLP Findings 2021), section 3. The
 * paper tries them one by one on the model; here they are replaced at once.
 */
export const a2t = adversarialMethod('a2t', options, ({ rate }) => ({
  against: ['synonyms'],
  needsNeighbours: true,
  perturb:
    ({ neighbours = new Map() }) =>
    (context, share) => {
      const { tokens, batch } = context;
      const ids = tokens.ids.slice();
      const synonyms = (row: number) => neighbours.get(tokens.ids[row]!);
      for (const [from, to] of textsOf(tokens)) {
        const words = batch.movable.subarray(from, to).reduce((sum, may) => sum + may, 0);
        const better = steepestRows(context, from, to, (row) => synonyms(row) !== undefined).flatMap((row) => {
          const other = bestReplacement(context, row, synonyms(row) ?? []);
          return other === undefined ? [] : [[row, other] as const];
        });
        for (const [row, other] of better.slice(0, Math.max(1, Math.round(rate * words)))) ids[row] = other;
      }
      return context.pass({ tokens: { ...tokens, ids } }, share);
    },
}));
