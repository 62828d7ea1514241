/** @file Labels that attacks remove from or add to texts, for a multi-label victim. */
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
        'Among attacked texts that have the label and for which it was predicted: share that lose it.',
      ),
      gained: rateSchema.describe(
        'Among attacked texts that lack the label and for which it was not predicted: share that gain it.',
      ),
      queries: recent(
        z.number().nullable().describe('Mean queries per text that `lost` counts; null without such texts.'),
      ),
    }),
  )
  .describe('For a multi-label model: which labels are lost and gained.');

/** Texts of failed searches are not kept, so no label counts as changed in them. */
export const labelChanges = (labels: readonly string[]): Measure<Declared<typeof schema>> => ({
  name: 'labelChanges',
  schema,
  fold() {
    const counts = labels.map(() => ({ found: 0, lost: 0, absent: 0, gained: 0, queries: 0 }));
    return {
      add({ status, labels: wanted = [], fromLabels = [], toLabels = [], queries }) {
        if (!wasAttacked(status)) return;
        for (const [label, count] of counts.entries()) {
          const [is, before] = [wanted.includes(label), fromLabels.includes(label)];
          const after = status === 'succeeded' ? toLabels.includes(label) : before;
          if (is && before) {
            count.found += 1;
            count.queries += queries.asked;
          }
          if (is && before && !after) count.lost += 1;
          if (!is && !before) count.absent += 1;
          if (!is && !before && after) count.gained += 1;
        }
      },
      value: () =>
        counts.every(({ found, absent }) => found + absent === 0)
          ? undefined
          : counts.map(({ found, lost, absent, gained, queries }, label) => ({
              label: labels[label] as string,
              lost: wilson(lost, found),
              gained: wilson(gained, absent),
              queries: found === 0 ? null : queries / found,
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
