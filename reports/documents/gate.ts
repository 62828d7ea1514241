/** @file A gate's verdict as lines, one a question: did this threshold hold, did this rate become worse? For every format alike. */
import type { DecisionRule } from '../../src/core/decision-schema.js';
import type { Override } from '../../src/core/override.js';
import {
  type Block,
  code,
  type Document,
  type Inline,
  note,
  prose,
  strong,
} from '../../src/results/report/document.js';
import { measuredText, measuredValue, requiredText } from '../../src/results/report/judged-text.js';
import { modelTitle } from '../../src/results/report/model-title.js';
import type { GateResult, JudgedChange, Verdict } from '../../src/results/report/verdict.js';
import { decisionLines, figureBounds, figureDifference, figureValue, figureWords } from '../decision-words.js';
import { percent } from '../figures.js';
import { overrideLine } from '../overrides.js';

export interface GateLine {
  /** An attack, a suite, `overall` or `clean`. */
  readonly subject: string;
  /** The requirement: `typos.attackSuccessRate at most 30 %`. */
  readonly asked: string;
  /** The measured value: `41.2 % (35-48), n = 161`. */
  readonly found: string;
  readonly verdict: Exclude<Verdict, 'none'>;
  /** Only a broken error fails the gate. */
  readonly level: 'error' | 'warn';
  /** Somebody answers for it: it does not count. */
  readonly waived: boolean;
  /** Why it is inconclusive, and who answers for it. */
  readonly notes: readonly string[];
}

/** Does the line keep the gate from passing? Warnings and what was waived do not. */
export const blocks = ({ level, verdict, waived }: GateLine): boolean =>
  level === 'error' && verdict !== 'passed' && !waived;

/** `87.1 % -> 74.1 %, 13 worse, 0 better, p = 0.0003`; without counts the change with its interval. */
function changeText({ metric, baseline, current, difference, worse, better, adjustedP }: JudgedChange): string {
  const counts =
    worse === undefined
      ? `${figureDifference(metric, difference)}, 95 % CI ${figureBounds(metric, difference)}`
      : `${worse} worse, ${better} better`;
  return `${figureValue(metric, baseline)} -> ${figureValue(metric, current)}, ${counts}, p = ${Number(adjustedP.toPrecision(3))}`;
}

/** The meaning of accuracy, if it is not the share of correct labels. */
const accuracyOf = ({ metric }: JudgedChange, rule: DecisionRule | undefined): string =>
  metric === 'accuracy' && rule !== undefined ? ` (${figureWords(metric, rule)})` : '';

/** Every threshold, then every change against the baseline. */
export function gateLines({ thresholds, baseline }: GateResult): GateLine[] {
  const held = thresholds.map((one) => ({
    subject: one.metric.split('.')[0] as string,
    asked: `${one.metric} ${requiredText(one)}${one.ci === 'value' ? ', by its value' : ''}`,
    found: measuredText(one),
    verdict: one.verdict,
    level: one.level,
    waived: one.waiver !== undefined,
    notes: [
      ...(one.reason === undefined ? [] : [one.reason]),
      ...(one.without === undefined
        ? []
        : [`without ${one.without.join(', ')}, left out of the run or not applicable to its texts`]),
      ...(one.waiver === undefined
        ? []
        : [`waived by ${one.waiver.owner} until ${one.waiver.expires}: ${one.waiver.reason}`]),
    ],
  }));
  const changed = (baseline?.changes ?? []).map((one) => ({
    subject: one.name,
    asked: `${one.name}.${one.metric}${accuracyOf(one, baseline?.decision)} against the baseline, allowed ${percent(baseline?.maxIncrease ?? 0)}${one.metric.endsWith('Error') ? ' of it' : ''}`,
    found: changeText(one),
    verdict: one.verdict,
    level: one.level ?? ('error' as const),
    waived: false,
    notes: one.reason === undefined ? [] : [one.reason],
  }));
  return [...held, ...changed];
}

/** A line's word: what it says, and whether that counts. */
const wordOf = (line: GateLine): Inline => {
  const counts = line.verdict === 'passed' || blocks(line);
  const word = counts ? line.verdict : `${line.verdict}, ${line.waived ? 'waived' : 'warning'}`;
  return { style: counts ? STYLES[line.verdict] : 'dim', text: word };
};

const STYLES = { passed: 'good', failed: 'bad', inconclusive: 'doubtful' } as const;

