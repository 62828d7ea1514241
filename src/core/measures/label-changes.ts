/** @file Which labels attacks take away from texts, and which they add, of a victim that gives any number of labels. */
import { z } from 'zod';
import { type Declared, recent } from '../declared.js';
import { table } from '../document.js';
import type { Measure } from '../measure.js';
import { wasAttacked } from '../outcome.js';
import { rateSchema } from '../rate.js';
import { wilson } from '../stats.js';

const schema = z
  .array(
    z.object({
      label: z.string(),
      lost: rateSchema.describe(
        'Of the texts attacked that have it and in which it was found, those in which it no longer is.',
      ),
      gained: rateSchema.describe(
        'Of the texts attacked that do not have it and in which it was not found, those in which it is.',
      ),
      queries: recent(
        z.number().nullable().describe('Queries per text that `lost` counts, in the mean; null where there are none.'),
      ),
    }),
  )
  .describe('Of a model that gives any number of labels: which labels are lost and gained.');

/** The texts of searches that failed are not kept: in them no label counts as changed. */
export const labelChanges = (labels: readonly string[]): Measure<Declared<typeof schema>> => ({
  name: 'labelChanges',
  schema,
  fold() {
    const counts = labels.map(() => ({ found: 0, lost: 0, absent: 0, gained: 0, asked: 0 }));
    return {
      add({ status, labels: wanted = [], fromLabels = [], toLabels = [], queries }) {
        if (!wasAttacked(status)) return;
        for (const [label, count] of counts.entries()) {
          const [is, before] = [wanted.includes(label), fromLabels.includes(label)];
          const after = status === 'succeeded' ? toLabels.includes(label) : before;
          if (is && before) {
            count.found += 1;
            count.asked += queries.asked;
          }
          if (is && before && !after) count.lost += 1;
          if (!is && !before) count.absent += 1;
          if (!is && !before && after) count.gained += 1;
        }
      },
      value: () =>
        counts.every(({ found, absent }) => found + absent === 0)
          ? undefined
          : counts.map(({ found, lost, absent, gained, asked }, label) => ({
              label: labels[label] as string,
              lost: wilson(lost, found),
              gained: wilson(gained, absent),
              queries: found === 0 ? null : asked / found,
            })),
    };
  },
  sections: (found) => [
    {
      id: 'labels',
      title: 'Labels lost and gained',
      full: true,
      blocks: found.map(({ attack, value }) =>
        table(
          attack,
          ['label', 'lost', 'gained', 'queries a text'],
          value.map(({ label, lost, gained, queries }) => [
            label,
            { rate: lost },
            { rate: gained },
            queries?.toFixed(1) ?? '',
          ]),
        ),
      ),
    },
  ],
});
