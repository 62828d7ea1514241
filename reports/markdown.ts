/** @file The report as Markdown, for a pull request or a wiki. */
import {
  type AttackMetrics,
  degenerateLine,
  type Outcome,
  type Rate,
  type Report,
  type ReportRenderer,
} from '../src/index.js';
import { capabilityRows, minimalPairs, RELATIONS, relationsOf, WHAT_COUNTS } from './capabilities.js';
import { DEFENCE_ABOUT, defenceColumns } from './defence.js';
import { blocks, gateLines } from './documents/gate.js';
import {
  beside,
  idleness,
  interval,
  medians,
  percent,
  qualityLegend,
  qualityRows,
  sweeps,
  untried,
} from './figures.js';
import { fenced, markdownTable, plain } from './markdown-text.js';
import { outputLine } from './output.js';
import { editions, evidenceRows } from './taxonomy.js';
import { lookAlikes, visible } from './visible.js';
import { weighed } from './weighed.js';
import { excerpt, type Segment, wordDiff } from './word-diff.js';

/** Characters of unchanged text shown on each side of a change. */
const CONTEXT = 200;

/** `81.5 % [75-87]` */
const rate = (of: Rate): string => (of.value === null ? '-' : `${percent(of.value)} [${interval(of)}]`);

export const markdown: ReportRenderer = {
  name: 'markdown',
  extension: 'md',
  *render(report) {
    const { model, data, clean, attacks, overall, seed } = report;
    yield `# Robustness of ${plain(model.name)}\n\n`;
    yield `${clean.accuracy.n} examples of ${plain(data.name)}, seed ${seed}. In brackets Wilson 95 % intervals, in %.\n\n`;
    if (model.defence !== undefined)
      yield `Defended: ${plain(model.defence)}. The attacks see the defended answers (adaptive).\n\n`;
    const degenerate = degenerateLine(model.name, clean);
    if (degenerate !== undefined) yield `> **${plain(degenerate)}**\n\n`;
    yield* judged(report);
    yield markdownTable(
      [
        'attack',
        'success rate',
        'accuracy under attack',
        'succeeded',
        'failed',
        'skipped',
        'errored',
        'perturbed words',
        'queries asked',
        'queries computed',
      ],
      [
        ...attacks.map((a) => [
          plain(a.name),
          `${rate(a.attackSuccessRate)} ${beside(a)}`.trim(),
          `${rate(a.accuracyUnderAttack)} ${beside(a)}`.trim(),
          ...[a.succeeded, a.failed, a.skipped, a.errored].map(String),
          percent(a.perturbedWords),
          a.queries.asked.toFixed(1),
          a.queries.computed.toFixed(1),
        ]),
        [
          '**any of them**',
          rate(overall.attackSuccessRate),
          rate(overall.accuracyUnderAttack),
          '',
          '',
          '',
          '',
          '',
          '',
          '',
        ],
      ],
    );
    yield '\nSkipped: the model was already wrong. Any of them: an example counts as broken when at least one attack broke it.\n\n';
    for (const a of attacks) {
      const own = [
        ...(a.noise === undefined ? [] : [`noise of the same size succeeds on ${rate(a.noise)}`]),
        ...(a.asText === undefined ? [] : [`as text it succeeds on ${rate(a.asText)}`]),
        ...(a.notApplicable === undefined ? [] : [plain(idleness(a))]),
        ...(a.untried === undefined ? [] : [`failed, ${plain(untried(a))}`]),
        ...(a.details === undefined ? [] : [`medians: ${plain(medians(a))}`]),
      ];
      yield `- ${[`${plain(a.name)}: ${plain(a.constraints.join('; ') || 'any edit')}`, ...own].join('; ')}\n`;
    }
    const qualities = qualityRows(attacks);
    if (qualities.length > 0) {
      yield `\n## Quality of the adversarial texts\n\n${qualityLegend(attacks)}\n\n`;
      yield markdownTable(
        ['attack', ...qualities.map(({ title }) => title.toLowerCase())],
        attacks.filter(({ quality }) => quality).map((a) => [plain(a.name), ...qualities.map(({ cell }) => cell(a))]),
      );
    }
    const swept = sweeps(report);
    if (swept !== undefined) {
      const [head, ...body] = swept[0]!.map((_, row) => swept.map((column) => plain(column[row]!)));
      yield `\n## Accuracy against the size of the perturbation, in mean embedding norms\n\n${markdownTable(head!, body)}`;
    }
    for (const a of attacks) yield* understood(a, model.labels);
    if (report.undefended !== undefined) {
      const columns = defenceColumns(report.undefended);
      const [head, ...body] = (columns[0] as string[]).map((_, row) =>
        columns.map((column) => plain(column[row] ?? '')),
      );
      yield `\n## What the defence is worth\n\n${markdownTable(head as string[], body)}\n${DEFENCE_ABOUT}\n`;
    }
    yield* unattacked(report);
    if (report.telling.length > 0) yield '\n## Most telling adversarial texts\n';
    for (const outcome of report.telling) {
      if (outcome.adversarial === undefined) continue;
      yield sample(outcome, outcome.adversarial, model.labels);
      const why = weighed(report, outcome);
      if (why) yield `\n${plain(why)}\n`;
    }
    yield* evidence(report);
    if (report.warnings.length > 0) yield `\n## Warnings\n\n${report.warnings.map((w) => `- ${plain(w)}\n`).join('')}`;
    yield* provenance(report);
  },
};

