/** Which words made a model tag an entity. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attack, explain } from '../../src/api.js';
import { queryText } from '../../src/core/pair.js';
import { loadModel } from '../../src/model/load.js';

const model = fileURLToPath(new URL('goldens/bert', import.meta.url));
const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'robust-tag-explanations-'));
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(home));

const text = 'Ann Lee met Bob in New York.';
const entities = [
  { start: 0, end: 7, type: 'PER' },
  { start: 19, end: 27, type: 'LOC' },
];
const data = join(folder, 'notes.jsonl');
writeFileSync(data, JSON.stringify({ text, spans: entities }));

test('the weights of an entity add up to its score, found or not; the rest of a text has none', async () => {
  const { explanations } = await explain({ model: [model], data, task: 'tags', method: ['shap'] });
  expect(explanations.map(({ entity, label }) => [entity, label])).toEqual([
    [0, 'PER'],
    [1, 'LOC'],
  ]);
  const tagger = await loadModel(model, { decision: 'tags', workers: 1 });
  for (const [entity, { methods, label }] of explanations.entries()) {
    const queries = [
      queryText(text, { entities, entity }),
      queryText('', { entities: [{ start: 0, end: 0, type: label }], entity: 0 }),
    ];
    const [all, none] = (await tagger.classify(queries)).map((row) => row[tagger.labels.indexOf(label)]!);
    const sum = methods[0]!.words.reduce((total, { weight }) => total + weight, 0);
    expect(sum).toBeCloseTo(all! - none!, 5);
  }
  await tagger.close();
});

test('of a given text the entities that the model finds are explained', async () => {
  const tagger = await loadModel(model, { decision: 'tags', workers: 1 });
  const { spans } = await tagger.tags!.tags(text);
  await tagger.close();
  const { explanations } = await explain({ model: [model], text, task: 'tags', method: ['lime'], samples: 50 });
  expect(explanations.map(({ entities: found = [], entity = -1 }) => found[entity]?.type)).toEqual(
    spans.map(({ type }) => type),
  );
  expect(explanations.map(({ label }) => label)).toEqual(spans.map(({ type }) => type));
});

test('an entity in the second half of a text whose answer is certain is explained', async () => {
  const certain = 'Ann Lee moved to Leeds on 3 May.';
  const { explanations } = await explain({ model: [model], text: certain, task: 'tags', method: ['shap'] });
  expect(explanations.some(({ entities = [], entity = -1 }) => entities[entity]!.start > certain.length / 2)).toBe(
    true,
  );
});

test('methods that look into a model are refused; so is a text without entities', async () => {
  const inside = explain({ model: [model], text, task: 'tags', method: ['attention'] });
  await expect(inside).rejects.toMatchObject({ code: 'TAGS_UNSUPPORTED' });
  const none = explain({ model: [model], text, task: 'tags', threshold: '1', method: ['shap'] });
  await expect(none).rejects.toMatchObject({ code: 'NO_ENTITIES' });
});

test('successes of an attack are explained in their places', async () => {
  const report = await attack({
    ...{ model, data, task: 'tags', attacks: ['deepwordbug'], numExamples: 0, force: true, explain: true },
  });
  const tagger = await loadModel(model, { decision: 'tags', workers: 1 });
  expect(report.explanations).toHaveLength(report.closest.length);
  for (const [at, { before, after }] of report.explanations!.entries()) {
    const { adversarial = '', entity, tags } = report.closest[at]!;
    const rows = await tagger.classify([
      queryText(text, { entities, entity: entity! }),
      queryText(adversarial, { entities: tags!.entities!, entity: entity! }),
    ]);
    expect([before, after].map(({ probabilities }) => probabilities)).toEqual(rows.map((row) => [...row]));
  }
  await tagger.close();
});
