/** @file Labels that attacks remove from or add to texts, for a multi-label victim. */
import { z } from 'zod';
import { type Declared, recent } from '../../core/declared.js';
import { wasAttacked } from '../../core/outcome.js';
import { rateSchema } from '../../core/statistics/rate.js';
import { wilson } from '../../core/statistics/stats.js';
import { table } from '../report/document.js';
import type { Measure, MeasureFold } from './measure.js';

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

function labelFold(labels: readonly string[]): MeasureFold<Declared<typeof schema>> {
  const none = () => ({ n: 0, changed: 0, queries: 0 });
  const counts = labels.map(() => ({ present: none(), absent: none() }));
  return {
    add({ status, labels: wanted = [], fromLabels = [], toLabels = [], queries }) {
      if (!wasAttacked(status)) return;
      for (const [label, { present, absent }] of counts.entries()) {
        const [is, before] = [wanted.includes(label), fromLabels.includes(label)];
        // Labels that were wrong before the attack do not count.
        if (is !== before) continue;
        const side = is ? present : absent;
        side.n += 1;
        side.changed += Number(status === 'succeeded' && toLabels.includes(label) !== before);
        side.queries += queries.asked;
      }
    },
    value: () =>
      counts.every(({ present, absent }) => present.n + absent.n === 0)
        ? undefined
        : counts.map(({ present, absent }, label) => ({
            label: labels[label]!,
            lost: wilson(present.changed, present.n),
            gained: wilson(absent.changed, absent.n),
            queries: present.n === 0 ? null : present.queries / present.n,
          })),
  };
}

/** Texts of failed searches are not kept, so no label counts as changed in them. */
export const labelChanges = (labels: readonly string[]): Measure<Declared<typeof schema>> => ({
  name: 'labelChanges',
  schema,
  fold: () => labelFold(labels),
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
