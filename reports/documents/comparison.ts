/** @file Models compared on the same examples, and what a defence is worth. */
import {
  type Block,
  type Comparison,
  type ComparisonReport,
  type Document,
  degenerateModels,
  type Inline,
  leftOutLines,
  note,
  type PairedRates,
  type Section,
  SIGNIFICANCE_LEVEL,
  strong,
  table,
  verdictsOn,
} from '../../src/plugin.js';
import { bounds, percent, points, probability } from '../figures.js';
import { overrideFacts, provenanceSection } from './provenance.js';

/** Changed examples shown to people; the JSON document has them all. */
const MAX_EXAMPLES = 5;

const ABOUT =
  'Accuracy of each model, unedited and under attack; b - a in points with its 95 % interval (Newcombe, paired); p by McNemar, exact, corrected for the number of attacks (Holm). ASR: over the texts that both read right.';

const DEFENCE_ABOUT =
  'The attacks see the defended answers and search through them (adaptive). Transfer: share of the texts made against the undefended model that fool the defended one too. A defence that only transfer suffers from breaks the search, not the attack.';

/** Two models under one attack, or unedited. */
export interface PairRow {
  readonly title: string;
  readonly rates: PairedRates;
  readonly p: number | null;
  readonly asr?: PairedRates;
}

/** Unedited, under each attack, each suite, and all of them. */
export function pairRows({ clean, attacks, suites, overall }: Omit<Comparison, 'models'>): PairRow[] {
  const under = (title: string, of: Comparison['attacks'][number]): PairRow => ({
    ...{ title, rates: of, p: of.adjustedP, asr: of.attackSuccessRate },
  });
  return [
    { title: 'unedited', rates: clean, p: clean.mcnemarP },
    ...attacks.map((of) => under(of.name, of)),
    ...suites.map((of) => under(`any of ${of.name}`, of)),
    ...(attacks.length > 1 ? [{ title: 'any of all', rates: overall, p: overall.mcnemarP }] : []),
  ];
}

/** What a row says of b: worse or better than a by more than chance, `alike`, or `unknown` where nothing was compared. */
export function stateOf({ rates: { difference }, p }: PairRow): 'worse' | 'better' | 'alike' | 'unknown' {
  if (difference.value === null || p === null) return 'unknown';
  if (p >= SIGNIFICANCE_LEVEL) return 'alike';
  return difference.value < 0 ? 'worse' : 'better';
}

/** Each model after the first, against the first; `doubtful` where no difference between the two, nor its absence, says anything. */
export function againstFirst({ models, verdict, further, ...first }: ComparisonReport) {
  const [a, ...others] = models;
  return others.map((b, at) => ({
    b,
    comparison: (at === 0 ? first : further[at - 1]) as Omit<Comparison, 'models'>,
    doubtful: verdict === 'inconclusive' || degenerateModels(a === undefined ? [b] : [a, b]).length > 0,
  }));
}

/** The difference, its interval, and the p-value that counts; one that is more than chance stands out. */
export const differenceCells = ({ rates: { difference }, p }: PairRow): Inline[] => [
  p !== null && p < SIGNIFICANCE_LEVEL ? strong(points(difference.value)) : points(difference.value),
  bounds(difference),
  probability(p),
];

const value = (rate: { readonly value: number | null } | undefined): string =>
  rate === undefined ? '' : percent(rate.value);

/** `typos: accuracy under attack 31.0 → 58.0 % (+27.0, 95 % CI +21.0 to +33.0, p <0.001)`, or that it is no more than chance. */
export function verdictLine(title: string, { a, b, difference }: PairedRates, p: number | null): string {
  if (a.value === null || b.value === null || p === null) return `${title}: nothing to compare`;
  const change = `${(a.value * 100).toFixed(1)} → ${percent(b.value)}`;
  const sure = p < SIGNIFICANCE_LEVEL ? `p ${probability(p)}` : 'n.s.';
  return `${title} ${change} (${points(difference.value)}, 95 % CI ${bounds(difference)}, ${sure})`;
}

/** What the comparison comes to, a line for the clean accuracy, each suite and each attack outside one. */
const verdictLines = (comparison: Omit<Comparison, 'models'>): string[] => [
  verdictLine('clean accuracy', comparison.clean, comparison.clean.mcnemarP),
  ...verdictsOn(comparison).map((each) => verdictLine(`${each.name}: accuracy under attack`, each, each.adjustedP)),
];

const letter = (at: number): string => String.fromCharCode('a'.charCodeAt(0) + at);

