/**
 * What is divided by what, from outside: one set of ten texts whose fates are known, for every kind of decision, by the command line, in every
 * format, by shards, by the gate, the library and the matcher. Expected figures are computed by hand.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as Api from '../../src/api.js';
import { packageRoot } from '../../src/core/package-root.js';
import type * as Matchers from '../../src/vitest.js';
import { folder, robust } from './cli.js';

/** Finds "good" in a text, or in the second text of a pair. Its answer is the score of each label, or one number. */
const model = (labels: readonly string[], row: string): string =>
  `const good = (text) => /\\bgood\\b/.test([text].flat().at(-1));
export default { labels: ${JSON.stringify(labels)}, classify: async (texts) => texts.map((text) => Float32Array.from(${row})) };
`;

/** Does to a text what the text says: flips it, errs, cannot edit it, or fails. */
const ATTACK = `import { z } from 'robust-text/plugin';
export default {
  kind: 'evasion', name: 'told', level: 'word', needs: 'labels', summary: 'Does what the text says.', options: z.strictObject({}),
  create: () => ({
    constraints: [],
    async run({ text }, target) {
      if (text.includes('err')) throw new Error('as the text says');
      const edited = text.includes('flip') ? text.replace('good', 'gXod') : text.replace('keep', 'keeep');
      const [probabilities] = await target.classify([edited]);
      const numb = text.includes('numb');
      return { succeeded: text.includes('flip'), text: numb ? text : edited, probabilities, words: 3, changed: numb ? 0 : 1, ...(numb && { reach: 0, reason: 'no editable word' }) };
    },
  }),
};
`;

/** Correctly classified are all but the last two: 1 flipped, 6 kept (4 of them out of reach), 1 errored. */
const TEXTS = [
  ...['a good one to flip', 'a good one to keep'],
  ...['a good numb one', 'a good and numb one', 'a good but numb one', 'one good numb thing'],
  ...['a good one to err', 'a plain one to keep', 'some plain thing', 'another plain thing'],
];
const POSITIVE = TEXTS.map((_, at) => at !== 7);
const table = (head: string, row: (text: string, positive: boolean) => string): string =>
  `${[head, ...TEXTS.map((text, at) => row(text, POSITIVE[at] === true))].join('\n')}\n`;

type Share = readonly [part: number, n: number];

interface Kind {
  readonly name: string;
  readonly model: string;
  readonly data: string;
  readonly flags: readonly string[];
  /** Of `clean`. */
  readonly clean: Readonly<Record<string, Share>>;
  /** Of the attack and of all attacks together. */
  readonly rates: Readonly<Record<string, Share>>;
  /** Rows of reports and what they say. */
  readonly rows: readonly (readonly [label: string, percent: string])[];
  /** Words of other decisions. */
  readonly never: readonly string[];
}

const LABELS = ['negative', 'positive'];
const scores = model(LABELS, 'good(text) ? [0.1, 0.9] : [0.9, 0.1]');
const labelled = table('text\tlabel', (text, positive) => `${text}\t${positive ? 'positive' : 'negative'}`);
/** Of nine examples: the ten without the one that errs. */
const OF_ALL = { originalAccuracy: [7, 9], accuracyUnderAttack: [6, 9], attackSuccessRate: [1, 7] } as const;
/** Of eight: without the negative one, too. */
const OF_POSITIVES = { originalAccuracy: [6, 8], accuracyUnderAttack: [5, 8], attackSuccessRate: [1, 6] } as const;
const ACCURACY_ROWS = [
  ['Original accuracy', '77.8 %'],
  ['Accuracy under attack', '66.7 %'],
  ['Attack success rate', '14.3 %'],
] as const;

