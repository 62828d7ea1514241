/** @file Models compared on the same examples, as people read it: on a screen, and as Markdown. */
import {
  type Comparison,
  type ComparisonReport,
  degenerateModels,
  leftOutLines,
  type PairedRates,
  type Renderer,
} from '../src/index.js';
import { ALPHA, bounds, type PairRow, pairRows, points, probability } from './comparison-rows.js';
import { percent } from './figures.js';
import { json, SCHEMA_VERSION } from './json.js';
import { beside, blocks, wrapped } from './layout.js';
import { fenced, markdownTable, plain } from './markdown-text.js';
import type { Screen } from './terminal.js';
import { visible } from './visible.js';
import { excerpt, wordDiff } from './word-diff.js';

/** Changed examples shown to people; the JSON document has them all. */
const SHOWN = 5;
/** Characters of unchanged text shown on each side of a change. */
const CONTEXT = 120;

const ABOUT =
  'Accuracy of each model, unedited and under attack; b - a in points with its 95 % interval (Newcombe, paired); p by McNemar, exact, corrected for the number of attacks (Holm). ASR: over the texts that both read right.';

const heads = (b: string): string[] => ['', 'a', b, `${b} - a`, '95 % interval', 'p', 'ASR a', `ASR ${b}`];

const cells = (row: PairRow): string[] => [
  row.title,
  row.a,
  row.b,
  row.difference,
  row.bounds,
  row.p,
  row.asrA,
  row.asrB,
];

/** `typos: accuracy under attack 31.0 → 58.0 % (+27.0, 95 % CI +21.0 to +33.0, p <0.001)`, or that it is no more than chance. */
export function verdictLine(title: string, { a, b, difference }: PairedRates, p: number | null): string {
  if (a.value === null || b.value === null || p === null) return `${title}: nothing to compare`;
  const change = `${(a.value * 100).toFixed(1)} → ${percent(b.value)}`;
  const sure = p < ALPHA ? `p ${probability(p)}` : 'n.s.';
  return `${title} ${change} (${points(difference.value)}, 95 % CI ${bounds(difference)}, ${sure})`;
}

/** What the comparison comes to, a line for the clean accuracy, each suite and each attack outside one. */
export function verdictLines(comparison: Omit<Comparison, 'models'>): string[] {
  const { clean, attacks, suites } = comparison;
  const suited = new Set(suites.map(({ name }) => name));
  const told = [...suites, ...attacks.filter(({ suite }) => suite === null || !suited.has(suite))];
  return [
    verdictLine('clean accuracy', clean, clean.mcnemarP),
    ...told.map((each) => verdictLine(`${each.name}: accuracy under attack`, each, each.adjustedP)),
  ];
}

/** Each comparison of the report with the letters of its models. */
const pairsOf = (report: ComparisonReport): { b: string; comparison: Omit<Comparison, 'models'> }[] =>
  [report, ...report.further].map((comparison, at) => ({ b: letter(at + 1), comparison }));

const letter = (at: number): string => String.fromCharCode('a'.charCodeAt(0) + at);

/** What could not be compared, and whose reason that is; `b` is the second model's letter. */
const notCompared = ({ leftOut = [] }: Omit<Comparison, 'models'>, b: string): string[] =>
  leftOutLines(leftOut.map((one) => ({ ...one, reason: `${one.by === 'a' ? 'a' : b}: ${one.reason}` })));

/** The renderer for a screen of this width and these colours. */
export function comparisonTerminal({ width, chalk }: Screen): Renderer<ComparisonReport> {
  return {
    name: 'terminal',
    extension: 'txt',
    *render(report) {
      for (const [at, { name, run }] of report.models.entries()) {
        yield `${chalk.bold(letter(at))}  ${chalk.bold(visible(name))} ${chalk.dim(`run ${visible(run)}`)}\n`;
      }
      yield `${report.data.examples} examples of ${visible(report.data.name)}, seed ${report.seed}\n`;
      for (const line of degenerateModels(report.models))
        yield `\n${wrapped(visible(line), width, 0, chalk.red.bold)}\n`;
      for (const { b, comparison } of pairsOf(report)) {
        const rows = pairRows(comparison);
        const columns = heads(b).map((head, at) => [
          chalk.bold(head),
          ...rows.map((row) => {
            const cell = visible(cells(row)[at] as string);
            return at === 3 && row.sure ? chalk.bold(cell) : cell;
          }),
        ]);
        yield '\n';
        for (const block of blocks(columns, width)) yield `${block}\n`;
        for (const line of notCompared(comparison, b))
          yield `\n${beside(chalk.yellow('Warning'), visible(line), width, 9)}\n`;
        for (const [what, list] of [
          ['broken', comparison.newlyBroken],
          ['mended', comparison.newlyMended],
        ] as const) {
          if (list.length === 0) continue;
          yield `\n${chalk.bold(`Newly ${what}`)} (${list.length}${list.length > SHOWN ? `, of which ${SHOWN}` : ''})\n`;
          for (const { id, attack, text, adversarial } of list.slice(0, SHOWN)) {
            yield `${wrapped(visible(`${attack ?? 'unedited'}, example ${id}:`), width, 0, chalk.cyan)}\n`;
            yield `${wrapped(changedText(text, adversarial), width, 2)}\n`;
          }
        }
      }
      if (report.transfer.length > 0) {
        yield `\n${chalk.bold('Transfer')}: adversarial texts made against one model that fool the other too\n\n`;
        for (const block of blocks(transferColumns(report), width)) yield `${block}\n`;
      }
      yield `\n${wrapped(ABOUT, width, 0, chalk.dim)}\n`;
      if (report.verdict === 'inconclusive') {
        yield `\n${beside(chalk.yellow('Inconclusive'), visible(report.reasons.join('; ')), width, 14)}\n`;
      }
    },
  };
}

