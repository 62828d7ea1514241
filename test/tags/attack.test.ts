import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attack, evaluate, verify } from '../../src/api.js';
import { collect } from '../../src/core/take.js';
import { figuresOf, metricOf } from '../../src/gate/figures.js';
import { loadModel } from '../../src/model/load.js';
import type { Report } from '../../src/results/report/report.js';

/** Random models of 10 kB, drawn and answered by transformers 5.18 (test/tags/goldens/README.md). */
const goldens = fileURLToPath(new URL('goldens/', import.meta.url));
const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'robust-tags-'));
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(home));

interface Golden {
  readonly text: string;
  readonly spans: Readonly<Record<'simple' | 'first' | 'average' | 'max', [number, number, string, number][]>>;
}

const codePoints = (text: string, offset: number): number => [...text.slice(0, offset)].length;

test.each(['bert', 'roberta', 'modernbert'])('%s: the spans of the pipeline of transformers', async (family) => {
  const golden = JSON.parse(readFileSync(join(goldens, family, 'golden.json'), 'utf8')) as Golden[];
  for (const aggregation of ['simple', 'first', 'average', 'max'] as const) {
    const model = await loadModel(join(goldens, family), {
      decision: 'tags',
      tags: { aggregation, match: 'whole', least: 0 },
      workers: 1,
      hub: { cache: join(folder, 'hub') },
    });
    for (const { text, spans } of golden) {
      const found = (await model.tags!.tags(text)).spans;
      const places = found.map(({ start, end, type }) => [codePoints(text, start), codePoints(text, end), type]);
      expect([aggregation, text, places]).toEqual([
        aggregation,
        text,
        spans[aggregation].map((each) => each.slice(0, 3)),
      ]);
      for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(spans[aggregation][at]![3], 4);
    }
    await model.close();
  }
});

const rows = [
  'Ann Lee met Bob in New York.',
  'the cat of Ann left York',
  'bob met Lee; Ann left',
  'in York the cat met Bob Lee',
  'nothing here',
].map((text) => ({
  text,
  spans: [...text.matchAll(/Ann Lee|Bob Lee|New York|Ann|Bob|York|Lee/g)].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
    type: /York/.test(found) ? 'LOC' : 'PER',
  })),
}));
const data = join(folder, 'notes.jsonl');
writeFileSync(data, rows.map((row) => JSON.stringify(row)).join('\n'));
const settings = { model: join(goldens, 'bert'), data, task: 'tags', numExamples: 0, force: true } as const;
const run = (options: object): Promise<Report> =>
  attack({ ...settings, attacks: ['deepwordbug'], workers: 1, ...options });

test.each(['lose', 'leak', 'retype', 'spurious'])(
  'goal %s: outcomes carry the entities and what was found',
  async (goal) => {
    const report = await run({ goal });
    const outcomes = await collect(report.examples);
    expect(outcomes).toHaveLength(rows.reduce((sum, { spans }) => sum + spans.length + 1, 0));
    for (const { status, entity, entities = [], tags, text, adversarial, reason } of outcomes) {
      const concerned = (entity === undefined) === (goal === 'spurious');
      expect(reason === 'the goal is after other texts').toBe(!concerned);
      if (!concerned) continue;
      expect(tags?.before).toBeDefined();
      if (status !== 'succeeded') continue;
      const moved = tags?.entities ?? entities;
      expect(moved).toHaveLength(entities.length);
      // Entities that were not edited are found again as they were; the others have the words of the adversarial text in their place.
      for (const [at, { start, end }] of moved.entries()) {
        const [before, after] = [text.slice(entities[at]!.start, entities[at]!.end), adversarial!.slice(start, end)];
        expect(after).not.toBe('');
        if (adversarial!.includes(before)) continue;
        expect(after.split(' ')).toHaveLength(before.split(' ').length);
      }
    }
    if (goal === 'spurious') return;
    const { tags } = report;
    expect(tags?.recall.n).toBe(rows.reduce((sum, { spans }) => sum + spans.length, 0));
    expect(tags!.recallUnderAttack.value).toBeLessThanOrEqual(tags!.recall.value!);
    expect(tags!.leakRate.value).toBeGreaterThanOrEqual(tags!.leakRateBefore.value!);
    const figures = figuresOf(report);
    expect(figures.get('tags.leakRate')?.rate).toEqual(tags!.leakRate);
    expect(figures.get('tags.leakRate.LOC')?.rate.n).toBe(3);
    expect(metricOf('tags.leakRate.LOC').covers('overall')).toBe(true);
    expect(tags!.byType.map(({ label }) => label).sort()).toEqual(['LOC', 'PER']);
  },
);

