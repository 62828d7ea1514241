/** @file How a model that answers one number does without attack. */
import type { DecisionRule } from '../../src/core/decision-schema.js';
import type { CountedEstimate } from '../../src/core/statistics/rate.js';
import type { CleanMetrics } from '../../src/results/clean/clean-metrics.js';
import { type Block, type Inline, note } from '../../src/results/report/document.js';
import { withBounds } from '../figures.js';

/** Error and correlations, each with its interval. */
export function numberBlocks({ accuracy, regression = {} }: CleanMetrics, decision?: DecisionRule): Block[] {
  const delta = decision !== undefined && 'delta' in decision ? decision.delta : undefined;
  const { meanSquaredError, meanAbsoluteError, pearson, spearman } = regression;
  const fact = (name: string, found: CountedEstimate | undefined): (readonly [Inline, Inline])[] =>
    found === undefined ? [] : [[name, withBounds(found)]];
  return [
    {
      kind: 'facts',
      heads: ['figure', 'value'],
      facts: [
        [`Within ${delta ?? 'delta'} of the true number`, { rate: accuracy, style: 'strong' }],
        ...fact('Mean squared error', meanSquaredError),
        ...fact('Mean absolute error', meanAbsoluteError),
        ...fact("Pearson's r", pearson),
        ...fact("Spearman's r", spearman),
      ],
    },
    note(
      'Beside each its 95 % interval. Attacked are the texts of the first row: an attack moves the answer by delta or more from what it was.',
    ),
  ];
}
