/** @file Results of behavioural probes: failure rate of each capability, and minimal pairs as examples. */
import { z } from 'zod';
import { count, type Declared } from '../../core/declared.js';
import { defined } from '../../core/defined.js';
import { must } from '../../core/errors.js';
import { interval } from '../../core/figure-text.js';
import { AROUND_THE_TEXT, CAPABILITY_MEANINGS, TEXTBOOK_PROBE } from '../../core/negation.js';
import type { Outcome } from '../../core/outcome.js';
import { scoreTexts } from '../../core/score-text.js';
import { type Rate, rateSchema } from '../../core/statistics/rate.js';
import { sum, wilson } from '../../core/statistics/stats.js';
import { note, type Section, type TextPair, table } from '../report/document.js';
import { type AttackValue, type Measure, valueAt } from './measure.js';

const relation = z.enum(['INV', 'DIR', 'MFT']);

/**
 * Relation of a probe's text to its original (CheckList: Ribeiro et al. 2020, section 2). INV: same meaning; DIR: opposite meaning; MFT:
 * both come from a template, which determines the expected answer.
 */
type ProbeRelation = z.output<typeof relation>;

const probe = z.object({
  capability: z.string().describe('The ability that is tested: "double negation".'),
  relation,
  original: z
    .string()
    .describe("The other half of the minimal pair. Absent where it is the example's text.")
    .exactOptional(),
  text: z.string(),
  expected: z
    .array(count)
    .describe(
      'The labels that a reader may take from the text, ascending: the probe failed if `got` is not among them.',
    ),
  got: z.number().int().min(-1).describe('The predicted label.'),
  // A softmax in single precision may exceed 1 by a rounding error.
  score: z.number().min(0).max(1.00001).describe('Probability of the expected labels together.'),
});

/** A text that tests a capability, and the model's answer to it. */
export interface ProbeEvidence extends Declared<typeof probe> {}

const sample = probe
  .pick({ text: true, expected: true, got: true, score: true })
  .extend({ id: z.string().describe("The example's. Absent for templates.").exactOptional(), original: z.string() });

interface FailureSample extends Declared<typeof sample> {}

const capability = z.object({
  capability: z.string(),
  relation,
  n: count.describe("Probes; a template's text counts once in a run."),
  failed: count,
  failureRate: rateSchema,
  samples: z.array(sample).describe('A few failures, the most confident first.'),
});

/** Failure rate of the model for one capability and relation. */
export interface CapabilityMetrics extends Declared<typeof capability> {}

/** Sample failures kept for each capability and relation. */
const SAMPLES = 3;
/** Minimal pairs shown, each of a different capability. */
const PAIRS = 6;

/** Explanations of the columns. */
const RELATIONS: Readonly<Record<ProbeRelation, string>> = {
  INV: 'says the same as the text, so the answer must stay',
  DIR: 'says the opposite, so the answer must change',
  MFT: 'sentences from templates whose sentiment is known',
};

const WHAT_COUNTS =
  'These are failures of the model. Only a rewrite with the same meaning (INV) that flips a correct prediction is also a success of the attack.';

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** The most confident mistake first. */
const byScore = (a: FailureSample, b: FailureSample): number =>
  a.score - b.score || byText(a.text, b.text) || byText(a.id ?? '', b.id ?? '');

interface Tally extends Pick<CapabilityMetrics, 'capability' | 'relation'> {
  n: number;
  failed: number;
  samples: FailureSample[];
  /** Texts of templates that were counted, because parts of a run that are merged may each have sent them. */
  readonly once: Set<string>;
}

const failureOf = (
  { original, text, expected, got, score }: Omit<ProbeEvidence, 'capability' | 'relation'>,
  { id, text: exampleText }: Outcome,
): FailureSample => ({
  ...(original === undefined ? { id, original: exampleText } : { original }),
  text,
  expected,
  got,
  score,
});

/** A probe as stored in a line: score with 6 decimals, keys in fixed order. */
const normalise = ({ capability, relation, original, text, expected, got, score }: ProbeEvidence): ProbeEvidence => ({
  capability,
  relation,
  ...defined({ original }),
  text,
  expected,
  got,
  score: Math.round(score * 1e6) / 1e6,
});

export const capabilities: Measure<readonly CapabilityMetrics[]> = {
  name: 'capabilities',
  evidence: {
    key: 'probes',
    schema: z.array(probe),
    serialise: (found) => (found as readonly ProbeEvidence[]).map(normalise),
  },
  schema: z.array(capability),
  /** Independent of the order of the outcomes. */
  fold() {
    const counts = new Map<string, Tally>();
    return {
      add(outcome) {
        for (const { capability, relation, ...probe } of (valueAt(outcome, 'probes') ?? []) as ProbeEvidence[]) {
          const key = `${capability}\n${relation}`;
          const known = counts.get(key) ?? { capability, relation, n: 0, failed: 0, samples: [], once: new Set() };
          counts.set(key, known);
          if (relation === 'MFT' && known.once.has(probe.text)) continue;
          if (relation === 'MFT') known.once.add(probe.text);
          known.n += 1;
          if (probe.expected.includes(probe.got)) continue;
          known.failed += 1;
          known.samples = [...known.samples, failureOf(probe, outcome)].sort(byScore).slice(0, SAMPLES);
        }
      },
      /** By name, then relation. */
      value: () =>
        counts.size === 0
          ? undefined
          : [...counts.values()]
              .sort((a, b) => byText(a.capability, b.capability) || byText(a.relation, b.relation))
              .map(({ capability, relation, n, failed, samples }) => ({
                capability,
                relation,
                n,
                failed,
                failureRate: wilson(failed, n),
                samples,
              })),
    };
  },
  sections: (found, labels) => found.map((one, at) => section(one, at, labels)),
};

