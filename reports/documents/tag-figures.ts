/** @file Entities: what a model that tags finds, before and under attack, and what leaks. */
import { quantity } from '../../src/core/figure-text.js';
import {
  type Bar,
  type Block,
  type Inline,
  note,
  type Section,
  strong,
  table,
} from '../../src/results/report/document.js';
import type { Report } from '../../src/results/report/report.js';
import type { CleanTags } from '../../src/results/tags/clean.js';
import type { TagFigures } from '../../src/results/tags/figures.js';

/** Spans without attack; entities under attack, if there was one. */
export const tagHeadline = ({ strict, leakRate }: CleanTags, attacked: TagFigures | undefined): Bar[] => [
  { name: 'F1 of spans', rate: strict.f1, tone: 'hold' },
  ...(attacked === undefined
    ? [{ name: 'Entities leaked', rate: leakRate, tone: 'hit' as const }]
    : [
        { name: 'Entities found', rate: attacked.recall, tone: 'hold' as const },
        { name: 'Found under attack', rate: attacked.recallUnderAttack, tone: 'hold' as const },
        { name: 'Entities leaked', rate: attacked.leakRate, tone: 'hit' as const },
      ]),
];

/** Figures by type. */
export function tagSection({ tags }: Report): Section[] {
  if (tags === undefined) return [];
  const { byType, leakRateBefore, leakedCharacters, leakedTexts } = tags;
  const blocks: Block[] = [
    table(
      'Entities by type, all attacks together',
      ['type', 'entities', 'found', 'found under attack', 'leaked'],
      byType.map(({ label, recall, recallUnderAttack, leakRate }) => [
        label,
        recall.n,
        { rate: recall },
        { rate: recallUnderAttack },
        { rate: leakRate },
      ]),
    ),
    note(
      'Leaked before the attack: ',
      { rate: leakRateBefore },
      '. Characters not covered: ',
      { rate: leakedCharacters },
      '. Texts with a leak: ',
      { rate: leakedTexts },
      '. Intervals resample texts.',
    ),
  ];
  return [{ id: 'entities', title: 'Entities', led: true, blocks }];
}

/** The main figures of spans without attack, in a line. */
export const cleanTagLine = ({ strict, leakRate, texts }: CleanTags): Inline[] => [
  'F1 of spans ',
  { rate: strict.f1, style: 'strong' },
  ', recall ',
  { rate: strict.recall },
  ', leaked ',
  { rate: leakRate, style: 'strong' },
  ` on ${quantity(texts, 'text')}`,
];

/** Precision, recall, F1 and leaks of spans without attack. */
export function cleanTagBlocks({
  strict,
  partial,
  byType,
  boundary,
  spurious,
  covered,
  leakRate,
  leakedTexts,
}: CleanTags): Block[] {
  const row = (name: Inline, of: typeof strict, leaks: Inline, support: Inline): Inline[] => [
    name,
    { rate: of.precision },
    { rate: of.recall },
    { rate: of.f1 },
    leaks,
    support,
  ];
  return [
    {
      kind: 'table',
      caption: 'Spans without attack, by type',
      columns: [
        { title: 'type' },
        { title: 'precision' },
        { title: 'recall' },
        { title: 'F1', optional: true },
        { title: 'leaked' },
        { title: 'entities' },
      ],
      rows: [
        row(strong('all, strict'), strict, { rate: leakRate }, strict.recall.n),
        row(strong('all, partial'), partial, '', ''),
        ...byType.map((each) => row(each.label, each, { rate: each.leakRate }, each.support)),
      ],
    },
    {
      kind: 'facts',
      heads: ['figure', 'value'],
      facts: [
        [
          'False entities',
          `${spurious.value.toFixed(2)} (${spurious.low.toFixed(2)}-${spurious.high.toFixed(2)}) a text`,
        ],
        ['Other boundaries', [{ rate: boundary }, ' of the entities, found with their type']],
        ['Texts with a leak', [{ rate: leakedTexts }, ' of those with entities']],
        ['Covered beyond entities', [{ rate: covered }, ' of the other characters']],
      ],
    },
    note(
      'Strict: same type, start and end, as in seqeval. Partial: same type and some common characters. Leaked: entities of which a character is in no span. 95 % intervals resample texts.',
    ),
  ];
}
