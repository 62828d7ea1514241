/** @file The card of a model: its worst case under the suite `standard`, and what the figures rest on. */
import { quantity } from '../../src/core/figure-text.js';
import type { StandingCard } from '../../src/results/card/card.js';
import type { GuardCard } from '../../src/results/card/guard-card.js';
import { type Document, type Inline, note, prose, type Section } from '../../src/results/report/document.js';
import { modelTitle } from '../../src/results/report/model-title.js';
import { cardCurves, cardLead, cardProvenance } from './card-parts.js';
import { guardDocument } from './guard-card.js';
import { reviewSummarySection } from './review.js';
import { trustSection } from './trust.js';

export const cardDocument = (card: StandingCard | GuardCard): Document =>
  'kind' in card ? guardDocument(card) : standingDocument(card);

function standingDocument(card: StandingCard): Document {
  const { model, standard, originalAccuracy, worstCaseAccuracy, verdict, reasons } = card;
  return {
    title: `Standing of ${modelTitle(model)} under ${standard}`,
    lead: cardLead(card),
    summary: [
      verdict === 'inconclusive' ? 'Inconclusive: ' : '',
      { rate: originalAccuracy },
      ' accurate; worst case ',
      { rate: worstCaseAccuracy, style: 'strong' },
    ],
    headline: [
      { name: 'Accuracy without attack', rate: originalAccuracy, tone: 'hold' },
      { name: 'Worst-case accuracy', rate: worstCaseAccuracy, tone: 'hold' },
    ],
    ...(verdict === 'inconclusive' && { verdict, inconclusive: reasons }),
    sections: [
      threatModels(card),
      ...curves(card),
      ...trust(card),
      ...proof(card),
      ...reviewSummarySection(card.review),
      cardProvenance(card, standard),
    ],
  };
}

const threatModels = ({ threatModels: all, queryBudget }: StandingCard): Section => ({
  id: 'threat-models',
  title: 'Threat models',
  blocks: [
    {
      kind: 'table',
      caption: 'Threat models',
      columns: [
        { title: '' },
        { title: 'worst-case accuracy' },
        { title: 'attack success rate' },
        { title: 'limits', align: 'left', optional: true },
      ],
      rows: all.map(({ name, worstCaseAccuracy, attackSuccessRate, limits }): Inline[] => [
        name,
        { rate: worstCaseAccuracy, style: 'strong' },
        { rate: attackSuccessRate },
        limits.join('; ') || 'additions that leave the text whole',
      ]),
    },
    note(
      `Rates with 95 % Wilson intervals. Worst case: share of the examples that are classified correctly and that no attack flips. Queries of each search: ${queryBudget ?? 'any number'}.`,
    ),
  ],
});

const curves = ({ threatModels: each, curves: all }: StandingCard): Section[] =>
  cardCurves([{ name: 'all threat models', curves: all }, ...each]);

const trust = ({ trustworthy }: StandingCard): Section[] =>
  trustworthy === undefined
    ? [{ id: 'trust', title: 'Trustworthy', blocks: [prose('trustworthy: unknown (the run made no checks)')] }]
    : trustSection({ trustworthy, suites: [{ name: 'standard' }] });

const proof = ({ proof: found }: StandingCard): Section[] =>
  found === undefined
    ? []
    : [
        {
          id: 'proof',
          title: 'Proof',
          blocks: [
            {
              kind: 'prose',
              text: [
                'proved ',
                { rate: found.proved, style: 'strong' },
                ' <= robust accuracy <= ',
                { rate: found.notBroken, style: 'strong' },
                ` of ${quantity(found.proved.n, 'example')}, against every text of: ${found.space.join(', ')}, ${found.edits === 0 ? 'any number of words' : quantity(found.edits, 'edit')}`,
              ],
            },
            note(`${found.constraints.join('; ')}. Run ${found.run} of robust verify.`),
          ],
        },
      ];
