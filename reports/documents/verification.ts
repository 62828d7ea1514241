/** @file Results of an exhaustive check: the bounds of the robust accuracy, and the results of attacks alone. */
import { quantity } from '../../src/core/figure-text.js';
import { valueAt } from '../../src/results/measures/measure.js';
import { type Document, type Inline, note, type Section, strong, table } from '../../src/results/report/document.js';
import { modelTitle } from '../../src/results/report/model-title.js';
import type { VerifyResult } from '../../src/results/report/verification.js';
import { EMPTY_SPACE } from '../../src/verify/exhaustive.js';

/** Broken examples shown. */
const SHOWN = 3;

export function verificationDocument(data: VerifyResult): Document {
  const { model, data: texts, examples, constraints, reasons, report } = data;
  const left = examples.length === texts.examples ? '' : `, ${examples.length} of them checked`;
  return {
    title: `Exhaustive check of ${modelTitle(model)}`,
    lead: [
      strong(modelTitle(model)),
      ' on ',
      strong(texts.name),
      `, ${quantity(texts.examples, 'example')}${left}; ${constraints.join('; ')}`,
    ],
    summary: summaryOf(data),
    ...(reasons.length > 0 && { inconclusive: reasons }),
    sections: [{ id: 'verdicts', blocks: verdictBlocks(data) }, ...attackSections(data), ...brokenSection(examples)],
    warnings: report.warnings,
  };
}

/** `proved 30.0 % (22-40) <= robust accuracy <= 30.0 % (22-40)`. */
const summaryOf = ({ verify: { proved, notBroken }, reasons }: VerifyResult): Inline => [
  reasons.length > 0 ? 'Inconclusive: proved ' : 'proved ',
  { rate: proved, style: 'strong' },
  ' <= robust accuracy <= ',
  { rate: notBroken, style: 'strong' },
];

function verdictBlocks({ clean, verify, texts, examples, report }: VerifyResult): Section['blocks'] {
  const { proved, broken, unfinished } = verify;
  const check = report.attacks.find((attack) => valueAt(attack, 'proved') !== undefined);
  const empty = check?.untried?.find(({ reason }) => reason === EMPTY_SPACE)?.n ?? 0;
  const bounded = examples.filter(({ method }) => method === 'bounds').length;
  const byBounds = bounded === 0 ? '' : `, ${quantity(bounded, 'example')} by bounds alone`;
  return [
    {
      kind: 'facts',
      heads: ['verdict', 'examples'],
      facts: [
        ['Correct without edits', { rate: clean }],
        ['Broken', [{ rate: broken }, ': some edit changes the prediction']],
        ['Proved', [{ rate: proved }, `: no edit changes the prediction${byBounds}`]],
        ['Unfinished', [{ rate: unfinished }, ': not all edits were tried, or one ties the prediction']],
        ['Texts classified', texts],
      ],
    },
    ...(empty > 0
      ? [note(`${empty} of the proved examples have no text in the space: nothing was tried on them.`)]
      : []),
    note('Shares of all examples checked; a misclassified example is not robust. In parentheses 95 % intervals.'),
  ];
}

function attackSections({ attacks, verify: { broken } }: VerifyResult): Section[] {
  if (attacks.length === 0) return [];
  const all = Math.round((broken.value ?? 0) * broken.n);
  const outside = attacks.some((attack) => attack.outside > 0);
  return [
    {
      id: 'attacks',
      title: 'Attacks alone',
      blocks: [
        table(
          'Attacks alone',
          ['attack', 'accuracy under attack', 'broken examples found', 'missed', ...(outside ? ['outside'] : [])],
          attacks.map((attack) => [
            attack.name,
            { rate: attack.accuracyUnderAttack },
            `${attack.found} of ${all}`,
            attack.missed,
            ...(outside ? [attack.outside] : []),
          ]),
        ),
        ...(outside ? [note('Outside: successes on proved examples, by edits that are not in the space.')] : []),
      ],
    },
  ];
}

function brokenSection(examples: VerifyResult['examples']): Section[] {
  const broken = examples.filter(({ adversarial }) => adversarial !== undefined).slice(0, SHOWN);
  if (broken.length === 0) return [];
  const pairs = broken.map(({ id, text, adversarial = '' }) => ({
    of: [`example ${id}`],
    found: 'broken',
    before: text,
    after: adversarial,
  }));
  return [{ id: 'broken', title: 'Broken examples', blocks: [{ kind: 'texts', pairs }] }];
}
