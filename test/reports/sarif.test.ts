import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sarif } from '../../reports/sarif.js';
import { wilson } from '../../src/core/statistics/stats.js';
import type { Report } from '../../src/plugin.js';
import { attack, report, text } from './fixture.js';
import { hostileReport } from './hostile.js';
import { compiled, OWN, PUBLISHED } from './sarif-schema.js';

const gated = (verdict: 'passed' | 'failed', rest: object = {}): NonNullable<Report['gate']> => ({
  verdict,
  thresholds: [
    {
      metric: 'deepwordbug.attackSuccessRate',
      level: 'error',
      expected: '<= 0.30',
      actual: wilson(14, 17),
      ci: 'value',
      verdict,
      ...rest,
    },
    {
      metric: 'overall.accuracyUnderAttack',
      level: 'error',
      expected: '>= 0.1',
      actual: wilson(0, 20),
      ci: 'value',
      verdict,
    },
  ],
  reasons: [],
});

const reports: [string, Report][] = [
  ['a run', report()],
  ['a run without attacks', report({ attacks: [], closest: [], suites: [] })],
  ['a gate that failed', report({ gate: gated('failed') })],
  ['a gate that passed', report({ gate: gated('passed') })],
  ['names from the Hub', report({ model: { name: 'hf:org/name@main', sha256: 'a'.repeat(64), labels: ['a', 'b'] } })],
  ...[0, 60, 120].map((start): [string, Report] => [`hostile texts, ${start}`, hostileReport(start)]),
];

describe.each(reports)('%s', (_, what) => {
  test('is SARIF, by our own strict schema of what we use', async () => {
    const valid = compiled(OWN);
    valid(JSON.parse(await text(sarif.render(what))));
    expect(valid.errors).toBeNull();
  });

  test.skipIf(!existsSync(PUBLISHED))(
    'is SARIF, by the published schema (@microsoft/jest-sarif, where installed)',
    async () => {
      const valid = compiled(PUBLISHED);
      valid(JSON.parse(await text(sarif.render(what))));
      expect(valid.errors).toBeNull();
    },
  );

  test('refers to rules that are there', async () => {
    const [run] = JSON.parse(await text(sarif.render(what))).runs;
    const { rules } = run.tool.driver;
    for (const { ruleId, ruleIndex } of run.results) expect(rules[ruleIndex].id).toBe(ruleId);
  });
});

const firstResult = async (what: Report) => JSON.parse(await text(sarif.render(what))).runs[0].results[0];

test.each([
  ['without a gate a success warns', report(), { kind: 'fail', level: 'warning' }],
  ['none succeeded', report({ attacks: [attack('deepwordbug', 0, 17)] }), { kind: 'pass', level: 'none' }],
  ['nothing to attack', report({ attacks: [attack('deepwordbug', 0, 0)] }), { kind: 'notApplicable', level: 'none' }],
  ['the gate failed', report({ gate: gated('failed') }), { kind: 'fail', level: 'error' }],
  ['the gate only warns', report({ gate: gated('failed', { level: 'warn' }) }), { kind: 'fail', level: 'warning' }],
  ['the gate passed', report({ gate: gated('passed') }), { kind: 'pass', level: 'none' }],
  [
    'somebody answers for it',
    report({ gate: gated('failed', { waiver: { metric: 'x', owner: 'o', reason: 'r', expires: '2030-01-01' } }) }),
    { kind: 'fail', level: 'warning' },
  ],
])('%s', async (_, what, expected) => expect(await firstResult(what)).toMatchObject(expected));

test('an alert is the same in the next release, and another for other data', async () => {
  const of = async (rest: Partial<Report>) => (await firstResult(report(rest))).partialFingerprints;
  const first = await of({});
  expect(await of({ attacks: [attack('deepwordbug', 3, 14)], run: 'another', toolVersion: '0.2.0' })).toEqual(first);
  expect(await of({ data: { name: 'other', sha256: 'b', examples: 20 } })).not.toEqual(first);
});

test('models and data of one file name in two folders are told apart, and the uri names the file', () => {
  const of = (home: string, name: string) => {
    const model = { name, sha256: 'a'.repeat(64), labels: ['a', 'b'] };
    const command = `robust attack --model ${home}guard.mjs --data 'my data/dev.tsv' --seed 42`;
    const [run] = JSON.parse([...(sarif.render(report({ model, command })) as Iterable<string>)].join('')).runs;
    const [{ partialFingerprints, locations }] = run.results;
    return [
      run.automationDetails.id,
      JSON.stringify(partialFingerprints),
      locations[0].physicalLocation.artifactLocation.uri,
    ];
  };
  const [en, de, defended] = [of('./en/', 'guard'), of('./de/', 'guard'), of('./en/', 'guard+spelling')];
  for (const at of [0, 1]) expect(new Set([en[at], de[at], defended[at]]).size).toBe(3);
  expect([en[2], de[2], defended[2]]).toEqual(['en/guard.mjs', 'de/guard.mjs', 'en/guard.mjs']);
});
