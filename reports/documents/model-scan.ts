/** @file Result of `robust scan-model`: the verdict, each check with what it examined, and what was not examined. */
import type {
  ModelCheck,
  ModelCheckVerdict,
  ModelScan,
  ModelScanVerdict,
} from '../../src/results/backdoor/model-scan.js';
import {
  type Block,
  type Document,
  note,
  type Section,
  type Style,
  strong,
} from '../../src/results/report/document.js';
import { scanDocument } from './scan.js';

const VERDICTS: Readonly<Record<ModelScanVerdict, readonly [string, Style]>> = {
  danger: ['Dangerous', 'bad'],
  warnings: ['Warnings', 'doubtful'],
  'none found': ['Nothing dangerous found', 'good'],
  inconclusive: ['Inconclusive', 'doubtful'],
};

const STYLES: Readonly<Record<ModelCheckVerdict, Style>> = {
  danger: 'bad',
  warning: 'doubtful',
  'none found': 'good',
  'not checked': 'doubtful',
  'none to check': 'dim',
};

/** Findings of one check that are listed. */
const MAX_LISTED = 20;

export function modelScanDocument({ model, verdict, reasons, checks, scan }: ModelScan): Document {
  const [words, style] = VERDICTS[verdict];
  const idle = checks.filter(({ verdict: own }) => own === 'none to check').map(({ name }) => name);
  const because =
    reasons[0] ??
    `${checks.length - idle.length} checks found nothing in what they examined${idle.length > 0 ? `; none to check: ${idle.join(', ')}` : ''}`;
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : '';
  return {
    title: `Is ${model.name} safe to use?`,
    summary: [strong({ style, text: words }), ': ', because, more],
    lead: [strong(model.name), `: ${model.files} files, ${model.bytes} bytes`],
    sections: [
      {
        id: 'checks',
        blocks: [
          {
            kind: 'table',
            caption: 'Checks',
            columns: [{ title: 'check' }, { title: 'verdict', align: 'left' }, { title: 'examined', align: 'left' }],
            rows: checks.map((check) => [
              check.name,
              { style: STYLES[check.verdict], text: check.verdict },
              check.examined,
            ]),
          },
        ],
      },
      ...checks.flatMap(findingSection),
      ...(scan === null
        ? []
        : scanDocument({ model: model.name, data: 'the clean texts', result: scan }).sections.map(asPart)),
      {
        id: 'about',
        blocks: [
          note(
            'No file was executed. A verdict covers only what its check examined: a new trick, or code that another program loads by itself, is not excluded.',
          ),
          ...(checks.some(({ name }) => name === 'backdoor')
            ? []
            : [note('Only the files were examined: whether the model has a backdoor was not.')]),
        ],
      },
    ],
  };
}

/** The sections of the backdoor scan beside those of the files. */
const asPart = (section: Section): Section => ({
  ...section,
  id: `backdoor-${section.id}`,
  ...(section.id === 'verdict' && { title: 'Backdoor scan' }),
});

function findingSection({ name, findings, notExamined }: ModelCheck): Section[] {
  if (findings.length === 0 && notExamined.length === 0) return [];
  const order = ['danger', 'warning', 'note'] as const;
  const items = order.flatMap((level) =>
    findings
      .filter((each) => each.level === level)
      .map(({ file, what }) => [
        {
          style: level === 'danger' ? ('bad' as const) : level === 'warning' ? ('doubtful' as const) : ('dim' as const),
          text: level,
        },
        `: ${file === null ? '' : `${file} `}${what}`,
      ]),
  );
  const blocks: Block[] = [];
  if (items.length > 0) blocks.push({ kind: 'list', items: some(items) });
  if (notExamined.length > 0)
    blocks.push({ kind: 'list', items: some(notExamined.map((what) => `not examined: ${what}`)) });
  return [{ id: `check-${name.replace(' ', '-')}`, title: `Check: ${name}`, blocks }];
}

const some = <T>(items: readonly T[]): (T | string)[] => [
  ...items.slice(0, MAX_LISTED),
  ...(items.length > MAX_LISTED ? [`and ${items.length - MAX_LISTED} more: see --json`] : []),
];