/** `1 of 2 requirements violated; 2 of 7 figures significantly worse than in the baseline`: what decided the verdict. */
function summaryOf({ verdict, thresholds, baseline }: GateResult): string {
  if (verdict === 'inconclusive') return 'there is too little evidence to pass';
  const requirements = thresholds.filter(({ level, waiver }) => level === 'error' && waiver === undefined);
  const changes = baseline?.changes ?? [];
  const failing = (all: readonly { readonly verdict: string }[]): number =>
    all.filter((each) => each.verdict === 'failed').length;
  const of = (all: readonly unknown[], noun: string): string => `${all.length} ${noun}${all.length === 1 ? '' : 's'}`;
  const [violated, worse] = [failing(requirements), failing(changes)];
  const parts =
    verdict === 'passed'
      ? [
          requirements.length > 0 && `${requirements.length} of ${of(requirements, 'requirement')} met`,
          changes.length > 0 && `0 of ${of(changes, 'figure')} significantly worse than in the baseline`,
        ]
      : [
          violated > 0 && `${violated} of ${of(requirements, 'requirement')} violated: ${violations(requirements)}`,
          worse > 0 && `${worse} of ${of(changes, 'figure')} significantly worse than in the baseline`,
        ];
  return parts.filter((part) => part !== false).join('; ');
}

/** `clean.accuracy 76.7 %, required at least 80 %`, up to three of them. */
function violations(requirements: GateResult['thresholds']): string {
  const failed = requirements.filter(({ verdict }) => verdict === 'failed');
  const lines = failed.slice(0, 3).map((one) => `${one.metric} ${measuredValue(one)}, required ${requiredText(one)}`);
  return [...lines, ...(failed.length > 3 ? [`${failed.length - 3} more`] : [])].join('; ');
}

/** The verdict, every requirement with its measured value (or `most` of them, those that block first), other reasons, and environment variables that decided settings. */
export function gateBlocks(
  gate: GateResult,
  overrides: readonly Override[] = [],
  most = Number.POSITIVE_INFINITY,
): Block[] {
  const set = overrideLine(overrides);
  const all = gateLines(gate);
  const lines =
    all.length <= most ? all : [...all.filter(blocks), ...all.filter((line) => !blocks(line))].slice(0, most);
  const left = all.length - lines.length;
  const { verdict, thresholds, reasons, baseline } = gate;
  return [
    prose(strong({ style: STYLES[verdict], text: `Gate ${verdict}` }), `: ${summaryOf(gate)}`),
    ...(lines.length === 0
      ? []
      : [
          {
            kind: 'facts' as const,
            heads: ['verdict', 'requirement: measured'] as const,
            facts: lines.map((line): [Inline, Inline] => [
              wordOf(line),
              `${line.asked}: ${line.found}${line.notes.length === 0 ? '' : ` (${line.notes.join('; ')})`}`,
            ]),
          },
        ]),
    ...(left === 0 ? [] : [note(`${left} more lines are not shown.`)]),
    ...reasons.map((reason): Block => ({ kind: 'prose', text: reason, tone: 'warning' })),
    ...(thresholds.some(isViolated) && baseline === undefined ? [prose(CHOICES)] : []),
    ...(set === undefined ? [] : [{ kind: 'prose' as const, text: set, tone: 'warning' as const }]),
    ...(baseline === undefined
      ? []
      : [
          ...(baseline.decision
            ? [prose(decisionLines(baseline.decision, baseline.decisionDifference, ['the baseline', 'this run']).text)]
            : []),
          note(
            `Baseline ${baseline.file}, of ${modelTitle(baseline.model)}: the same examples, ${testsOf(baseline.changes)}, corrected for the number of changes judged.`,
          ),
        ]),
  ];
}

const isViolated = ({ verdict, level, waiver }: GateResult['thresholds'][number]): boolean =>
  verdict === 'failed' && level === 'error' && waiver === undefined;

/** What to do about violated requirements. */
const CHOICES = [
  'The choices: harden the model, raise the limit knowingly, or require only "no worse than today" (',
  code('robust baseline save'),
  ').',
];

const testsOf = (changes: readonly JudgedChange[]): string =>
  changes.every(({ worse }) => worse !== undefined)
    ? 'exact McNemar test'
    : 'exact McNemar test for rates of the same texts, paired bootstrap for the other figures';

/** A gate's verdict by itself, after the report it is on. */
export const gateDocument = (gate: GateResult, overrides?: readonly Override[]): Document => ({
  title: 'Gate',
  lead: [],
  sections: [{ id: 'gate', blocks: gateBlocks(gate, overrides) }],
});
