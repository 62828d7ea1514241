import { describe, expect, test } from 'vitest';
import { junit } from '../../reports/junit.js';
import { wilson } from '../../src/core/statistics/stats.js';
import type { Report } from '../../src/plugin.js';
import { attack, report, text } from './fixture.js';
import { hostileReport } from './hostile.js';
import { checkJunit } from './junit-schema.js';
import { type Element, parseXml } from './xml.js';

const rendered = async (what: Report): Promise<Element> => parseXml(await text(junit.render(what)));
const cases = (root: Element): Element[] =>
  root.children.flatMap((suite) => suite.children.filter(({ name }) => name === 'testcase'));

const gate: NonNullable<Report['gate']> = {
  verdict: 'failed',
  thresholds: [
    ['typos.attackSuccessRate', 'error', 'failed', {}],
    ['overall.accuracyUnderAttack', 'warn', 'failed', {}],
    ['clean.accuracy', 'error', 'passed', {}],
    ['clean.macroF1', 'error', 'inconclusive', { reason: 'the interval holds the limit' }],
    [
      'fgsm.attackSuccessRate',
      'error',
      'failed',
      { waiver: { metric: 'x', owner: 'ann', reason: 'known', expires: '2030-01-01' } },
    ],
  ].map(([metric, level, verdict, rest]) => ({
    metric,
    level,
    verdict,
    expected: '<= 0.3',
    actual: wilson(14, 17),
    ci: 'value',
    ...(rest as object),
  })) as NonNullable<Report['gate']>['thresholds'],
  reasons: ['too many examples errored'],
};

describe.each([
  ['a run', report()],
  ['no attacks', report({ attacks: [] })],
  ['a gate', report({ gate })],
  ['hostile texts', hostileReport(7)],
])('%s', (_, what) => {
  test('follows the schema, and its counts are true', async () => {
    const root = await rendered(what);
    checkJunit(root);
    for (const [element, members] of [
      [root, cases(root)],
      ...root.children.map((suite) => [suite, cases({ ...root, children: [suite] })]),
    ] as [Element, Element[]][]) {
      const having = (kind: string): string =>
        String(members.filter(({ children }) => children.some(({ name }) => name === kind)).length);
      expect(element.attributes).toMatchObject({
        tests: String(members.length),
        failures: having('failure'),
        errors: having('error'),
      });
    }
  });
});

test('a gate fails what must hold, and reports the rest', async () => {
  const suite = (await rendered(report({ gate }))).children[0]!;
  const verdicts = suite.children
    .filter(({ name }) => name === 'testcase')
    .map(({ attributes, children }) => [
      attributes.name!.split(' ')[0],
      children.find(({ name }) => name !== 'system-out')?.name,
    ]);
  expect(verdicts).toEqual([
    ['typos.attackSuccessRate', 'failure'],
    ['overall.accuracyUnderAttack', undefined],
    ['clean.accuracy', undefined],
    ['clean.macroF1', 'error'],
    ['fgsm.attackSuccessRate', undefined],
    ['too', 'error'],
  ]);
});

test('an attack that had nothing to attack is skipped, one that broke down is an error', async () => {
  const attacks = [attack('deepwordbug', 0, 0), attack('pruthi', 0, 0, { errored: 4 }), attack('textbugger', 1, 1)];
  const found = cases(await rendered(report({ attacks }))).map(({ children }) => children[0]?.name);
  expect(found).toEqual(['skipped', 'error', 'system-out']);
});