/** What the gate asked, and what it found. Nothing where no gate judged the run. */
function* judged({ gate }: Report): Iterable<string> {
  if (gate === undefined) return;
  yield `**Gate: ${gate.verdict}**\n\n`;
  for (const reason of gate.reasons) yield `- ${plain(reason)}\n`;
  if (gate.reasons.length > 0) yield '\n';
  const lines = gateLines(gate);
  if (lines.length === 0) return;
  yield markdownTable(
    ['asked', 'found', 'verdict'],
    lines.map((line) => [
      plain(line.asked),
      plain([line.found, ...line.notes].join('; ')),
      blocks(line) ? `**${line.verdict}**` : `${line.verdict}${line.level === 'warn' ? ' (warning)' : ''}`,
    ]),
  );
  yield '\n';
}

/** What successes are evidence toward, attacks of the same kind in one row. */
function* evidence({ attacks }: Report): Iterable<string> {
  if (attacks.length === 0) return;
  yield `\n## Evidence toward\n\nA success is evidence toward these entries, not proof of an attack on a whole system. ${plain(editions())}.\n\n`;
  yield markdownTable(
    ['attacks', 'entries'],
    evidenceRows(attacks).map(({ names, entries }) => [
      plain(names.join(', ')),
      entries.map(({ id, title }) => plain(`${id} ${title}`)).join('<br>'),
    ]),
  );
}

/** How often each capability fails, and minimal pairs. Nothing for attacks that probe none. */
function* understood(attack: AttackMetrics, labels: readonly string[]): Iterable<string> {
  const lines = capabilityRows(attack);
  if (lines.length === 0) return;
  const relations = relationsOf(attack);
  yield `\n## What the model fails to understand: ${plain(attack.name)}\n\n`;
  yield `Failed/asked, failure rate, its Wilson 95 % interval. ${WHAT_COUNTS}\n\n`;
  yield markdownTable(
    ['capability', ...relations],
    lines.map((line) => [plain(line.capability), ...relations.map(line.cell)]),
  );
  yield `\n${relations.map((relation) => `- ${relation}: ${RELATIONS[relation]}\n`).join('')}`;
  const names = (of: readonly number[]): string =>
    of.map((label) => plain(labels[label] ?? String(label))).join(' or ');
  for (const { capability, relation, sample: pair, meaning } of minimalPairs(attack)) {
    yield `\n**${plain(capability)}**, ${relation}: expected ${names(pair.expected)} (${pair.score.toFixed(2)}), got ${names([pair.got])}. ${plain(meaning)}\n\n`;
    yield diff(pair.original, pair.text, false);
  }
}

/** How the model does before any attack. */
function* unattacked({ clean, model }: Report): Iterable<string> {
  yield `\n## Without attack\n\nAccuracy ${rate(clean.accuracy)}, macro F1 ${percent(clean.macroF1)}, expected calibration error ${percent(clean.calibration.error)}.\n\n`;
  yield markdownTable(
    ['label', 'precision', 'recall', 'F1', 'examples', ...model.labels.map((label) => `as ${plain(label)}`)],
    clean.perClass.map((row, i) => [
      plain(row.label),
      percent(row.precision),
      percent(row.recall),
      percent(row.f1),
      String(row.support),
      ...(clean.confusion[i] ?? []).map(String),
    ]),
  );
}

/** A diff block: hosts highlight it, and inside it nothing is markup. `listed`: with the changes once more below. */
function diff(before: string, after: string, listed = true): string {
  const segments = excerpt(wordDiff(before, after), CONTEXT);
  const side = (of: 'from' | 'to'): string => visible(segments.map((s) => (s.changed ? s[of] : s.text)).join(''));
  const changes = listed ? segments.flatMap((s) => (s.changed ? [changeOf(s)] : [])) : [];
  const list = changes.length === 0 ? '' : `\n! ${changes.join(', ')}`;
  return fenced('diff', `- ${side('from')}\n+ ${side('to')}${list}`);
}

function sample(outcome: Outcome, adversarial: string, labels: readonly string[]): string {
  const label = (index: number): string => plain(labels[index] ?? String(index));
  return [
    `\n**${plain(outcome.attack)}**, example ${plain(outcome.id)}: ${label(outcome.from)} → ${label(outcome.to)}`,
    ` (${label(outcome.label)} ${outcome.scoreBefore.toFixed(2)} → ${outcome.scoreAfter.toFixed(2)}, ${outcome.queries.asked} queries)\n\n`,
    diff(outcome.text, adversarial),
  ].join('');
}

function changeOf({ from, to }: Extract<Segment, { changed: true }>): string {
  const alike = lookAlikes(from, to);
  return `${visible(from)} -> ${visible(to)}${alike.length === 0 ? '' : ` (${alike.join(', ')})`}`;
}

/** What it takes to get the same numbers again. */
function* provenance({
  model,
  data,
  engine,
  toolVersion,
  run,
  provenance: made,
  command,
  verdict,
}: Report): Iterable<string> {
  yield '\n## Provenance\n\n';
  yield markdownTable(
    ['what', 'which'],
    [
      ['model', plain(`${model.name}, sha256 ${model.sha256}`)],
      ...(model.output === undefined ? [] : [['output', outputLine(model.output)]]),
      ['data', plain(`${data.name}, sha256 ${data.sha256}`)],
      ['engine', `${engine}, robust ${plain(toolVersion)}`],
      ['run', plain(run)],
      ...(made === undefined
        ? []
        : [['machine', plain([made.hardware, made.platform].filter((part) => part !== '').join('; '))]]),
      ['verdict', verdict],
    ],
  );
  yield `\n${fenced('sh', visible(command))}`;
}