/** Capabilities that a screen shows, the weakest first. */
const WEAKEST = 5;
/** Pairs that a screen shows. */
const PAIRS_ON_SCREEN = 2;

/** One row per capability, the highest failure rate first, then a row for all; below them minimal pairs. */
function section(
  { attack, value }: AttackValue<readonly CapabilityMetrics[]>,
  at: number,
  labels: readonly string[],
): Section {
  const names = [...new Set(value.map(({ capability }) => capability))];
  const of = (name: string): CapabilityMetrics[] => value.filter(({ capability }) => capability === name);
  const worst = new Map(names.map((name) => [name, total(of(name)).value ?? 0]));
  const relations = (['INV', 'DIR', 'MFT'] as const).filter((each) => value.some((one) => one.relation === each));
  const row = (name: string, members: readonly CapabilityMetrics[]): string[] => [
    name,
    ...relations.map((each) => cell(members.filter((one) => one.relation === each))),
  ];
  const sorted = names.toSorted((a, b) => must(worst.get(b)) - must(worst.get(a)));
  const around = value.filter(({ capability }) => AROUND_THE_TEXT.has(capability));
  const pairs = minimalPairs(value);
  const answers = (of: readonly number[]): string => of.map((label) => labels[label] ?? String(label)).join(' or ');
  const capabilities = sorted.map((name) => row(name, of(name)));
  const all = row('all of them', value);
  const failures = pairs.map(
    ({ capability, relation: which, sample, meaning }): TextPair => ({
      of: [capability, which],
      found: `expected ${answers(sample.expected)} (${scoreTexts([sample.score]).scores[0]}), got ${answers([sample.got])}`,
      before: sample.original,
      after: sample.text,
      note: meaning,
    }),
  );
  const titles = ['capability', ...relations];
  return {
    id: `capabilities-${at}`,
    title: `What the model fails to understand: ${attack}`,
    brief: [
      table(`Weakest capabilities, ${attack}`, titles, [...capabilities.slice(0, WEAKEST), all]),
      note(
        `Failures/probes, failure rate, 95 % interval.${sorted.length > WEAKEST ? ` The ${WEAKEST} weakest of ${sorted.length} capabilities; --wide: all.` : ''}`,
      ),
      {
        kind: 'texts',
        whole: true,
        compact: true,
        pairs: failures.slice(0, PAIRS_ON_SCREEN).map(({ note: _, ...pair }) => pair),
      },
    ],
    blocks: [
      table(`Capabilities, ${attack}`, titles, [
        ...capabilities,
        ...(around.length === 0 || around.length === value.length
          ? []
          : [
              row(
                'all within a text',
                value.filter((one) => !around.includes(one)),
              ),
              row('all around a text', around),
            ]),
        all,
      ]),
      note(
        `Failed/tried, failure rate, its 95 % interval. Probes around a text put a sentence before it and leave it unchanged: ${[...AROUND_THE_TEXT].join(', ')}. ${WHAT_COUNTS}`,
      ),
      { kind: 'list', tone: 'note', items: relations.map((each) => `${each}: ${RELATIONS[each]}`) },
      ...(pairs.length === 0
        ? []
        : [
            { kind: 'heading' as const, text: 'Minimal pairs the model gets wrong' },
            { kind: 'texts' as const, whole: true as const, pairs: failures },
          ]),
    ],
  };
}

const total = (of: readonly CapabilityMetrics[]): Rate =>
  wilson(sum(of.map(({ failed }) => failed)), sum(of.map(({ n }) => n)));

/** `6/45 13 % 6-26`: failed, tried, rate, its 95 % interval. */
function cell(of: readonly CapabilityMetrics[]): string {
  const rate = total(of);
  if (rate.value === null) return '';
  return `${sum(of.map(({ failed }) => failed))}/${rate.n} ${Math.round(rate.value * 100)} % ${interval(rate)}`;
}

/** Short pairs are clearest, and the well-known textbook sentence comes first. */
const length = ({ text }: FailureSample): number => (text === TEXTBOOK_PROBE.text ? 0 : text.length);

/** One failure of each of the weakest capabilities, with the reason for the expected answer. */
function minimalPairs(value: readonly CapabilityMetrics[]) {
  const clearest = new Map<string, CapabilityMetrics & { readonly sample: FailureSample; readonly rate: number }>();
  for (const one of value) {
    for (const sample of one.samples) {
      const known = clearest.get(one.capability);
      if (known !== undefined && length(known.sample) <= length(sample)) continue;
      clearest.set(one.capability, { ...one, sample, rate: length(sample) === 0 ? 1 : (one.failureRate.low ?? 0) });
    }
  }
  // Looked up as an own property, because plugins choose the names.
  const meanings: Readonly<Record<string, string>> = CAPABILITY_MEANINGS;
  const meaning = (of: string): string => (Object.hasOwn(meanings, of) ? must(meanings[of]) : '');
  return [...clearest.values()]
    .sort((a, b) => b.rate - a.rate)
    .slice(0, PAIRS)
    .map((one) => ({ ...one, meaning: meaning(one.capability) }));
}