test('the same seed gives the same outcomes', async () => {
  const [a, b] = [await run({}), await run({ concurrency: 1 })];
  expect(await collect(a.examples)).toEqual(await collect(b.examples));
});

test('words that may be edited are a choice', async () => {
  const report = await run({ touch: 'context' });
  for (const { text, entities = [], entity, adversarial, tags } of await collect(report.examples)) {
    if (adversarial === undefined || entity === undefined) continue;
    const [before, after] = [entities[entity]!, tags!.entities![entity]!];
    expect(adversarial.slice(after.start, after.end)).toBe(text.slice(before.start, before.end));
  }
});

test('evaluate gives precision, recall and F1 of spans', async () => {
  const { clean } = await evaluate({ ...settings });
  expect(clean.tags?.texts).toBe(rows.length);
  expect(clean.tags?.strict.recall.n).toBe(9);
});

test.each([
  [{ defend: ['ranmask'] }, 'defend ranmask: expected a defence that rewrites'],
  [{ defend: ['unicode'], precision: 'int8' }, 'precision: int8 with defend: expected a model of labels'],
  [{ threshold: 'PERSON=0.5' }, 'expected types of the model (PER, LOC)'],
  [{ threshold: 'fpr=0.1' }, 'expected a score of spans'],
  [{ attacks: undefined, suites: ['typos'], textColumns: ['a', 'b'] }, 'textColumns: expected a model of labels'],
  [{ positive: ['PER'] }, 'expected task tags, got positive too'],
  [{ task: 'single', goal: 'leak' }, 'expected'],
])('refused by name: %o', async (options, message) => {
  await expect(run(options)).rejects.toThrow(message);
});

test('an exhaustive check is refused, and says why', async () => {
  await expect(verify({ ...settings })).rejects.toMatchObject({ code: 'TASK_UNSUPPORTED' });
});

test('thresholds of types leave out the spans below them', async () => {
  const spansOf = async (threshold?: string) => {
    const { clean } = await evaluate({ ...settings, ...(threshold && { threshold }) });
    return clean.tags!;
  };
  const found = (tags: Awaited<ReturnType<typeof spansOf>>, type: string) =>
    tags.byType.find(({ label }) => label === type)?.precision.n ?? 0;
  const all = await spansOf();
  expect(found(all, 'PER') + found(all, 'LOC')).toBeGreaterThan(0);
  const [some, none] = [await spansOf('PER=1'), await spansOf('LOC=1,1')];
  expect([found(some, 'PER'), found(some, 'LOC')]).toEqual([0, found(all, 'LOC')]);
  expect([found(none, 'PER'), found(none, 'LOC')]).toEqual([0, 0]);
  expect((await run({ threshold: 'PER=0.5,0.1' })).model.output?.tags).toMatchObject({
    ...{ least: 0.1, leastByType: { PER: 0.5 } },
  });
});

test('behind a defence that rewrites, spans have their places in the text as it was', async () => {
  const hidden = rows.map(({ text, spans }) => {
    // A zero-width space within each entity, and a look-alike letter before it.
    const marked = [...spans]
      .reverse()
      .reduce((so, { start }) => `${so.slice(0, start + 1)}\u200B${so.slice(start + 1)}`, text);
    const moved = spans.map(({ start, end, type }, at) => ({ start: start + at, end: end + at + 1, type }));
    return { text: marked, spans: moved };
  });
  const disguised = join(folder, 'disguised.jsonl');
  writeFileSync(disguised, hidden.map((row) => JSON.stringify(row)).join('\n'));
  const plain = await evaluate({ ...settings });
  const behind = await evaluate({ ...settings, data: disguised, defend: ['unicode'] });
  expect(behind.clean.tags).toEqual(plain.clean.tags);
  expect(behind.model.name).toMatch(/\+unicode$/);
  const report = await run({ defend: ['unicode'] });
  for (const { status, adversarial, tags } of await collect(report.examples)) {
    if (status !== 'succeeded') continue;
    for (const { start, end } of tags!.after!) expect(adversarial!.slice(start, end).trim()).not.toBe('');
  }
});
