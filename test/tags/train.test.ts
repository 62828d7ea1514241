import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attack, diffBaseline, evaluate, saveBaseline, train } from '../../src/api.js';
import { columnOf, iob2Labels, tagScheme } from '../../src/core/tags/scheme.js';
import { createEncoder } from '../../src/model/tokens/create-encoder.js';
import { EntityScore, NOT_LEARNT, tagTargets } from '../../src/train/tag-targets.js';

const goldens = fileURLToPath(new URL('goldens/', import.meta.url));
const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'robust-tag-training-'));
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(home));

const NAMES = ['Ann', 'Bob', 'Eve', 'Max', 'Ida', 'Tom'];
const PLACES = ['York', 'Rome', 'Oslo', 'Bonn'];
/** The words before names and places distinguish them. */
const rows = NAMES.flatMap((name, at) =>
  PLACES.map((place, next) => {
    const text = [`today ${name} came from ${place} .`, `we saw ${name} ${NAMES[(at + next + 1) % 6]} in ${place}`][
      (at + next) % 2
    ]!;
    const spans = [...text.matchAll(/[A-Z][a-z]+(?: [A-Z][a-z]+)?/g)].map(({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
      type: PLACES.includes(found) ? 'LOC' : 'PER',
    }));
    return { text, spans };
  }),
);
const data = join(folder, 'names.jsonl');
writeFileSync(data, rows.map((row) => JSON.stringify(row)).join('\n'));

const settings = {
  data: [data],
  validation: data,
  allowOverlap: true,
  task: 'tags',
  seed: 3,
  noCompare: true,
} as const;
const small = { dim: 16, heads: 2, layers: 1, feedForward: 32, vocabulary: 300, batchSize: 4, lr: 1e-2 } as const;

describe('a new model', () => {
  test.each(['bert', 'distilbert', 'word-cnn', 'bilstm', 'char-bilstm'] as const)(
    '%s learns names and places, and opens with --task tags',
    async (arch) => {
      const output = join(folder, arch);
      const { clean, history } = await train({ ...settings, ...small, arch, epochs: 12, output });
      expect(clean.tags?.strict.f1.value).toBeGreaterThan(0.9);
      const best = history.points.findLast(({ best }) => best);
      // Words begin with the first pieces, which are what is learnt, so both count the same entities.
      expect(best?.validation.entityF1).toBeCloseTo(clean.tags!.strict.f1.value!, 6);
      const config = JSON.parse(readFileSync(join(output, 'config.json'), 'utf8'));
      expect(Object.values(config.id2label)).toEqual(['O', 'B-LOC', 'I-LOC', 'B-PER', 'I-PER']);
      const again = await evaluate({ model: output, data, task: 'tags', force: true });
      expect(again.clean.tags).toEqual(clean.tags);
      expect(again.model.output?.tags?.aggregation).toBe('first');
    },
  );

  test.each([
    { adversarial: ['pgd:steps=1:epsilon=0.05'], epochs: 12 },
    { adversarial: ['augment:deepwordbug'] },
    { dropout: 0.1, labelSmoothing: 0.1, tokenDropout: 0.1, classWeights: 'balanced' },
  ] as const)('%o', async (options) => {
    const output = join(folder, JSON.stringify(options).replaceAll(/\W+/g, '-'));
    const { history, clean } = await train({
      ...settings,
      ...small,
      ...{ arch: 'char-bilstm', epochs: 6 },
      ...options,
      output,
    });
    expect(history.points.every(({ loss }) => Number.isFinite(loss))).toBe(true);
    expect(clean.tags!.strict.f1.value).toBeGreaterThan(0.5);
    if ('adversarial' in options) expect(history.points[0]?.underAttack).toBeGreaterThanOrEqual(0);
  });

  test('a baseline of one finds no new success in the same model', async () => {
    const victim = { model: join(folder, 'bilstm'), data, task: 'tags', numExamples: 0, workers: 1 } as const;
    const { run } = await attack({ ...victim, attacks: ['deepwordbug'] });
    const { file, examples } = await saveBaseline({ run, baseline: join(folder, 'baseline.json') });
    expect(examples).toBe(rows.reduce((sum, { spans }) => sum + spans.length + 1, 0));
    const again = await attack({ ...victim, attacks: ['deepwordbug'], concurrency: 1 });
    expect((await diffBaseline({ run: again.run, baseline: file })).verdict).not.toBe('failed');
  });

  test('an architecture whose windows vote is refused by name', async () => {
    const promise = train({ ...settings, ...small, arch: 'char-cnn', output: join(folder, 'votes') });
    await expect(promise).rejects.toMatchObject({ code: 'TASK_UNSUPPORTED' });
  });
});