function changedText(text: string, adversarial: string | undefined): string {
  return excerpt(wordDiff(text, adversarial ?? text), CONTEXT)
    .map((part) => (part.changed ? `[${visible(part.from)} → ${visible(part.to)}]` : visible(part.text)))
    .join('');
}

function transferColumns({ transfer, models }: ComparisonReport): string[][] {
  const directions = new Map(transfer.map(({ from, to }) => [JSON.stringify([from, to]), { from, to }]));
  const attacks = [...new Set(transfer.map(({ attack }) => attack))];
  const place = (name: string): string => letter(models.findIndex((model) => model.name === name));
  return [
    ['', ...attacks.map(visible)],
    ...Array.from(directions.values(), ({ from, to }) => {
      return [
        `${place(from)} -> ${place(to)}`,
        ...attacks.map((attack) => {
          const found = transfer.find((one) => one.from === from && one.to === to && one.attack === attack);
          return found === undefined ? '' : `${percent(found.rate.value)} (n ${found.rate.n})`;
        }),
      ];
    }),
  ];
}

export const comparisonMarkdown: Renderer<ComparisonReport> = {
  name: 'markdown',
  extension: 'md',
  *render(report) {
    yield `# ${report.models.map(({ name }) => plain(name)).join(' and ')} compared\n\n`;
    yield `${report.data.examples} examples of ${plain(report.data.name)}, seed ${report.seed}. ${ABOUT}\n`;
    if (report.verdict === 'inconclusive') yield `\n**Inconclusive:** ${plain(report.reasons.join('; '))}\n`;
    for (const { b, comparison } of pairsOf(report)) {
      yield `\n## ${report.models.length > 2 ? `${b} against a` : 'Verdict'}\n\n`;
      const models = [report.models[0], report.models.find((_, at) => letter(at) === b)].flatMap((one) => one ?? []);
      const spoilt = degenerateModels(models);
      for (const line of spoilt.length > 0 ? spoilt : verdictLines(comparison)) yield `- ${plain(line)}\n`;
      yield `\n${markdownTable(
        heads(b),
        pairRows(comparison).map((row) => cells(row).map(plain)),
      )}`;
      for (const line of notCompared(comparison, b)) yield `\n${plain(line)}\n`;
      for (const [what, list] of [
        ['broken', comparison.newlyBroken],
        ['mended', comparison.newlyMended],
      ] as const) {
        if (list.length > 0) yield `\n### Newly ${what} (${list.length})\n\n`;
        for (const { id, attack, text, adversarial } of list.slice(0, SHOWN)) {
          yield `- ${plain(attack ?? 'unedited')}, example ${plain(id)}: ${plain(changedText(text, adversarial))}\n`;
        }
      }
    }
    if (report.transfer.length > 0) {
      const columns = transferColumns(report);
      const [head, ...body] = (columns[0] as string[]).map((_, row) =>
        columns.map((column) => plain(column[row] ?? '')),
      );
      yield `\n## Transfer\n\nShare of the adversarial texts made against one model that fool the other too.\n\n`;
      yield markdownTable(head as string[], body);
    }
    yield '\n## Provenance\n\n';
    yield markdownTable(
      ['model', 'which'],
      report.models.map(({ name, sha256, run }, at) => [letter(at), plain(`${name}, sha256 ${sha256}, run ${run}`)]),
    );
    const { name, sha256 } = report.data;
    yield `\n${plain(`Data ${name}, sha256 ${sha256}; robust ${report.toolVersion}.`)}\n\n`;
    yield fenced('sh', visible(report.command));
  },
};

/** The document `--json` prints. */
export const comparisonJson: Renderer<ComparisonReport> = {
  name: 'json',
  extension: 'json',
  *render(result) {
    yield `${json({ schemaVersion: SCHEMA_VERSION, ok: true, command: 'compare', result, warnings: [] })}\n`;
  },
};
