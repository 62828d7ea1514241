/** @file The report for code scanners (SARIF 2.1.0, OASIS): a rule an attack, one result for all that it broke. */
import { createHash } from 'node:crypto';
import type { Outcome } from '../src/core/outcome.js';
import { exampleTexts } from '../src/core/pair.js';
import { degeneracy } from '../src/results/clean/degenerate.js';
import type { ComparedModel, ComparisonReport } from '../src/results/comparison/comparison.js';
import type { AttackMetrics } from '../src/results/measures/attack-metrics.js';
import { valueAt } from '../src/results/measures/measure.js';
import type { Renderer, Report, ReportRenderer } from '../src/results/report/report.js';
import { rateMetrics } from '../src/tasks/rate-words.js';
import { type PairRow, pairRows, stateOf, verdictLine } from './documents/compared-rows.js';
import { againstFirst } from './documents/comparison.js';
import { blocks, type GateLine, gateLines } from './documents/gate.js';
import { json } from './json.js';
import { furtherMetrics, inapplicability, lineOf, reviewMetrics } from './metrics.js';
import { overridesIn } from './overrides.js';
import { visible } from './visible.js';

/** Adversarial texts shown with a result. */
const SAMPLES = 3;

/** Plain text of a message: brackets would make a link of it (section 3.11.6), braces a placeholder (3.11.5). */
const plain = (text: string): string =>
  visible(text)
    .replace(/[\\[\]]/g, '\\$&')
    .replace(/[{}]/g, '$&$&');

const message = (text: string) => ({ text: plain(text) });

export const sarif: ReportRenderer = {
  name: 'sarif',
  extension: 'sarif',
  *render(report) {
    const lines = report.gate === undefined ? [] : gateLines(report.gate);
    const ofGate = lines.filter(({ subject }) => !report.attacks.some(({ name }) => name === subject));
    const rules = [
      ...report.attacks.map(attackRule),
      ...(ofGate.length > 0 ? [{ id: 'gate', shortDescription: { text: 'Thresholds and the baseline' } }] : []),
    ];
    const results = [
      ...report.attacks.map((attack) => attackResult(report, attack, lines)),
      ...ofGate.map((line) => gateResult(report, line)),
    ];
    yield log({
      tool: { driver: { name: 'robust', semanticVersion: report.toolVersion, rules } },
      automationDetails: { id: `robust/${placeOf(report.model, report)}/${placeOf(report.data, report)}/` },
      invocations: [invocation(report.command, report.warnings)],
      properties: {
        headline: report.headline,
        run: report.run,
        seed: report.seed,
        engine: report.engine,
        verdict: report.verdict,
        ...overridesIn(report),
        modelSha256: report.model.sha256,
        dataSha256: report.data.sha256,
        ...(degeneracy(report.clean).length > 0 && { degenerate: degeneracy(report.clean) }),
      },
      results,
    });
  },
};

/** A rule an attack or suite; a result a model after the first, which fails where it is worse than the first by more than chance. */
export const comparisonSarif: Renderer<ComparisonReport> = {
  name: 'sarif',
  extension: 'sarif',
  *render(report) {
    const pairs = againstFirst(report).map((pair) => ({ ...pair, rows: pairRows(pair.comparison) }));
    const titles = [...new Set(pairs.flatMap(({ rows }) => rows.map(({ title }) => title)))];
    yield log({
      tool: {
        driver: {
          name: 'robust',
          semanticVersion: report.toolVersion,
          rules: titles.map((title) => ({
            id: title,
            shortDescription: message(
              `${report.figures === undefined ? 'Accuracy' : 'Figure'} against that of the first model: ${title}`,
            ),
          })),
        },
      },
      automationDetails: {
        id: `robust/${report.models.map((model) => placeOf(model, report)).join(' ')}/${placeOf(report.data, report)}/`,
      },
      invocations: [invocation(report.command, report.reasons)],
      properties: {
        seed: report.seed,
        verdict: report.verdict,
        dataSha256: report.data.sha256,
        ...overridesIn(report),
      },
      results: pairs.flatMap(({ b, rows, doubtful }) =>
        rows.map((row) => comparedResult(report, b, row, { titles, doubtful })),
      ),
    });
  },
};