const KINDS: readonly Kind[] = [
  {
    ...{ name: 'single', model: scores, data: labelled, flags: [] },
    ...{ clean: { accuracy: [8, 10] }, rates: OF_ALL, rows: ACCURACY_ROWS },
    never: ['Original recall', 'Recall under attack', 'Evasion rate', 'Sets', 'Within'],
  },
  {
    ...{ name: 'pairs', model: scores, flags: ['--text-columns', 'a,b'] },
    data: table('a\tb\tlabel', (text, positive) => `the first\t${text}\t${positive ? 'positive' : 'negative'}`),
    ...{ clean: { accuracy: [8, 10] }, rates: OF_ALL, rows: ACCURACY_ROWS },
    never: ['Original recall', 'Recall under attack', 'Evasion rate', 'Sets', 'Within'],
  },
  {
    ...{ name: 'detector', model: scores, data: labelled },
    flags: ['--positive', 'positive', '--threshold', '0.5'],
    clean: { accuracy: [8, 10], recall: [7, 9], falsePositiveRate: [0, 1] },
    rates: { ...OF_POSITIVES, originalRecall: [6, 8], recallUnderAttack: [5, 8], evasionRate: [1, 6] },
    rows: [
      ['Original recall', '75.0 %'],
      ['Recall under attack', '62.5 %'],
      ['Evasion rate', '16.7 %'],
    ],
    never: ['Original accuracy', 'Accuracy under attack', 'Alarm', 'Sets', 'Within'],
  },
  {
    ...{ name: 'label sets', model: model(['bad', 'nice'], '[0.1, good(text) ? 0.9 : 0.1]') },
    data: table('text\tlabels', (text, positive) => `${text}\t${positive ? 'nice' : ''}`),
    flags: ['--label-column', 'labels', '--task', 'multi-label'],
    ...{ clean: { accuracy: [8, 10], 'labelSets.microRecall': [7, 9] }, rates: OF_POSITIVES },
    rows: [
      ['True label found', '75.0 %'],
      ['Found labels kept', '62.5 %'],
      ['Attack success rate', '16.7 %'],
    ],
    never: ['Original accuracy', 'Accuracy under attack', 'Recall under attack', 'Within'],
  },
  {
    ...{ name: 'number', model: model(['score'], '[good(text) ? 1 : 0]') },
    data: table('text\tscore', (text, positive) => `${text}\t${positive ? 1 : 0}`),
    flags: ['--task', 'regression', '--delta', '0.5'],
    ...{ clean: { accuracy: [8, 10] }, rates: OF_ALL },
    rows: [
      ['Within 0.5', '77.8 %'],
      ['Within 0.5, not moved', '66.7 %'],
      ['Attack success rate', '14.3 %'],
    ],
    never: ['Original accuracy', 'Accuracy under attack', 'Recall under attack', 'Sets'],
  },
];

/** Of every kind of decision. */
const RATE_ROWS = [...new Set(KINDS.flatMap(({ rows }) => rows.map(([label]) => label)))];

const at = (of: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => Reflect.get(value as object, key), of);

function expectRates(of: object, rates: Kind['rates']): void {
  for (const [path, [part, n]] of Object.entries(rates)) {
    expect({ path, rate: at(of, path) }).toMatchObject({ path, rate: { value: part / n, n } });
  }
}

const FORMATS = ['md', 'html', 'json', 'csv', 'xml', 'sarif', 'prom', 'yaml'];

