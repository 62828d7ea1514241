/** @file How a model that answers one number does without attack. */
import {
  type Block,
  type CleanMetrics,
  type CountedEstimate,
  type DecisionRule,
  type Inline,
  note,
} from '../../src/plugin.js';
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
