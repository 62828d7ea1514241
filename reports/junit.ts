/**
 * @file The report for CI servers (GitLab, Jenkins and others read it): a test case for each question of the gate and one for
 * each attack. Elements and attributes are those of Jenkins' junit-10.xsd.
 */
import { quantity } from '../src/core/figure-text.js';
import { degeneracy, degenerateLine } from '../src/results/clean/degenerate.js';
import type { Comparison, ComparisonReport } from '../src/results/comparison/comparison.js';
import type { AttackMetrics } from '../src/results/measures/attack-metrics.js';
import type { LeftOut } from '../src/results/report/left-out.js';
import type { Renderer, Report, ReportRenderer } from '../src/results/report/report.js';
import type { GateResult } from '../src/results/report/verdict.js';
import { rateMetrics } from '../src/tasks/rate-words.js';
import { pairRows, stateOf, verdictLine } from './documents/compared-rows.js';
import { againstFirst } from './documents/comparison.js';
import { blocks, gateLines } from './documents/gate.js';
import { furtherMetrics, inapplicability, lineOf, saidOf } from './metrics.js';
import { overridesIn } from './overrides.js';
import { visible } from './visible.js';

interface Case {
  readonly name: string;
  readonly seconds?: number;
  /** `failure`: the requirement is violated; `error`: it could not be measured. */
  readonly result?: { readonly kind: 'failure' | 'error' | 'skipped'; readonly message: string };
  /** Lines shown with the case. */
  readonly out: readonly string[];
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Text for content and attributes. Invisible characters, and those that XML 1.0 cannot contain (section 2.2), are shown by their code
 * points.
 */
export const xmlText = (text: string): string => visible(text).replace(/[&<>"]/g, (sign) => ENTITIES[sign] as string);

export const junit: ReportRenderer = {
  name: 'junit',
  extension: 'xml',
  *render(report) {
    const suites = [
      ...(report.gate === undefined ? [] : [{ name: 'gate', cases: [...gateCases(report.gate)] }]),
      {
        name: 'attacks',
        cases: [
          ...victimCase(report),
          ...report.attacks.map((attack) => attackCase(attack, report)),
          ...(report.leftOut ?? []).map(leftOutCase),
        ],
      },
    ];
    yield* suitesText(`robust: ${report.model.name} on ${report.data.name}`, suites, factsOf(report));
  },
};

/** A case a model, and attack or suite: it fails where the model is worse than the first one by more than chance. */
export const comparisonJunit: Renderer<ComparisonReport> = {
  name: 'junit',
  extension: 'xml',
  *render(report) {
    const names = report.models.map(({ name }) => name).join(', ');
    const reasons = report.reasons.map(
      (reason): Case => ({ name: reason, out: [], result: { kind: 'error', message: reason } }),
    );
    const suites = againstFirst(report).map(({ b, comparison, doubtful }) => ({
      name: `${b.name} against ${report.models[0]?.name}`,
      cases: [...reasons, ...comparedCases(comparison, doubtful)],
    }));
    const { data, seed, toolVersion, command } = report;
    const facts = {
      data: data.name,
      'data.sha256': data.sha256,
      seed: String(seed),
      version: toolVersion,
      ...overridesIn(report),
      command,
    };
    yield* suitesText(`robust: ${names} on ${data.name}`, suites, facts);
  },
};

function comparedCases(comparison: Omit<Comparison, 'models'>, doubtful: boolean): Case[] {
  return pairRows(comparison).map((row) => {
    const message = verdictLine(row.title, row);
    const state = stateOf(row);
    if (state === 'unknown') return { name: row.title, out: [message], result: { kind: 'skipped', message } };
    if (doubtful)
      return { name: row.title, out: [message], result: { kind: 'error', message: `inconclusive: ${message}` } };
    return { name: row.title, out: [message], ...(state === 'worse' && { result: { kind: 'failure', message } }) };
  });
}

type Facts = Readonly<Record<string, string>>;

function* suitesText(
  title: string,
  suites: readonly { readonly name: string; readonly cases: readonly Case[] }[],
  facts: Facts,
): Iterable<string> {
  const all = suites.flatMap(({ cases }) => cases);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites name="${xmlText(title)}" ${totals(all)}>\n`;
  for (const { name, cases } of suites) {
    yield `  <testsuite name="${xmlText(name)}" ${totals(cases)} skipped="${count(cases, 'skipped')}">\n`;
    yield `    <properties>\n${properties(facts)}    </properties>\n`;
    for (const each of cases) yield renderCase(each, xmlText(`robust.${name}`));
    yield '  </testsuite>\n';
  }
  yield '</testsuites>\n';
}

/** A gate says itself what it makes of a degenerate victim. */
function victimCase({ clean, model, gate }: Report): Case[] {
  const message = degenerateLine(model.name, clean);
  if (message === undefined || gate !== undefined) return [];
  return [{ name: 'victim', result: { kind: 'error', message }, out: [] }];
}

const leftOutCase = ({ name, reason }: LeftOut): Case => ({
  name,
  result: { kind: 'skipped', message: `left out: ${reason}` },
  out: [],
});

const count = (cases: readonly Case[], kind: string): number =>
  cases.filter(({ result }) => result?.kind === kind).length;

const totals = (cases: readonly Case[]): string => {
  const seconds = cases.reduce((sum, each) => sum + (each.seconds ?? 0), 0);
  return `tests="${cases.length}" failures="${count(cases, 'failure')}" errors="${count(cases, 'error')}" time="${seconds.toFixed(3)}"`;
};

const factsOf = ({ headline, model, data, clean, seed, toolVersion, run, provenance, command }: Report): Facts => ({
  headline,
  model: model.name,
  'model.sha256': model.sha256,
  data: data.name,
  'data.sha256': data.sha256,
  ...(degeneracy(clean).length > 0 && { degenerate: degeneracy(clean).join('; ') }),
  seed: String(seed),
  version: toolVersion,
  run,
  ...overridesIn({ provenance }),
  command,
});

const properties = (facts: Facts): string =>
  Object.entries(facts)
    .map(([name, value]) => `      <property name="${name}" value="${xmlText(value)}"/>\n`)
    .join('');

function* gateCases(gate: GateResult): Iterable<Case> {
  for (const line of gateLines(gate)) {
    const message = [`${line.asked}: ${line.found}`, ...line.notes].join('; ');
    const kind = line.verdict === 'failed' ? 'failure' : 'error';
    yield {
      name: line.asked,
      out: [`${line.verdict}${line.level === 'warn' ? ' (a warning)' : ''}: ${message}`],
      ...(blocks(line) && { result: { kind, message } }),
    };
  }
  for (const reason of gate.reasons) yield { name: reason, out: [], result: { kind: 'error', message: reason } };
}

function attackCase(attack: AttackMetrics, report: Report): Case {
  const { attackSuccessRate: asr, errored, tied } = attack;
  return {
    name: attack.name,
    seconds: attack.seconds,
    out: [
      ...rateMetrics(report).flatMap((metric) => lineOf(metric, attack) ?? []),
      `succeeded ${attack.succeeded}, failed ${attack.failed}${tied > 0 ? ` (${tied} tied)` : ''}, skipped ${attack.skipped}, errored ${errored}`,
      ...furtherMetrics(report).flatMap((metric) => lineOf(metric, attack) ?? []),
      `under: ${saidOf(attack, report)}`,
    ],
    ...(attack.notApplicable !== undefined && {
      result: { kind: 'skipped' as const, message: inapplicability(attack).join() },
    }),
    ...(asr.n === 0 &&
      attack.notApplicable === undefined && {
        result:
          errored > 0
            ? { kind: 'error', message: `all ${quantity(errored, 'example')} errored` }
            : { kind: 'skipped', message: 'no example was attacked' },
      }),
  };
}

function renderCase({ name, seconds = 0, result, out }: Case, group: string): string {
  const head = `    <testcase classname="${group}" name="${xmlText(name)}" time="${seconds.toFixed(3)}"`;
  const lines = [
    ...(result === undefined ? [] : [`      <${result.kind} message="${xmlText(result.message)}"/>\n`]),
    ...(out.length === 0 ? [] : [`      <system-out>${out.map(xmlText).join('\n')}</system-out>\n`]),
  ];
  return lines.length === 0 ? `${head}/>\n` : `${head}>\n${lines.join('')}    </testcase>\n`;
}
