/** Reports with everything a report can have. */

import type { DecisionRule } from '../../src/core/decision.js';
import { wilson } from '../../src/core/statistics/stats.js';
import type { Outcome, Report } from '../../src/plugin.js';
import type {
  ChangedExample,
  Comparison,
  ComparisonReport,
  PairedRates,
} from '../../src/results/comparison/comparison.js';
import type { AttackMetrics } from '../../src/results/measures/attack-metrics.js';
import { attackRates } from '../../src/results/measures/attack-rates.js';
import type { Curves } from '../../src/results/measures/curves.js';
import type { Explanation } from '../../src/results/report/explanation.js';
import type { Provenance } from '../../src/results/report/report.js';
import type { JudgedThreshold } from '../../src/results/report/verdict.js';
import { attack, measures, outcomes, report } from './fixture.js';

const probe = { capability: 'litotes', relation: 'MFT', text: 'Not bad.', expected: [1], got: 0, score: 0.1 } as const;
const curve = { points: [{ limit: 0, accuracy: wilson(17, 20) }], area: wilson(17, 20), range: [1, 10] };
const curves: Required<Curves> = { edits: { unit: 'characters', ...curve }, queries: curve, cut: 1 };
// `Required`, here and below: a new property is a type error until it is described.
const full: Required<AttackMetrics> & Readonly<Record<string, unknown>> = {
  ...attack('pgd', 3, 14),
  level: 'embedding',
  curves,
  ownGoal: true,
  untried: [{ reason: 'no editable word', n: 2 }],
  applicable: false,
  notApplicable: { n: 12, reason: 'it found edits for fewer than 5 % of the words in 12 of 17 texts' },
  noise: wilson(1, 17),
  asText: wilson(2, 17),
  sweep: [{ size: 0.1, accuracyUnderAttack: wilson(10, 20), accuracyUnderNoise: wilson(17, 20) }],
  capabilities: [
    {
      capability: 'litotes',
      relation: 'MFT',
      n: 3,
      failed: 1,
      failureRate: wilson(1, 3),
      samples: [{ id: '1', original: 'Good.', text: 'Not bad.', expected: [1], got: 0, score: 0.1 }],
    },
  ],
  quality: { editDistance: 2, similarity: 0.9, readability: 0.8, n: 3 },
  confirmations: { asked: 2.5, refuted: 1 },
  labelKept: wilson(26, 30),
  validSuccessRate: wilson(2, 17),
  accuracyUnderValidAttacks: wilson(15, 20),
  details: { epsilon: 0.1 },
};
const span = { start: 0, end: 4, type: 'PERSON' };
const tagged = { entities: [span], entity: 0 };
const outcome: Required<Outcome> & Readonly<Record<string, unknown>> = {
  ...(outcomes[0] as Outcome & { readonly adversarial: string }),
  reason: 'why',
  reach: 0.01,
  labels: [1],
  text2: 'The other one.',
  ...tagged,
  tags: { before: [{ ...span, score: 0.9 }], after: [], entities: [span], characters: 4, leakedBefore: 0, leaked: 1 },
  attacked: 'first',
  fromLabels: [1],
  toLabels: [],
  fromTied: [0, 1],
  toTied: [0, 1],
  value: 3.5,
  noise: false,
  asText: { text: 'x', broken: true },
  sweep: { sizes: [0.1], broken: [1], noise: [0] },
  probes: [{ ...probe, original: 'Good.' }],
  quality: { editDistance: 2, similarity: 0.9, readability: 0.8 },
  confirmations: { asked: 2, refuted: 1 },
  details: { epsilon: 0.1, path: [1, 2], name: 'x' },
};
const provenance: Required<Provenance> = {
  created: '2026-11-20T21:14:00.000Z',
  hardware: '2 cores',
  platform: 'linux',
  versions: { node: '20.19.0' },
  config: null,
  settings: { seed: { value: 42, origin: 'default' } },
  overrides: [{ variable: 'ROBUST_SEED', value: '42', instead: null }],
  fingerprint: { model: 'a' },
  merged: [{ shard: 1, run: 'x', platform: 'linux' }],
};
const threshold: Required<JudgedThreshold> = {
  metric: 'pgd.attackSuccessRate',
  level: 'error',
  expected: '<= 0.1',
  actual: wilson(3, 17),
  ci: 'interval',
  verdict: 'failed',
  reason: 'why',
  neededExamples: 293,
  without: ['fgsm'],
  waiver: { metric: 'pgd.attackSuccessRate', owner: 'ann', reason: 'known', expires: '2030-01-01' },
};
const pair: PairedRates = {
  a: wilson(3, 17),
  b: wilson(2, 17),
  difference: { value: -0.06, low: -0.2, high: 0.1, n: 17 },
  mcnemarP: 0.5,
};
const detected = {
  recallUnderAttack: { ...pair, adjustedP: 0.5 },
  falsePositiveRateUnderAttack: { ...pair, adjustedP: null },
};
const compared = {
  ...{ name: 'pgd', suite: 'embedding', ...pair, adjustedP: null, attackSuccessRate: pair, ...detected },
};
const rule: DecisionRule = { kind: 'threshold', positive: ['injection'], by: 'max', at: 0.5 };
const error = { value: 2.5, low: null, high: null, n: 17 };
const changed: Required<ChangedExample> = {
  id: '1',
  attack: 'pgd',
  text: 'a',
  text2: 'c',
  adversarial: 'b',
  ...tagged,
};
const comparison: Required<Comparison> = {
  models: [
    { name: 'a', sha256: 'a', run: 'x' },
    { name: 'b', sha256: 'b', run: 'y', degenerate: ['its scores are the same for all 20 texts'] },
  ],
  clean: pair,
  goal: 'evade',
  decisions: [rule, { ...rule, at: 0.9 }],
  figures: [
    {
      ...{ metric: 'labelSets.perLabel.threat.recall', label: 'threat', higherIsBetter: true, a: error, b: error },
      ...{ difference: error, p: 0.5, adjustedP: null },
    },
  ],
  tags: [
    {
      ...{ metric: 'tags.leakRate.PERSON', label: 'PERSON', higherIsBetter: false, a: error, b: error },
      ...{ difference: error, p: null, adjustedP: 0.5 },
    },
  ],
  decisionDifference: { kind: 'moved', what: 'decision', a: 'from 0.5 on', b: 'from 0.9 on' },
  attacks: [compared],
  leftOut: [{ name: 'fgsm', suite: 'embedding', reason: 'needs gradients: no graph', by: 'b' }],
  suites: [compared],
  overall: { ...pair, ...detected },
  newlyBroken: [changed],
  newlyMended: [{ id: '1', attack: null, text: 'a' }],
};
export const undefended: Required<ComparisonReport> = {
  ...comparison,
  data: { name: 'reviews', sha256: 'b'.repeat(64), examples: 20 },
  seed: 42,
  further: [comparison],
  transfer: [{ from: 'a', to: 'b', attack: 'pgd', rate: wilson(1, 3) }],
  verdict: 'inconclusive',
  reasons: ['a: the budget ended it'],
  curves: [{ attack: 'pgd', models: [curves, null] }],
  reviews: [
    {
      ...{
        name: 'a',
        run: 'run-a',
        attackSuccessRate: wilson(17, 20),
        labelKept: wilson(26, 30),
        unclear: wilson(2, 32),
      },
      ...{ readers: 2, agreement: { alpha: 0.81, low: 0.7, high: 0.9 }, validSuccessRate: wilson(14, 20) },
      ...{ accuracyUnderValidAttacks: wilson(5, 20), verdict: 'conclusive', reasons: [] },
    },
  ],
  toolVersion: '0.1.0',
  provenance: { overrides: [] },
  command: 'robust attack',
};
// Attention and trust are shown by `robust explain` only.
const why: Required<Omit<Explanation, 'attention' | 'trust'>> = {
  text: 'A good film.',
  text2: 'The other one.',
  ...tagged,
  attacked: 'first',
  model: { name: 'distilbert', sha256: 'a', labels: ['negative', 'positive'] },
  label: 'positive',
  probabilities: [0.2, 0.8],
  scale: 'probability',
  baseline: 'delete',
  seed: 42,
  methods: [
    {
      name: 'shap',
      words: [{ word: 'good', start: 2, weight: 0.5, low: 0.4, high: 0.6 }],
      check: { sum: 0.5, of: 'p' },
    },
  ],
  queries: 8,
  read: { words: 3, of: 3 },
  decision: {
    rule: { kind: 'threshold', positive: ['positive'], by: 'max', at: 0.5 },
    ...{ score: 0.8, threshold: 0.5, reached: true },
  },
};
const tagFigures: NonNullable<Report['tags']> = {
  recall: wilson(9, 10),
  recallUnderAttack: wilson(6, 10),
  leakRate: wilson(4, 10),
  leakRateBefore: wilson(1, 10),
  leakedCharacters: wilson(20, 90),
  leakedTexts: wilson(3, 8),
  byType: [{ label: 'PERSON', recall: wilson(9, 10), recallUnderAttack: wilson(6, 10), leakRate: wilson(4, 10) }],
  spurious: { before: 0.1, after: 0.3, texts: 8 },
};
export const everything: Required<Report> = {
  ...report(),
  next: [],
  stated: 'file',
  tags: tagFigures,
  measures,
  model: { name: 'distilbert', sha256: 'a'.repeat(64), labels: ['negative', 'positive'], defence: 'spell checking' },
  clean: {
    ...report().clean,
    degenerate: ['its scores are the same for all 20 texts'],
    scores: 'labels',
    approximation: { precision: 'int8', agreement: wilson(19, 20), difference: 0.001 },
    texts: { examples: 20, distinct: 18, wordless: 1, unknown: 0 },
    repeatability: { asked: 8, changed: 0, difference: 1e-6 },
  },
  latency: { n: 100, p50: 1.5, p95: 2, p99: 8.25 },
  reasons: ['the victim is degenerate: its scores are the same for all 20 texts'],
  endpoint: {
    protocol: 'kserve-v2',
    address: 'http://127.0.0.1:8000/v2/models/sst2',
    facts: { model: 'sst2', version: '3' },
    probe: { queries: 8, repeated: 0, company: 1e-7, grid: 0.0001 },
    requests: 295,
    repeated: 12,
    texts: 9278,
    price: 0.0001,
    cost: 0.9278,
  },
  partial: ['shard 3 of 4 is missing'],
  leftOut: [{ name: 'fgsm', suite: 'embedding', reason: 'needs gradients: no graph' }],
  trustworthy: {
    verdict: 'unknown',
    reason: 'shard 3 of 4 is missing',
    queries: 20,
    checks: [{ name: 'ties', status: 'passed', evidence: 'pgd: 0 of 17 examples end in a tie' }],
  },
  review: {
    review: 'bcdfghjk',
    seed: 42,
    texts: 32,
    controls: 20,
    repeats: 6,
    readers: [
      {
        name: 'reader-1',
        kind: 'person',
        answered: 58,
        originals: wilson(19, 20),
        selfAgreement: wilson(5, 6),
        medianSeconds: 6.2,
      },
      {
        name: 'reader-2',
        kind: 'person',
        answered: 58,
        originals: wilson(10, 20),
        selfAgreement: wilson(3, 6),
        leftOut: 'not above chance on untouched originals: 10 of 20 correct',
      },
    ],
    labelKept: wilson(26, 30),
    unclear: wilson(2, 32),
    originals: wilson(19, 20),
    agreement: { alpha: 0.81, low: 0.7, high: 0.9 },
    judges: [
      {
        name: 'judge-1',
        address: 'http://127.0.0.1:8000/v1',
        labelKept: wilson(28, 30),
        originals: wilson(20, 20),
        agreement: wilson(27, 30),
      },
    ],
    verdict: 'inconclusive',
    reasons: ['readers decided 29 texts, expected at least 30'],
  },
  undefended,
  explanations: [{ id: '1', attack: 'pgd', before: why, after: why }],
  provenance,
  attacks: [full],
  suites: [{ name: 'embedding', attacks: ['pgd'], ...attackRates({ flipped: 3, kept: 14, wrong: 3 }) }],
  examples: {
    async *[Symbol.asyncIterator]() {
      yield outcome;
    },
  },
  gate: {
    verdict: 'failed',
    thresholds: [threshold],
    baseline: {
      file: 'robust.baseline.json',
      model: { name: 'old', sha256: 'c'.repeat(64) },
      maxIncrease: 0.03,
      decision: rule,
      decisionDifference: { kind: 'calibrated', what: 'decision', a: 'from 0.5 on', b: 'from 0.9 on' },
      verdict: 'passed',
      changes: [
        {
          name: 'pgd',
          metric: 'attackSuccessRate',
          higherIsBetter: false,
          level: 'warn',
          baseline: wilson(2, 17),
          current: wilson(3, 17),
          difference: { value: 0.06, low: -0.1, high: 0.2, n: 17 },
          worse: 1,
          better: 0,
          p: 0.5,
          adjustedP: 0.5,
          verdict: 'passed',
          reason: 'why',
        },
      ],
    },
    reasons: ['why'],
  },
};
