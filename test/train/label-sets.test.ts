/** Training on texts with any number of labels: each is learnt by itself, and the folder says so. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkpoint } from '../../packages/onnx/test/convert/checkpoints.js';
import { tinyConfig, tinyFiles, tinyTensors } from '../../packages/onnx/test/convert/tiny-bert.js';
import { type TrainOptions, train } from '../../src/api.js';
import { random } from '../../src/core/random.js';
import { loadModel } from '../../src/model/load.js';
import { fillTargets } from '../../src/train/targets.js';
import { robust } from '../commands/cli.js';
import { refusal } from '../refusal.js';

const folder = mkdtempSync(join(tmpdir(), 'robust-label-sets-'));

const LABELS = ['cold', 'loud', 'wet'];
const WORDS = ['snow', 'drum', 'rain'];

/** Each label has one deciding word, and any number of labels may apply; `write` writes a row. */
function dataset(name: string, rows: number): string {
  const die = random(1, name);
  const lines = Array.from({ length: rows }, () => {
    const held = LABELS.map((_, at) => at).filter(() => die.int(2) === 1);
    const words = ['so', 'it', 'is', ...held.map((at) => WORDS[at] as string)];
    return JSON.stringify({ text: die.shuffle(words).join(' '), labels: held.map((at) => LABELS[at]) });
  });
  const file = join(folder, `${name}.jsonl`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
const data = [dataset('train', 300)];
const validation = dataset('validation', 80);

const SMALL = {
  ...{ data, validation, labelColumn: 'labels', task: 'multi-label', seed: 3, batchSize: 16, maxTokens: 16 },
  ...{ arch: 'word-cnn', dim: 16, epochs: 8, lr: 0.01, noCompare: true, allowOverlap: true },
} as const satisfies Omit<TrainOptions, 'output'>;

const first = join(folder, 'first');
const problemOf = (output: string) => JSON.parse(readFileSync(join(output, 'config.json'), 'utf8')).problem_type;

describe('a new model', () => {
  let result: Awaited<ReturnType<typeof train>>;
  beforeAll(async () => {
    result = await train({ ...SMALL, output: first });
  });

  test('learns each label by itself, and no label too', async () => {
    const model = await loadModel(first, { workers: 1, decision: 'multi-label' });
    try {
      const texts = ['it is so', 'it is snow', 'so rain it is drum', 'rain snow drum'];
      const found = (await model.classify(texts)).map((row) => LABELS.filter((_, at) => (row[at] as number) >= 0.5));
      expect(found).toEqual([[], ['cold'], ['loud', 'wet'], LABELS]);
    } finally {
      await model.close();
    }
    expect(problemOf(first)).toBe('multi_label_classification');
  });

  test('is measured as label sets, by the weights of the best micro F1', () => {
    const { clean, history } = result;
    expect(clean.accuracy).toMatchObject({ n: 80, low: expect.any(Number), high: expect.any(Number) });
    expect(clean.labelSets?.perLabel.map(({ label }) => label)).toEqual(LABELS);
    const kept = history.points.findLast(({ best }) => best);
    expect(kept?.validation.microF1).toBe(
      Math.max(...history.points.map(({ validation: { microF1 = 0 } }) => microF1)),
    );
    // Training measures the same figures as the model's users.
    expect(clean.microF1).toBeCloseTo(kept?.validation.microF1 as number, 12);
    expect(clean.macroF1).toBeCloseTo(kept?.validation.macroF1 as number, 12);
    expect(clean.accuracy.value).toBeCloseTo(kept?.validation.accuracy as number, 12);
  });

  test('is learnt by the binary cross-entropy of each label', async () => {
    const model = await loadModel(first, { workers: 1, decision: 'multi-label' });
    const rows = readFileSync(validation, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    try {
      const answers = await model.classify(rows.map(({ text }) => text));
      const losses = rows.map(({ labels }, row) =>
        LABELS.reduce((sum, label, at) => {
          const p = answers[row]?.[at] as number;
          return sum - Math.log(labels.includes(label) ? p : 1 - p);
        }, 0),
      );
      const kept = result.history.points.findLast(({ best }) => best);
      expect(losses.reduce((sum, loss) => sum + loss, 0) / rows.length).toBeCloseTo(kept?.validation.loss as number, 4);
    } finally {
      await model.close();
    }
  });

  test('goes on as one of any number of labels, chosen by the loss, without --task too', async () => {
    const output = join(folder, 'further');
    const { arch: _, ...rest } = SMALL;
    const tuning = { ...rest, model: first, epochs: 2, lr: 0.001, output };
    const { history, comparison } = await train({ ...tuning, metric: 'loss' });
    const losses = history.points.map(({ validation: { loss } }) => loss);
    expect(history.points.findLast(({ best }) => best)?.validation.loss).toBe(Math.min(...losses));
    expect(comparison?.clean?.labelSets).toBeDefined();
    expect(problemOf(output)).toBe('multi_label_classification');
    const { task: _task, labelColumn: _column, ...unsaid } = { ...tuning, force: true };
    const again = await train(unsaid);
    expect(again.clean.labelSets).toBeDefined();
    expect(again.history.points).toEqual((await train({ ...tuning, force: true })).history.points);
  });
});

test('an encoder learns any number of labels by a new head, and is evaluated and attacked so', async () => {
  // Only the words "good" and "bad" decide; the toy's vocabulary has no others.
  const die = random(1, 'encoder');
  const rows = Array.from({ length: 200 }, () => {
    const held = ['good', 'bad'].filter(() => die.int(2) === 1);
    return `${['the', 'film', ...held].join(' ')}\t${held.map((word) => (word === 'good' ? 'praise' : 'blame')).join(',')}`;
  });
  const cwd = join(folder, 'encoder');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'data.tsv'), `text\tlabels\n${rows.join('\n')}\n`);
  const model = checkpoint(
    { ...tinyConfig, architectures: ['BertModel'] },
    new Map([...tinyTensors].filter(([name]) => !name.startsWith('classifier'))),
  );
  for (const [name, content] of Object.entries(tinyFiles)) {
    if (name !== 'config.json') writeFileSync(join(model, name), content);
  }
  const labelled = ['-d', 'data.tsv', '--columns', 'label=labels', '--task', 'multi-label'];
  const learning = ['--labels', 'praise,blame', '--epochs', '20', '--lr', '0.05', '--batch-size', '16'];
  const trained = await robust(['train', '-m', model, ...labelled, ...learning, '-o', 'moderation'], { cwd });
  expect(trained.stderr).not.toMatch(/Error/);
  expect(problemOf(join(cwd, 'moderation'))).toBe('multi_label_classification');
  const evaluated = await robust(['evaluate', '-m', './moderation', ...labelled, '-n', '0', '--json'], { cwd });
  const { clean } = JSON.parse(evaluated.stdout).result;
  // Both labels as a constant answer give 2 / 3; an encoder of width 4 is little better.
  expect(clean.microF1).toBeGreaterThan(0.72);
  expect(clean.labelSets.perLabel.map(({ label }: { label: string }) => label)).toEqual(['praise', 'blame']);
  const attacked = await robust(['attack', '-m', './moderation', ...labelled, '-a', 'word-deletion', '--json'], {
    cwd,
  });
  const [entry] = JSON.parse(attacked.stdout).result.attacks;
  for (const { lost, queries } of entry.labelChanges) {
    expect(lost.n).toBeGreaterThan(0);
    expect(queries).toBeGreaterThan(1);
  }
});

test('perturbed texts are learnt too, and counted right where all their labels are', async () => {
  const output = join(folder, 'hardened');
  const { history } = await train({ ...SMALL, adversarial: ['fgsm', 'ascc'], epochs: 4, output });
  const last = history.points.at(-1);
  expect(last?.underAttack).toBeGreaterThan(0);
  expect(last?.underAttack).toBeLessThanOrEqual(1);
});

test.each<[string, Partial<TrainOptions>, RegExp]>([
  ['weights of classes', { classWeights: 'balanced' }, /classWeights: expected one label a text/],
  ['a loss among accuracies', { adversarial: ['fgsm'], metric: 'loss' }, /^metric: expected accuracy/],
])('refuses %s', async (_, options, message) => {
  await expect(train({ ...SMALL, ...options, output: join(folder, 'refused') })).rejects.toThrow(message);
});

test('refuses a single label: it is a task of two', async () => {
  const one = join(folder, 'one.jsonl');
  writeFileSync(one, '{"text": "a", "labels": ["x"]}\n{"text": "b", "labels": []}\n{"text": "c", "labels": ["x"]}\n');
  const output = join(folder, 'one');
  await refusal(train({ ...SMALL, data: [one], validation: one, output }));
});

test.each<[string, readonly number[], number, number[]]>([
  ['none', [], 0, [0, 0, 0]],
  ['two', [0, 2], 0, [1, 0, 1]],
  ['smoothed, each between holding and not', [1], 0.2, [0.1, 0.9, 0.1]],
])('targets of label sets: %s', (_, labels, smoothing, expected) => {
  const row = new Float32Array(3);
  fillTargets(row, labels, smoothing);
  expect(Array.from(row, (value) => Number(value.toFixed(6)))).toEqual(expected);
});