export function comparisonDocument(report: ComparisonReport): Document {
  const { models, data, seed, further, transfer, verdict, reasons, toolVersion, provenance, command } = report;
  return {
    title: `${models.map(({ name }) => name).join(' and ')} compared`,
    lead: [
      models.flatMap(({ name, run }, at) => [`${letter(at)}  `, strong(name), ` run ${run}; `]),
      `${data.examples} examples of ${data.name}, seed ${seed}`,
    ],
    alarms: degenerateModels(models),
    ...(verdict === 'inconclusive' && { inconclusive: reasons }),
    sections: [
      ...[report, ...further].map((comparison, at) => compared(comparison, at + 1, report)),
      ...(transfer.length > 0 ? [transferSection(report)] : []),
      { id: 'about', blocks: [note(ABOUT)] },
      provenanceSection(
        [
          ...models.map(({ name, sha256, run }, at) => [letter(at), `${name}, sha256 ${sha256}, run ${run}`] as const),
          ['data', `${data.name}, sha256 ${data.sha256}`],
          ['tool', `robust ${toolVersion}`],
          ...overrideFacts(provenance),
        ],
        [{ kind: 'command', line: command }],
      ),
    ],
  };
}

/** The second or a further model against the first. */
function compared(comparison: Omit<Comparison, 'models'>, at: number, { models }: ComparisonReport): Section {
  const b = letter(at);
  const left = leftOutLines(
    (comparison.leftOut ?? []).map((one) => ({ ...one, reason: `${one.by === 'a' ? 'a' : b}: ${one.reason}` })),
  );
  // No difference from a model that answers all texts alike is one.
  const spoilt = degenerateModels([models[0], models[at]].flatMap((one) => one ?? [])).length > 0;
  return {
    id: `${b}-against-a`,
    title: `${b} against a`,
    blocks: [
      ...(spoilt ? [] : [{ kind: 'list' as const, items: verdictLines(comparison) }]),
      table(
        `${b} against a`,
        ['', 'a', b, `${b} - a`, '95 % interval', 'p', 'ASR a', `ASR ${b}`],
        pairRows(comparison).map((row) => [
          row.title,
          value(row.rates.a),
          value(row.rates.b),
          ...differenceCells(row),
          value(row.asr?.a),
          value(row.asr?.b),
        ]),
      ),
      ...left.map((line): Block => ({ kind: 'prose', text: line, tone: 'warning' })),
      ...changedBlocks('broken', comparison.newlyBroken),
      ...changedBlocks('mended', comparison.newlyMended),
    ],
  };
}

const changedBlocks = (what: string, list: Comparison['newlyBroken']): Block[] =>
  list.length === 0
    ? []
    : [
        {
          kind: 'heading',
          text: `Newly ${what} (${list.length}${list.length > MAX_EXAMPLES ? `, of which ${MAX_EXAMPLES}` : ''})`,
        },
        {
          kind: 'texts',
          pairs: list.slice(0, MAX_EXAMPLES).map(({ id, attack, text, text2, adversarial = text }) => ({
            of: [attack ?? 'unedited', `example ${id}`],
            found: `newly ${what}`,
            before: text,
            after: adversarial,
            ...(text2 !== undefined && { note: `beside: ${text2}` }),
          })),
        },
      ];

function transferSection({ transfer, models }: ComparisonReport): Section {
  const directions = new Map(transfer.map(({ from, to }) => [JSON.stringify([from, to]), { from, to }]));
  const attacks = [...new Set(transfer.map(({ attack }) => attack))];
  const place = (name: string): string => letter(models.findIndex((model) => model.name === name));
  return {
    id: 'transfer',
    title: 'Transfer',
    blocks: [
      table(
        'Transfer',
        ['', ...Array.from(directions.values(), ({ from, to }) => `${place(from)} -> ${place(to)}`)],
        attacks.map((attack) => [
          attack,
          ...Array.from(directions.values(), ({ from, to }) =>
            transferred(transfer.find((one) => one.from === from && one.to === to && one.attack === attack)),
          ),
        ]),
      ),
      note('Share of the adversarial texts made against one model that fool the other too.'),
    ],
  };
}

const transferred = (found: ComparisonReport['transfer'][number] | undefined): string =>
  found === undefined ? '' : `${percent(found.rate.value)} (n ${found.rate.n})`;

/** The same attacks with and without a defence, and whether texts made without it pass it. Undefended is a, defended b. */
export const defenceSection = (undefended: ComparisonReport): Section => ({
  id: 'defence',
  title: 'What the defence is worth',
  blocks: [
    table(
      'With and without the defence',
      ['accuracy', 'undefended', 'defended', 'gain', '95 % interval', 'p', 'transfer'],
      pairRows(undefended).map((row) => [
        row.title,
        value(row.rates.a),
        value(row.rates.b),
        ...differenceCells(row),
        transferred(undefended.transfer.find(({ attack }) => attack === row.title)),
      ]),
    ),
    note(DEFENCE_ABOUT),
  ],
});
