/** Comparisons in formats for other programs. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { comparisonFormats } from '../../reports/index.js';
import type { ComparisonReport } from '../../src/results/comparison/comparison.js';
import { attack, model, rates } from './comparison.js';
import { text } from './fixture.js';
import { checkJunit } from './junit-schema.js';
import { compiled, PUBLISHED } from './sarif-schema.js';
import { parseXml } from './xml.js';

const compared = {
  clean: rates(180, 181),
  attacks: [attack('worse', 'typos', 120, 60), attack('better', 'typos', 60, 120), attack('alike', null, 90, 92)],
  suites: [],
  overall: rates(60, 60),
  newlyBroken: [],
  newlyMended: [],
};
const nothing = { value: null, low: null, high: null, n: 0 };
const empty = { a: nothing, b: nothing, difference: nothing, mcnemarP: null };

/** A model against two others, with names that every format must escape. */
const report = (rest: Partial<ComparisonReport> = {}): ComparisonReport => ({
  ...{ models: [model('./a & "b"'), model('b\n<b>'), model('c')], data: { name: 'd]]>', sha256: 'x', examples: 200 } },
  ...compared,
  further: [{ ...compared, models: [model('a'), model('c')], attacks: [], clean: empty }],
  ...{ seed: 1, transfer: [], verdict: 'none', reasons: [], toolVersion: '0.1.0', command: 'robust compare "a" b' },
  ...rest,
});
const doubtful = report({ verdict: 'inconclusive', reasons: ['the runs share no example'] });

const rendered = (format: string, what: ComparisonReport): Promise<string> => {
  const found = comparisonFormats.find(({ name }) => name === format);
  if (found === undefined) throw new Error(`no format ${format}`);
  return text(found.render(what));
};

describe('JUnit', () => {
  const cases = async (what: ComparisonReport) => {
    const root = parseXml(await rendered('junit', what));
    checkJunit(root);
    return root.children.map((suite) =>
      suite.children
        .filter(({ name }) => name === 'testcase')
        .map(({ attributes, children }) => {
          const found = children.find(({ name }) => name !== 'system-out')?.name;
          return `${attributes.name}: ${found ?? 'passed'}`;
        }),
    );
  };

  test('fails where the other model is worse by more than chance', async () => {
    expect(await cases(report())).toEqual([
      ['unedited: passed', 'worse: failure', 'better: passed', 'alike: passed', 'any of all: passed'],
      ['unedited: skipped'],
    ]);
  });

  test('passes nothing where the runs say nothing', async () => {
    const [first] = await cases(doubtful);
    expect(first?.[0]).toBe('the runs share no example: error');
    expect(first?.slice(1).every((line) => line.endsWith(': error'))).toBe(true);
    const degenerate = report({
      models: [model('a'), { ...model('b'), degenerate: ['it says no to all'] }, model('c')],
    });
    expect((await cases(degenerate))[0]?.every((line) => line.endsWith(': error'))).toBe(true);
  });
});

describe('SARIF', () => {
  test.skipIf(!existsSync(PUBLISHED)).each([
    ['a comparison', report()],
    ['one that says nothing', doubtful],
  ])('%s is valid by the published schema (@microsoft/jest-sarif, where installed)', async (_, what) => {
    const valid = compiled(PUBLISHED);
    valid(JSON.parse(await rendered('sarif', what)));
    expect(valid.errors).toBeNull();
  });

  test('a result a model and attack, by the rule of its name; none passes where the runs say nothing', async () => {
    const kinds = async (what: ComparisonReport): Promise<string[]> => {
      const [{ tool, results }] = JSON.parse(await rendered('sarif', what)).runs;
      for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
      return results.map(({ ruleId, kind }: { ruleId: string; kind: string }) => `${ruleId}: ${kind}`);
    };
    expect(await kinds(report())).toEqual([
      ...['unedited: pass', 'worse: fail', 'better: pass', 'alike: pass', 'any of all: pass'],
      'unedited: notApplicable',
    ]);
    expect((await kinds(doubtful)).filter((line) => line.endsWith('pass'))).toEqual([]);
  });
});
