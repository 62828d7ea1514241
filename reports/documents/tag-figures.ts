/** @file Entities: what a model that tags finds, before and under attack, and what leaks. */
import { quantity } from '../../src/core/figure-text.js';
import {
  type Block,
  type CleanMetrics,
  type Inline,
  note,
  type Report,
  type Section,
  strong,
  type TagFigures,
  table,
} from '../../src/plugin.js';
import { percent } from '../figures.js';

/** Types in a line, those that leak most first. */
const TYPES_IN_LINE = 6;

/** Entities found before and under attack, and leaks by type, in a line. */
export function tagLine({ recall, recallUnderAttack, leakRate, byType, spurious }: TagFigures): Inline[] {
  const leaking = [...byType]
    .sort((a, b) => (b.leakRate.value ?? 0) - (a.leakRate.value ?? 0))
    .slice(0, TYPES_IN_LINE)
    .map(({ label, leakRate: { value } }) => `${label} ${percent(value ?? 0)}`);
  const added =
    spurious === undefined
      ? ''
      : `; false entities ${spurious.before.toFixed(1)} -> ${spurious.after.toFixed(1)} a text`;
  return [
    'Entities found ',
    { rate: recall },
    ', under attack ',
    { rate: recallUnderAttack, style: 'strong' },
    '; leaked ',
    { rate: leakRate, style: 'strong' },
    `, by type ${leaking.join(', ')}${added}`,
  ];
}

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

/** Precision, recall and F1 of spans without attack. */
export function cleanTagBlocks({ tags }: CleanMetrics): Block[] {
  if (tags === undefined) return [];
  const { strict, partial, byType, boundary, spurious, texts } = tags;
  const row = (name: Inline, of: typeof strict, support: Inline): Inline[] => [
    name,
    { rate: of.precision },
    { rate: of.recall },
    percent(of.f1),
    support,
  ];
  return [
    table(
      'Spans without attack',
      [`spans of ${quantity(texts, 'text')}`, 'precision', 'recall', 'F1', 'entities'],
      [
        row(strong('all, strict'), strict, strict.recall.n),
        row(strong('all, partial'), partial, partial.recall.n),
        ...byType.map((each) => row(each.label, each, each.support)),
      ],
    ),
    note(
      'Strict: same type, start and end, as in seqeval. Partial: same type and some common characters. Found with other boundaries: ',
      { rate: boundary },
      `. False entities: ${spurious.toFixed(2)} a text. Intervals resample texts.`,
    ),
  ];
}
