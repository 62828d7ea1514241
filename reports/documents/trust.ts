/** @file Diagnostics in a report: can its figures be trusted as estimates of the worst case? */
import type { Trustworthy } from '../../src/results/diagnostics/check.js';
import { titleOfCheck, trustLine } from '../../src/results/diagnostics/index.js';
import { note, prose, type Section, strong } from '../../src/results/report/document.js';
import type { Report } from '../../src/results/report/report.js';

const STYLES = { yes: 'good', no: 'bad', unknown: 'doubtful' } as const;

const COLUMNS = [{ title: 'check' }, { title: 'expected, and found', align: 'left' as const }];

/** Checks that passed come last, and those that are not applicable are counted. */
export function trustSection({
  trustworthy,
  suites,
}: Pick<Report, 'trustworthy'> & { readonly suites: readonly { readonly name: string }[] }): Section[] {
  if (trustworthy === undefined) return [];
  const { verdict, queries, checks } = trustworthy;
  const verdictLine = prose(strong('trustworthy: '), { style: STYLES[verdict], text: trustLine(trustworthy) });
  const applicable = ['failed', 'passed'].flatMap((status) => checks.filter((check) => check.status === status));
  const others = checks.filter(({ status }) => status === 'not applicable').map(({ name }) => name);
  return [
    {
      id: 'trust',
      title: 'Can these figures be trusted?',
      led: true,
      brief: suites.some(({ name }) => name === 'standard') ? [verdictLine] : [],
      blocks: [
        verdictLine,
        ...(applicable.length === 0
          ? []
          : [
              { kind: 'table' as const, caption: 'Diagnostic checks', columns: COLUMNS, rows: applicable.map(cellsOf) },
            ]),
        note(
          `Each check looks for a sign that attacks failed for another reason than robustness; they made ${queries} extra queries.`,
          others.length === 0 ? '' : ` Not applicable: ${others.join(', ')}.`,
        ),
      ],
    },
  ];
}

const cellsOf = ({ name, status, evidence }: Trustworthy['checks'][number]) => [
  { lines: [name, { style: status === 'passed' ? ('good' as const) : ('bad' as const), text: status }] },
  { lines: [titleOfCheck(name), evidence] },
];
