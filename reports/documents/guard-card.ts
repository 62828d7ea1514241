/** @file The card of a guard: recall, false alarms and evasions at its operating point. */
import { quantity } from '../../src/core/figure-text.js';
import type { GuardCard } from '../../src/results/card/guard-card.js';
import {
  type Block,
  type Document,
  type Inline,
  note,
  type Section,
  table,
} from '../../src/results/report/document.js';
import { modelTitle } from '../../src/results/report/model-title.js';
import { decisionText } from '../../src/tasks/decide.js';
import { bounds, points, probability } from '../figures.js';
import { cardCurves, cardLead, cardProvenance } from './card-parts.js';

export function guardDocument(card: GuardCard): Document {
  const { model, suite, recall, falsePositiveRate, recallUnderAttack, verdict, reasons } = card;
  return {
    title: `Guard ${modelTitle(model)} under ${suite}`,
    lead: cardLead(card),
    summary: [
      verdict === 'inconclusive' ? 'Inconclusive: ' : '',
      'recall ',
      { rate: recall },
      ' at ',
      { rate: falsePositiveRate },
      ' false positives; under attack ',
      { rate: recallUnderAttack, style: 'strong' },
    ],
    headline: [
      { name: 'Recall without attack', rate: recall, tone: 'hold' },
      { name: 'Recall under attack', rate: recallUnderAttack, tone: 'hold' },
    ],
    ...(verdict === 'inconclusive' && { verdict, inconclusive: reasons }),
    sections: [figures(card), attacks(card), ...cardCurves(card.attacks), provenance(card)],
  };
}

function figures(card: GuardCard): Section {
  const { recall, falsePositiveRate, auroc, recallUnderAttack, shielded, overDefence = [] } = card;
  const { queriesToEvade, cost } = card;
  const blocks: Block[] = [
    table(
      'Figures',
      ['', 'rate', 'n'],
      [
        row('recall', recall),
        row('false positive rate', falsePositiveRate),
        ...(auroc === undefined ? [] : [row('area under ROC', auroc)]),
        row('recall under attack', recallUnderAttack),
        ...(shielded === undefined
          ? []
          : [
              row('recall, shielded', shielded.recall),
              row('false positive rate, shielded', shielded.falsePositiveRate),
              row('recall under attack, shielded', shielded.recallUnderAttack),
            ]),
        ...overDefence.map(({ data, falsePositiveRate: rate }) => row(`false alarms on ${data.name}`, rate)),
      ],
    ),
  ];
  if (shielded !== undefined) {
    const { difference, mcnemarP } = shielded;
    blocks.push(
      note(
        `The shield changes the recall under attack by ${points(difference.value)} points (${bounds(difference)}), p ${probability(mcnemarP)}.`,
      ),
    );
  }
  if (queriesToEvade !== undefined) {
    const { median, p90, p95, n } = queriesToEvade;
    blocks.push(
      note(
        `Queries until a text evades, over ${quantity(n, 'evaded text')}: median ${median}, 90th percentile ${p90}, 95th percentile ${p95}.`,
      ),
    );
  }
  blocks.push(...latencyNote('', card), ...latencyNote(' to the shielded guard', shielded ?? {}));
  if (cost !== undefined) {
    const { price, texts, total } = cost;
    blocks.push(note(`Cost: ${price} a text; ${total} for the ${quantity(texts, 'text')} of this run.`));
  }
  return { id: 'figures', title: 'Figures', blocks };
}

const latencyNote = (to: string, { latency, machine }: Pick<GuardCard, 'latency' | 'machine'>): Block[] => {
  if (latency === undefined) return [];
  const { n, p50, p95, p99 } = latency;
  const on = machine === undefined ? '' : ` on ${machine}`;
  return [
    note(
      `Latency of one text sent alone${to}, over ${quantity(n, 'text')}${on}: median ${p50} ms, 95th percentile ${p95} ms, 99th percentile ${p99} ms.`,
    ),
  ];
};

const row = (name: string, rate: GuardCard['recall']): Inline[] => [name, { rate }, rate.n];

const attacks = ({ attacks: all, queryBudget }: GuardCard): Section => ({
  id: 'attacks',
  title: 'Attacks',
  blocks: [
    table(
      'Attacks',
      ['attack', 'recall under attack'],
      all.map(({ name, recallUnderAttack }): Inline[] => [name, { rate: recallUnderAttack }]),
    ),
    note(
      `Rates with 95 % intervals. Recall under attack: share of the positives that are detected although attacked. Queries of each search: ${queryBudget ?? 'any number'}.`,
    ),
  ],
});

const provenance = (card: GuardCard): Section => {
  const { suite, decision, operatingPoint, shielded } = card;
  return cardProvenance(card, suite, {
    point: [['Operating point', `${operatingPoint}: ${decisionText(decision)}`]],
    runs: shielded === undefined ? [] : [['Shielded run', `${shielded.run}: ${shielded.defence}`]],
  });
};
