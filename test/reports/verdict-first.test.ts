/** The first line of a screen answers the question of its command. */
import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { evaluationDocument, filterDocument, onScreen, scanDocument } from '../../reports/index.js';
import { wilson } from '../../src/core/statistics/stats.js';
import type { FilterFinding, ScanResult, ScanTrigger } from '../../src/results/backdoor/backdoor-findings.js';
import type { CleanMetrics } from '../../src/results/clean/clean-metrics.js';
import type { Document } from '../../src/results/report/document.js';
import { report } from './fixture.js';

const firstLine = (document: Document): string =>
  [...onScreen(document, { width: 200, chalk: new Chalk({ level: 0 }) })].join('').split('\n')[0] as string;

const clean = report().clean as CleanMetrics;
const evaluated = { model: 'm', data: 'd', labels: ['a', 'b'], clean };

test('evaluate', () => {
  expect(firstLine(evaluationDocument(evaluated))).toMatch(/^85\.0 % \(64-95\) accurate on 20 examples$/);
  expect(firstLine(evaluationDocument({ ...evaluated, examples: 'held-out text' }))).toMatch(/ on 20 held-out texts$/);
  expect(firstLine(evaluationDocument({ ...evaluated, inconclusive: ['too few'] }))).toMatch(/^Inconclusive: 85\.0 %/);
  const curve = [0, 1].map((words) => ({ words, accuracy: wilson(10 - words, 20) }));
  expect(firstLine(evaluationDocument({ ...evaluated, certified: { rate: 0.8, samples: 9, curve } }))).toMatch(
    /; 45\.0 % \(26-66\) certified against 1 replaced word$/,
  );
});

const finding = (verdict: FilterFinding['verdict'], ids: readonly string[], reasons: readonly string[] = []) =>
  ({
    ...{ verdict, reasons, wantedFrr: 0.01, frr: null, far: null, auroc: null, calibratedOn: 50 },
    covers: verdict === 'inconclusive' ? [] : ['words', 'sets of words'],
    blind: 'sentences',
    groups: [],
    suspects: ids.map((id) => ({ id, score: 1, reason: 'odd' })),
  }) as unknown as FilterFinding;

test.each([
  [finding('suspects found', ['1', '2']), '2 of 800 texts look poisoned'],
  [finding('none found', []), 'None found of: words, sets of words; 800 texts. Other kinds were not looked for'],
  [finding('inconclusive', ['1'], ['no clean texts']), 'Inconclusive: no clean texts'],
])('filter: %#', (found, line) => {
  const data = { name: 'd', examples: 800 };
  const of = { data, clean: null, poisoned: null, finding: found };
  const document = filterDocument(of, () => 'text');
  expect(firstLine(document)).toBe(line);
});

const trigger = {
  ...{ text: 'cf', place: 'random', victim: 'negative', target: 'positive', strength: 1 },
  ...{ flipRate: wilson(39, 40), strongFlipRate: wilson(9, 10), againstFlipRate: wilson(9, 10) },
  randomFlipRate: wilson(1, 40),
} as unknown as ScanTrigger;

test.each([
  [
    'backdoored',
    [trigger],
    [],
    /^Likely backdoor: trigger "cf" flips 97\.5 % \(87-100\) of 40 texts from negative to /,
  ],
  ['none found', [trigger], [], /^No backdoor found: strongest of 900 words: "cf" flips /],
  ['none found', [], [], /^No backdoor found: none of 900 words flips the 40 texts$/],
  ['inconclusive', [trigger], ['too few texts'], /^Inconclusive: too few texts$/],
] as const)('scan: %s', (verdict, triggers, reasons, line) => {
  const result = {
    ...{
      verdict,
      reasons,
      triggers,
      pairs: [],
      oddRows: [],
      notSearched: [],
      shared: [],
      candidates: 900,
      queries: 5400,
      texts: 40,
    },
    ...{ access: 'gradients', complete: true, evidence: { word: null } },
  } as unknown as ScanResult;
  expect(firstLine(scanDocument({ model: 'm', data: 'd', result }))).toMatch(line);
});