function comparedResult(
  report: ComparisonReport,
  b: ComparedModel,
  row: PairRow,
  { titles, doubtful }: { readonly titles: readonly string[]; readonly doubtful: boolean },
) {
  const [a] = report.models;
  const state = stateOf(row);
  const found = gravity(state === 'unknown' ? 'nothing' : state === 'worse' ? 'broken' : 'held');
  return {
    ruleId: row.title,
    ruleIndex: titles.indexOf(row.title),
    ...(doubtful && state !== 'unknown' ? OPEN : found),
    message: message(`${b.name} against ${a?.name}: ${verdictLine(row.title, row)}.`),
    locations: location(b, report),
    partialFingerprints: fingerprint(b, report, `${row.title} against ${a && placeOf(a, report)}`),
    properties: { ...valuesOf(row), difference: row.rates.difference, p: row.p },
  };
}

const valuesOf = ({ metric, rates: { a, b } }: PairRow) =>
  metric.startsWith('accuracy') ? { accuracyA: a, accuracyB: b } : { figure: metric, valueA: a, valueB: b };

const log = (run: object): string =>
  `${json({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] })}\n`;

const invocation = (commandLine: string, warnings: readonly string[]) => ({
  executionSuccessful: true,
  commandLine,
  toolExecutionNotifications: warnings.map((warning) => ({ level: 'warning', message: message(warning) })),
});

function attackRule(attack: AttackMetrics) {
  const rules = attack.constraints.join('; ') || 'any edit';
  return {
    id: attack.name,
    shortDescription: message(`Predictions turned by ${attack.name}`),
    fullDescription: message(`${attack.name} rewrites texts (${rules}) until the model's prediction turns.`),
    help: message(`Under: ${rules}.`),
    properties: {
      tags: ['robustness', ...(attack.suite === null ? [] : [attack.suite])],
      constraints: attack.constraints,
      options: attack.options,
    },
  };
}

function attackResult(report: Report, attack: AttackMetrics, lines: readonly GateLine[]) {
  const { name, succeeded, originalAccuracy, accuracyUnderAttack, attackSuccessRate: asr } = attack;
  const judged = lines.filter(({ subject }) => subject === name);
  const samples = report.closest.filter((outcome) => outcome.attack === name).slice(0, SAMPLES);
  const said = [
    ...inapplicability(attack).map((why) => `${name} is ${why}.`),
    asr.n === 0
      ? `${name} had no example to attack.`
      : `${name} flipped ${succeeded} of ${asr.n} correct predictions of ${report.model.name}. ${[
          ...rateMetrics(report),
          ...reviewMetrics(report),
        ]
          .flatMap((metric) => lineOf(metric, attack) ?? [])
          .join('; ')} (95 % intervals).`,
    ...judged.map(({ asked, verdict }) => `${asked}: ${verdict}.`),
  ];
  return {
    ruleId: name,
    ruleIndex: report.attacks.indexOf(attack),
    ...sure(
      report,
      gravity(
        asr.n === 0 || (attack.applicable === false && succeeded === 0 && judged.length === 0)
          ? 'nothing'
          : judged.length > 0
            ? judged
            : succeeded > 0
              ? 'broken'
              : 'held',
      ),
    ),
    message: message(said.join(' ')),
    occurrenceCount: Math.max(1, succeeded),
    locations: location(report.model, report),
    partialFingerprints: fingerprint(report.model, report, name),
    properties: {
      originalAccuracy,
      accuracyUnderAttack,
      attackSuccessRate: asr,
      succeeded,
      failed: attack.failed,
      tied: attack.tied,
      skipped: attack.skipped,
      errored: attack.errored,
      ...(attack.notApplicable && { notApplicable: attack.notApplicable.n }),
      ...Object.fromEntries(
        [...rateMetrics(report), ...furtherMetrics(report)].map(({ key }) => [key, valueAt(attack, key)]),
      ),
      samples: samples.map((outcome) => sample(outcome, report.model.labels)),
    },
  };
}