describe.each(KINDS)('$name', ({ model, data, flags, clean, rates, rows, never }) => {
  const cwd = folder({ 'model.mjs': model, 'data.tsv': data, 'told.mjs': ATTACK });
  const victim = ['-m', './model.mjs', '-d', 'data.tsv', '-n', '0', '-q', ...flags];
  const attack = [...victim, '-a', './told.mjs', '--max-error-rate', '0.5'];
  const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');

  test('evaluate', async () => {
    const { stdout } = await robust(['evaluate', ...victim, '--json'], { cwd });
    expectRates(JSON.parse(stdout).result.clean, clean);
  });

  test('attack, and its report in every format', async () => {
    const { stdout } = await robust(['attack', ...attack, ...FORMATS.flatMap((name) => ['-o', `r.${name}`])], { cwd });
    const { result } = JSON.parse(read('r.json'));
    const [entry] = result.attacks;
    expect(entry).toMatchObject({ succeeded: 1, errored: 1, applicable: false, notApplicable: { n: 4 } });
    expect(entry.succeeded + entry.failed + entry.skipped + entry.errored).toBe(10);
    expectRates(entry, rates);
    expectRates(result.overall, rates);
    expectRates(result.clean, clean);
    for (const text of [stdout, ...['md', 'html', 'xml', 'sarif'].map((name) => read(`r.${name}`))]) {
      const visible = text.replace(/<(script|style)[^>]*>.*?<\/\1>/gs, '');
      expect(never.filter((word) => visible.includes(word))).toEqual([]);
    }
    const inTable = (label: string) => stdout.split('\n').some((line) => line.startsWith(`${label}  `));
    expect(RATE_ROWS.filter(inTable)).toEqual(RATE_ROWS.filter((label) => rows.some(([own]) => own === label)));
    for (const [label, percent] of rows) {
      expect(stdout.split('\n').find((line) => line.startsWith(`${label}  `))).toContain(percent);
      expect(
        read('r.md')
          .split('\n')
          .find((line) => line.startsWith('|  |')),
      ).toContain(` ${label} |`);
      for (const name of ['xml', 'sarif']) expect(read(`r.${name}`)).toContain(`${label} ${percent}`);
      expect(read('r.html')).toContain(`>${label}</th>`);
      expect(read('r.yaml')).toContain(`name: ${label} (told)`);
    }
    for (const [, percent] of rows) expect(read('r.md')).toContain(`${percent}`);
    for (const [key, [part, n]] of Object.entries(rates)) {
      const family =
        { attackSuccessRate: 'attack_success' }[key] ?? key.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`);
      const value = new RegExp(`^robust_${family}_ratio\\{[^}]*attack="told"[^}]*\\} (.*)$`, 'm').exec(
        read('r.prom'),
      )?.[1];
      expect({ family, value: Number(value) }).toEqual({ family, value: part / n });
    }
    expect(read('r.csv').trim().split('\n')).toHaveLength(11);
    const again = await robust(['report', 'r.json', '--json'], { cwd });
    expectRates(JSON.parse(again.stdout).result.attacks[0], rates);
  });

  test('shards', async () => {
    const runs: string[] = [];
    for (const shard of ['1/2', '2/2']) {
      const { stdout } = await robust(['attack', ...attack, '--shard', shard, '--json'], { cwd });
      runs.push(join('.robust', 'runs', JSON.parse(stdout).result.run));
    }
    const { stdout } = await robust(['report', '--merge', ...runs, '--json'], { cwd });
    const { result } = JSON.parse(stdout);
    expectRates(result.attacks[0], rates);
    expectRates(result.overall, rates);
  });

  test('the gate measures the same, and judges nothing by an attack that is not applicable', async () => {
    const require = Object.keys(rates).flatMap((key) => ['--require', `told.${key} >= 0 and <= 1`]);
    const { stdout, code } = await robust(['gate', ...attack, ...require, '--min-examples', '1', '--json'], { cwd });
    const { thresholds, verdict } = JSON.parse(stdout).result;
    expect({ code, verdict }).toEqual({ code: 4, verdict: 'inconclusive' });
    for (const { metric, actual, reason } of thresholds) {
      const [part, n] = rates[metric.replace('told.', '')] as Share;
      expect({ metric, actual, reason }).toMatchObject({
        ...{ metric, actual: { value: part / n, n }, reason: expect.stringContaining('not applicable') },
      });
    }
  });
});

describe('the library', () => {
  const built = (file: string): string => pathToFileURL(join(packageRoot, 'dist', 'bundle', file)).href;
  let api: typeof Api;
  let matchers: typeof Matchers;
  const cwd = folder({ 'model.mjs': scores, 'data.tsv': labelled.replaceAll('numb', 'keep'), 'told.mjs': ATTACK });
  const options = {
    ...{ data: join(cwd, 'data.tsv'), attacks: [join(cwd, 'told.mjs')], numExamples: 0, maxErrorRate: 0.5 },
  };

  beforeAll(async () => {
    api = await import(built('api.js'));
    matchers = await import(built('vitest.js'));
    process.chdir(cwd);
    return () => process.chdir(packageRoot);
  });

  test('gives the figures of the command line', async () => {
    const report = await api.attack({ model: join(cwd, 'model.mjs'), ...options });
    expectRates(report.attacks[0] as object, OF_ALL);
    expectRates(report.overall, OF_ALL);
  });

  test('and its matcher judges them', async () => {
    const judged = (accuracyUnderAttack: string) =>
      matchers.toBeRobust(join(cwd, 'model.mjs'), { ...options, minExamples: 1, accuracyUnderAttack });
    expect(await judged('>= 0.66')).toMatchObject({ pass: true });
    const failed = await judged('>= 0.7');
    expect(failed.pass).toBe(false);
    expect(failed.message()).toContain('got 66.7 % [35.4 %, 87.9 %] of 9');
  });
});
