/** Checks that read outcomes, the verdict of all checks, and what reports and the gate make of it. */
import { describe, expect, test } from 'vitest';
import { trustSection } from '../../reports/documents/trust.js';
import type { Outcome } from '../../src/core/outcome.js';
import type { DiagnosticFacts, Trustworthy } from '../../src/results/diagnostics/check.js';
import { withoutQueries } from '../../src/results/diagnostics/evidence.js';
import { DiagnosticFold } from '../../src/results/diagnostics/fold.js';
import {
  CHECKS,
  distrusted,
  judgeTrust,
  MIN_DIAGNOSED,
  MIN_PASSED,
  trustLine,
} from '../../src/results/diagnostics/index.js';

const attack = (name: string, succeeded = 10, failed = 10, tied = 0) => ({ name, succeeded, failed, tied });

const factsOf = (changes: Partial<DiagnosticFacts> = {}): DiagnosticFacts => ({
  attacks: [attack('charmer')],
  clean: {},
  failures: new Map(),
  queryBudget: undefined,
  compared: [],
  evidence: undefined,
  survivors: new Set(),
  ...changes,
});

const statusOf = (name: string, facts: Partial<DiagnosticFacts>) =>
  judgeTrust(factsOf(facts)).checks.find((check) => check.name === name)?.status;

const pair = (onlyA: number, onlyB: number) => ({
  ...{ a: 'a', b: 'b' },
  counts: { both: 5, onlyA, onlyB, neither: 5 },
});

describe('checks of outcomes', () => {
  test.each<[string, Partial<DiagnosticFacts>, string | undefined]>([
    ['ties', { attacks: [attack('charmer', 10, 10, 2)] }, 'passed'],
    ['ties', { attacks: [attack('charmer', 10, 10, 3)] }, 'failed'],
    ['ties', { attacks: [attack('charmer', 2, 2, 2)] }, 'not applicable'],
    ['budget-spent', { failures: new Map([['charmer', { spent: 9, untried: 0 }]]) }, 'not applicable'],
    ['budget-spent', { queryBudget: 50, failures: new Map([['charmer', { spent: 2, untried: 0 }]]) }, 'passed'],
    ['budget-spent', { queryBudget: 50, failures: new Map([['charmer', { spent: 3, untried: 0 }]]) }, 'failed'],
    ['words-tried', { failures: new Map([['charmer', { spent: 0, untried: 6 }]]) }, 'passed'],
    ['words-tried', { failures: new Map([['charmer', { spent: 0, untried: 7 }]]) }, 'failed'],
    [
      'words-tried',
      {
        attacks: [attack('charmer'), attack('synonym')],
        failures: new Map([['synonym', { spent: 0, untried: 7 }]]),
      },
      'passed',
    ],
    ['limits-monotone', { compared: [] }, 'not applicable'],
    ['limits-monotone', { compared: [pair(6, 1)] }, 'passed'],
    ['limits-monotone', { compared: [pair(9, 1)] }, 'failed'],
    ['limits-monotone', { compared: [pair(1, 9)] }, 'passed'],
    ['answers-repeat', { clean: { repeatability: { asked: 16, changed: 0, difference: 1e-6 } } }, 'passed'],
    ['answers-repeat', { clean: { repeatability: { asked: 16, changed: 0, difference: 0.1 } } }, 'failed'],
    ['answers-repeat', { clean: { repeatability: { asked: 16, changed: 1, difference: 1e-6 } } }, 'failed'],
  ])('%s %#', (name, facts, status) => {
    expect(statusOf(name, facts)).toBe(status);
  });

  test('the fold counts spent budgets, untried texts, survivors and paired successes', () => {
    const options = { alphabet: 'letters' };
    const low = { name: 'charmer:max-edits=1', options: { ...options, maxEdits: 1 } };
    const high = { name: 'charmer:max-edits=3', options: { ...options, maxEdits: 3 } };
    const other = { name: 'standard-characters', options: {} };
    const evidence = { ...withoutQueries(''), examples: [{ id: 'x0', own: none, foreign: none }] };
    const fold = new DiagnosticFold([low, high, other], evidence, 50);
    const outcome = (name: string, at: number, status: Outcome['status'], asked: number) =>
      fold.add({ id: `x${at}`, attack: name, status, queries: { asked, computed: asked } } as Outcome, at);
    outcome(low.name, 0, 'succeeded', 9);
    outcome(high.name, 0, 'failed', 50);
    outcome(low.name, 1, 'failed', 1);
    outcome(high.name, 1, 'succeeded', 9);
    outcome(low.name, 2, 'skipped', 1);
    outcome(high.name, 2, 'succeeded', 9);
    outcome(other.name, 0, 'failed', 9);
    outcome(other.name, 1, 'failed', 9);
    const facts = fold.facts();
    expect(facts.compared).toEqual([
      { a: low.name, b: high.name, counts: { both: 0, onlyA: 1, onlyB: 1, neither: 0 } },
    ]);
    expect(facts.failures.get(high.name)).toEqual({ spent: 1, untried: 0 });
    expect(facts.failures.get(low.name)).toEqual({ spent: 0, untried: 1 });
    expect([...facts.survivors]).toEqual(['x0']);
  });
});