const gateResult = (report: Report, line: GateLine) => ({
  ruleId: 'gate',
  ruleIndex: report.attacks.length,
  ...sure(report, gravity([line])),
  message: message([`${line.asked}: ${line.found}`, ...line.notes].join('; ')),
  locations: location(report.model, report),
  partialFingerprints: fingerprint(report.model, report, line.asked),
});

/** Where there is no gate, a broken prediction is a warning: whether it is too many is nobody's verdict yet. */
function gravity(what: readonly GateLine[] | 'nothing' | 'broken' | 'held') {
  if (what === 'nothing') return { kind: 'notApplicable', level: 'none' };
  if (what === 'broken') return { kind: 'fail', level: 'warning' };
  if (what === 'held' || what.every(({ verdict }) => verdict === 'passed')) return { kind: 'pass', level: 'none' };
  return { kind: 'fail', level: what.some(blocks) ? 'error' : 'warning' };
}

/** Nothing holds of a victim that answers all texts alike: whether there is a problem is open (section 3.27.9). */
const sure = ({ clean }: Report, found: ReturnType<typeof gravity>): ReturnType<typeof gravity> =>
  found.kind === 'pass' && degeneracy(clean).length > 0 ? OPEN : found;

const OPEN = { kind: 'open', level: 'none' };

type Named = { readonly name: string };
type Told = { readonly command: string; readonly data: Named; readonly models?: readonly Named[] };

/**
 * The path by which the command names a model or data, with what its name has besides, such as a defence; else the name. Two models of one
 * comparison that are called alike are named in their order.
 */
function placeOf(it: Named, { command, models = [] }: Told): string {
  const words = [...command.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const [base = '', ...more] = it.name.split('+');
  const named = words.filter(
    (word) =>
      /[\\/]/.test(word) &&
      word.split(/[\\/]/).some((part) => part.replace(/(?<=.)\.\w+$/, '') === base || part === base),
  );
  const alike = models.filter(({ name }) => name === it.name);
  const found = named[Math.max(0, alike.indexOf(it))] ?? named[0];
  return [found ?? base, ...more].join('+').replace(/^\.[\\/]/, '');
}

/** The defences that a model's name ends in; another plus sign belongs to the file. */
const DEFENCES = /(?:\+[a-z][a-z\d]*(?:-[a-z\d]+)*)+$/;

/** Scanners want a file: the model's path as a relative reference (RFC 3986), and its name beside it. */
const location = (model: Named, told: Told) => [
  {
    physicalLocation: {
      artifactLocation: { uri: placeOf(model, told).replace(DEFENCES, '').split(/[\\/]/).map(encoded).join('/') },
      region: { startLine: 1 },
    },
    logicalLocations: [{ fullyQualifiedName: model.name, kind: 'resource' }],
  },
];

/** A lone surrogate has no UTF-8 and so no percent-encoding. */
const encoded = (part: string): string => encodeURIComponent(visible(part));

/** The same for the same model, data and attack, whatever the rates: a scanner follows one alert through the releases. */
const fingerprint = (model: Named, told: Told, of: string) => ({
  'robust/v1': createHash('sha256')
    .update(json([placeOf(model, told), placeOf(told.data, told), of]))
    .digest('hex'),
});

function sample(outcome: Outcome, labels: readonly string[]) {
  const { id, adversarial = null, label, to } = outcome;
  const { attacked: _, ...texts } = exampleTexts(outcome);
  return { id, ...texts, adversarial, label: labels[label] ?? label, to: labels[to] ?? to };
}