test('a checkpoint gets a new head for types, and a model that tags is trained further', async () => {
  const tuned = join(folder, 'tuned');
  const options = { ...settings, epochs: 8, batchSize: 4, lr: 1e-2 };
  const first = await train({ ...options, model: join(goldens, 'bert'), labels: 'PER,LOC', output: tuned });
  expect(first.clean.tags?.strict.f1.value).toBeGreaterThan(0.5);
  const { clean, comparison } = await train({ ...options, epochs: 2, model: tuned, output: join(folder, 'more') });
  expect(comparison?.clean?.tags).toEqual(first.clean.tags);
  expect(clean.tags!.strict.f1.value).toBeGreaterThanOrEqual(first.clean.tags!.strict.f1.value!);
});

test.each([
  [{ defend: ['unicode'] }, 'defend'],
  [{ adversarial: ['ascc'] }, 'adversarial ascc'],
  [{ metric: 'macroF1' }, 'metric macroF1'],
  [{ positive: ['PER'] }, 'positive'],
] as const)('refused by name: %o', async (options, flag) => {
  const output = join(folder, 'refused');
  await expect(train({ ...settings, ...small, ...options, output } as never)).rejects.toThrow(flag);
});

test('texts without entities cannot be learnt', async () => {
  const empty = join(folder, 'empty.jsonl');
  writeFileSync(empty, '{"text":"nothing here","spans":[]}\n{"text":"nor there","spans":[]}\n');
  const promise = train({ ...settings, ...small, data: [empty], validation: empty, output: join(folder, 'none') });
  await expect(promise).rejects.toMatchObject({ code: 'LABELS_TOO_FEW' });
});

test('the first token of a word has the tag of its place; the others are not learnt', async () => {
  const encoder = await createEncoder({
    ...{
      name: 'bert',
      folder: join(goldens, 'bert'),
      model: '',
      companions: [],
      labels: undefined,
      padId: 0,
      output: {},
    },
    ...{ input: { kind: 'tokenizer' }, maximum: 64 },
  });
  const text = 'Ann Lee left Zzyzx';
  const entities = [
    { start: 0, end: 7, type: 'PER' },
    { start: 13, end: 18, type: 'LOC' },
  ];
  const scheme = tagScheme(['O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC'])!;
  const targets = [...tagTargets(encoder, scheme, { text, entities })];
  expect(targets.filter((tag) => tag !== NOT_LEARNT)).toEqual([1, 2, 0, 3]);
  expect(targets).toHaveLength(encoder.encode(text).ids.length);
  expect([targets[0], targets.at(-1)]).toEqual([NOT_LEARNT, NOT_LEARNT]);
});

test('columns of a place in an entity, in all schemes', () => {
  const bilou = tagScheme(['O', 'B-X', 'I-X', 'L-X', 'U-X'])!;
  expect((['begins', 'inside', 'ends', 'alone'] as const).map((at) => columnOf(bilou, 0, at))).toEqual([1, 2, 3, 4]);
  const bare = tagScheme(['X', 'O'])!;
  expect((['begins', 'inside', 'ends', 'alone'] as const).map((at) => columnOf(bare, 0, at))).toEqual([0, 0, 0, 0]);
  expect(columnOf(bare, -1, 'alone')).toBe(1);
  const iob2 = tagScheme(iob2Labels(['X']))!;
  expect((['begins', 'inside', 'ends', 'alone'] as const).map((at) => columnOf(iob2, 0, at))).toEqual([1, 2, 2, 1]);
});

test('F1 of entities, by hand: seqeval counts an entity if type, start and end agree', () => {
  const score = new EntityScore(tagScheme(['O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC'])!);
  // True: PER 0-1, LOC 3. Found: PER 0-1 (right), PER 3 (wrong type), LOC 4 (spurious).
  score.add([1, 2, 0, 3, 0], [1, 2, 0, 1, 3]);
  // True: LOC 0-1. Found: LOC 0 (cut), then LOC 1.
  score.add([3, 4], [3, 3]);
  // 1 of 3 true and 1 of 5 found: F1 = 2 / 8.
  expect(score.f1).toBeCloseTo(2 / 8, 12);
  expect(score.accuracy).toBeCloseTo(4 / 7, 12);
});