const none = { texts: 0, flipped: 0 };
const failing: Partial<DiagnosticFacts> = { attacks: [attack('charmer', 10, 10, 9)] };

describe('the verdict', () => {
  const answers = { examples: MIN_DIAGNOSED, distinct: 8, edited: 40, shared: 0 };
  const scores = { texts: 40, distinct: 40, saturated: 0, steps: 0, bands: { pairs: 0, near: 0, apart: 0 } };
  const long = { texts: 8, unanswered: 0, shared: 0 };

  test('is unknown without extra queries, with missing parts and with too few checks or examples; never yes', () => {
    expect(trustLine(judgeTrust(factsOf()))).toBe('unknown: the run made no extra queries');
    const evidence = { ...withoutQueries(''), missing: 'the query budget is spent' };
    expect(trustLine(judgeTrust(factsOf({ evidence })))).toBe('unknown: the query budget is spent');
    const { missing: _, ...queried } = evidence;
    expect(trustLine(judgeTrust(factsOf({ evidence: queried }), ['shard 2 of 4 is missing']))).toBe(
      'unknown: shard 2 of 4 is missing',
    );
    const few = { ...queried, answers: { ...answers, examples: MIN_DIAGNOSED - 1 }, scores, long };
    expect(trustLine(judgeTrust(factsOf({ evidence: few })))).toBe(
      'unknown: the checks queried 7 correctly classified examples, expected at least 8',
    );
    expect(trustLine(judgeTrust(factsOf({ evidence: { ...few, answers, long: withoutQueries('').long } })))).toBe(
      'unknown: 4 checks were applicable, expected at least 5',
    );
    expect(trustLine(judgeTrust(factsOf({ evidence: { ...few, answers } })))).toBe(`yes (${MIN_PASSED} checks)`);
  });

  test('covers every limit on the suite standard and on all attacks of its run, and no other', () => {
    const trustworthy = judgeTrust(factsOf(failing));
    const suites = [{ name: 'standard' }, { name: 'typos' }];
    const covered = ['worstCaseAccuracy', 'attackSuccessRate'].flatMap((figure) => [
      ...[`standard.${figure}`, `standard.characters.${figure}`, `standard-layout.${figure}`, `overall.${figure}`],
    ]);
    for (const metric of covered) expect(distrusted({ trustworthy, suites }, metric), metric).toContain('ties');
    for (const metric of ['clean.accuracy', 'typos.attackSuccessRate', 'charmer.attackSuccessRate'])
      expect(distrusted({ trustworthy, suites }, metric), metric).toBeUndefined();
    expect(distrusted({ trustworthy, suites: suites.slice(1) }, 'overall.attackSuccessRate')).toBeUndefined();
  });

  test('is no where a check failed, whatever is missing, and names the check and its evidence', () => {
    const trustworthy = judgeTrust(factsOf(failing), ['shard 2 of 4 is missing']);
    expect(trustLine(trustworthy)).toBe('no: ties: charmer: 9 of 20 examples end in a tie');
    expect(distrusted({ trustworthy, suites: [] }, 'standard.worstCaseAccuracy')).toBe(
      'not trustworthy: ties: charmer: 9 of 20 examples end in a tie',
    );
    const unknown = { trustworthy: judgeTrust(factsOf()), suites: [] };
    expect(distrusted(unknown, 'standard.worstCaseAccuracy')).toBeUndefined();
  });

  test('a screen shows it for the suite standard only; other documents list the checks', () => {
    const trustworthy: Trustworthy = judgeTrust(factsOf(failing));
    const suite = (name: string) =>
      ({ trustworthy, suites: [{ name }] }) as unknown as Parameters<typeof trustSection>[0];
    expect(trustSection(suite('standard'))[0]?.brief).toHaveLength(1);
    expect(trustSection(suite('typos'))[0]?.brief).toHaveLength(0);
    expect(JSON.stringify(trustSection(suite('typos')))).toContain('9 of 20 examples end in a tie');
    expect(trustSection({ suites: [] })).toEqual([]);
  });
});

test('each check has a name of its own and cites its source', () => {
  expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
  for (const { source, title } of CHECKS) {
    expect(source).toMatch(/20(?:18|19|20|22)/);
    expect(title).toMatch(/\.$/);
  }
});
