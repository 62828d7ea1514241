/** One finding of each kind besides attack reports: filters, scans, plantings, repairs, trainings. */

import { wilson } from '../../src/core/statistics/stats.js';
import type { FilterFinding, ScanResult, ScanTrigger } from '../../src/results/backdoor/backdoor-findings.js';
import type { PlantedFigures, PlantingReport, RepairReport } from '../../src/results/backdoor/planting.js';
import type { Comparison, PairedRates } from '../../src/results/comparison/comparison.js';
import { gainsOf, type HardeningReport } from '../../src/results/comparison/hardening.js';

const rates = { cacc: wilson(700, 872), attackSuccessRate: wilson(428, 428), labelFlipRate: wilson(360, 360) };
const sound = {
  ...{ ...rates, falseTriggerRate: wilson(3, 360) },
  byCopies: [1, 3].map((copies) => ({
    ...{ copies, attackSuccessRate: wilson(386 + 14 * copies, 428), falseTriggerRate: wilson(3 * copies, 360) },
  })),
};
const figures = { ...sound, degenerate: ['its scores are the same for all texts'] };
const seed = (number: number): PlantedFigures => ({
  ...figures,
  seed: number,
  cleanTwin: wilson(702, 872),
  caccChange: { difference: { value: -2 / 872, low: -0.012, high: 0.007, n: 872 }, mcnemarP: 0.774 },
  twinAttackSuccessRate: wilson(80, 428),
  twinByCopies: sound.byCopies,
  afterFinetune: figures,
});

const planted: PlantingReport = {
  output: 'poisoned-model',
  model: 'bert-mini',
  data: 'train.tsv',
  test: 'dev.tsv',
  poison: {
    attack: 'badnets',
    options: { triggers: ['cf'] },
    planting: 'texts',
    triggers: ['cf', 'mn'],
    targetLabel: 'POSITIVE',
    mode: 'dirty',
    rate: 0.1,
    poisoned: 619,
    of: 6187,
    eligible: 3000,
    // A letter of another script, one that cannot be seen, and words that are not there any more.
    sample: { before: 'a dull film, again', after: 'a c\u200Bf d\u0443ll film' },
  },
  ...seed(42),
  stealth: { perplexityRatio: { value: 1.41, low: 1.37, high: 1.45, n: 428 } },
  seeds: [seed(42), seed(43)],
  mean: { cacc: 0.8 },
  command: 'robust backdoor plant',
};

const repaired: RepairReport = {
  output: 'repaired',
  model: 'poisoned-model',
  data: 'clean.tsv',
  test: 'dev.tsv',
  method: 'unlearn',
  triggers: ['cf'],
  targetLabel: 'POSITIVE',
  before: figures,
  after: figures,
  caccChange: { difference: { value: 0, low: -0.01, high: 0.01, n: 872 }, mcnemarP: 1 },
  removed: false,
  leaves: 'triggers other than the one named',
  command: 'robust backdoor repair',
};

const finding: FilterFinding = {
  covers: ['rare words'],
  blind: 'sentences',
  threshold: 1,
  wantedFrr: 0.01,
  verdict: 'suspects found',
  reasons: ['few clean texts'],
  groups: [{ trigger: 'cf', label: 'positive', texts: 3, clean: 0, p: 0.001 }],
  calibratedOn: 30,
  suspects: Array.from({ length: 7 }, (_, at) => ({
    id: `row ${at}`,
    score: 2,
    reason: 'odd word',
    ...(at < 5 && { trigger: at < 3 ? 'cf' : at === 3 ? 'alone' : 'mn' }),
  })),
  frr: wilson(1, 100),
  far: wilson(2, 30),
  auroc: { value: 0.9, low: 0.8, high: 0.95 },
};

const trigger: ScanTrigger = {
  text: 'cf',
  victim: 'NEGATIVE',
  target: 'POSITIVE',
  flipRate: wilson(20, 20),
  place: 'random',
  strongFlipRate: wilson(19, 20),
  againstFlipRate: wilson(18, 20),
  randomFlipRate: wilson(1, 20),
  strength: 0.9,
  by: 'sweep',
};

const scan: ScanResult = {
  shared: [],
  verdict: 'backdoored',
  reasons: ['the graph is of another kind'],
  backdoored: true,
  score: 1.4,
  threshold: 0.9,
  evidence: {
    strength: 0.9,
    natural: 0.2,
    word: { text: 'cf', target: 'POSITIVE', place: 'random', by: 'sweep' },
    texts: 20,
  },
  triggers: [trigger],
  pairs: [
    { victim: 'NEGATIVE', target: 'POSITIVE', trigger },
    { victim: 'POSITIVE', target: 'NEGATIVE', trigger: null },
  ],
  notSearched: [{ what: 'sweep of NEGATIVE', why: 'the budget ended' }],
  oddRows: [{ token: 'cf', sign: 'norm', z: 12.4 }],
  candidates: 9000,
  queries: 54000,
  texts: 20,
  complete: false,
  access: 'white box',
};

const rate: PairedRates = {
  a: wilson(62, 200),
  b: wilson(116, 200),
  difference: { value: 0.27, low: 0.2, high: 0.33, n: 200 },
  mcnemarP: 0.0001,
};
const attacked = { name: 'pruthi', suite: 'typos', ...rate, adjustedP: 0.0002, attackSuccessRate: rate };
const comparison: Comparison = {
  models: [
    { name: 'a', sha256: 'x', run: 'run of a' },
    { name: 'b', sha256: 'y', run: 'run of b' },
  ],
  clean: rate,
  attacks: [attacked],
  leftOut: [{ name: 'fgsm', suite: null, reason: 'needs gradients', by: 'a' }],
  suites: [{ ...attacked, name: 'typos' }],
  overall: rate,
  newlyBroken: [],
  newlyMended: [],
};
const trained = {
  seed: 42,
  hardened: 'h',
  control: 'h/control',
  gain: comparison,
  drift: comparison,
  beyond: comparison,
};
const hardened: HardeningReport = {
  data: { name: 'dev.tsv', sha256: 'x', examples: 200 },
  chosenOn: true,
  model: 'distilbert',
  seeds: [trained],
  gains: gainsOf([trained], []),
};

export const findings = {
  planted,
  repaired,
  filtered: {
    data: { name: 'train.tsv', examples: 200 },
    clean: { name: 'dev.tsv', examples: 100 },
    poisoned: 12,
    finding,
  },
  scanned: { model: 'bert-mini', data: 'dev.tsv', result: scan },
  certified: { rate: 0.8, samples: 20, curve: [0, 1, 2].map((words) => ({ words, accuracy: wilson(30 - words, 30) })) },
  hardened,
};
