import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDataset } from '../../datasets/index.js';
import { attack, merge } from '../../src/api.js';
import { queryText } from '../../src/core/pair.js';
import { collect } from '../../src/core/take.js';
import { loadModel } from '../../src/model/load.js';
import type { Report } from '../../src/results/report/report.js';
import { writeFreshBert } from './fresh-bert.js';

const model = fileURLToPath(new URL('goldens/bert', import.meta.url));
const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'robust-tag-runs-'));
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(home));

const data = join(folder, 'notes.jsonl');
writeFileSync(
  data,
  Array.from({ length: 30 }, (_, at) => {
    const name = ['Ann', 'Bob', 'Lee'][at % 3]!;
    const text = `${['today', 'the cat saw', 'nothing of'][(at * 7) % 3]} ${name} left York ${at}`;
    const start = text.indexOf(name);
    const place = text.indexOf('York');
    const spans = [
      { start, end: start + name.length, type: 'PER' },
      { start: place, end: place + 4, type: 'LOC' },
    ];
    return JSON.stringify({ text, spans });
  }).join('\n'),
);
const settings = {
  model,
  data,
  task: 'tags',
  attacks: ['deepwordbug'],
  numExamples: 0,
  force: true,
  workers: 1,
} as const;

const journal = ({ run }: Report): string =>
  readFileSync(join('.robust/runs', run, 'results.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .sort()
    .join('\n');

test('shards put together have the outcomes and figures of the whole run', async () => {
  const whole = await attack({ ...settings });
  const parts = [await attack({ ...settings, shard: '1/2' }), await attack({ ...settings, shard: '2/2' })];
  const merged = await merge(parts.map(({ run }) => join('.robust/runs', run)));
  expect(await collect(merged.examples)).toEqual(await collect(whole.examples));
  expect(merged.tags).toEqual(whole.tags);
  expect(journal(merged)).toBe(journal(whole));
});

test('searches that ask int8 are confirmed by the model itself', async () => {
  const path = join(folder, 'int8');
  const tags = ['O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC'];
  await writeFreshBert(path, await openDataset('reviews'), { layers: 2, dim: 128, heads: 2, feedForward: 512 }, tags);
  const report = await attack({ ...settings, model: path, precision: 'int8' });
  expect(report.clean.approximation?.precision).toContain('int8');
  const { classify, close } = await loadModel(path, { decision: 'tags', workers: 1 });
  for (const { status, adversarial, entity, tags, label } of await collect(report.examples)) {
    if (status !== 'succeeded') continue;
    const [row] = await classify([queryText(adversarial!, { entities: tags!.entities!, entity: entity! })]);
    expect(row!.indexOf(Math.max(...row!))).not.toBe(label);
  }
  await close();
});

test('an interrupted run that is resumed ends as one that was not', async () => {
  const whole = await attack({ ...settings, seed: 5 });
  const stop = new AbortController();
  let run = '';
  const cut = attack({
    ...settings,
    ...{ seed: 5, concurrency: 1, signal: stop.signal },
    onRun: (id) => {
      run = id;
    },
    onProgress: () => stop.abort(),
  });
  await expect(cut).rejects.toMatchObject({ code: 'INTERRUPTED' });
  const resumed = await attack({ resume: run });
  expect(await collect(resumed.examples)).toEqual(await collect(whole.examples));
  expect(resumed.tags).toEqual(whole.tags);
});
