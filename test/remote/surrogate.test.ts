/** A surrogate that learns an endpoint's own answers, and the transfer attack from it: `robust train --teacher`, `robust attack --surrogate`. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDataset } from '../../datasets/index.js';
import { random } from '../../src/core/random.js';
import { refusal } from '../../src/core/refusal.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { teacherProbabilities } from '../../src/train/teacher-probabilities.js';
import { folder, robust } from '../commands/cli.js';
import { type Fixture, fixture, servedModel } from './fixture.js';

let victim: LoadedModel;
let server: Fixture;
const texts: string[] = [];
const cwd = folder();
beforeAll(async () => {
  victim = await loadModel('bert-mini');
  server = await fixture({ model: servedModel(victim), maxBatch: 8 });
  for await (const { text } of (await openDataset('reviews')).examples()) texts.push(text);
  // Labels by chance: what is learnt can only be the endpoint's answers.
  const chance = random(1, 'labels');
  writeFileSync(join(cwd, 'texts.tsv'), 'text\tlabel\n');
  for (const text of texts)
    appendFileSync(
      join(cwd, 'texts.tsv'),
      `${text.replace(/\s+/g, ' ')}\t${['negative', 'positive'][chance.int(2)]}\n`,
    );
});
afterAll(async () => {
  await server.close();
  await victim.close();
});

test('it learns answers of the endpoint, each queried once despite interruptions; its texts are sent to the endpoint', async () => {
  const spec = `kserve+${server.url}/v2/models/bert-mini`;
  const size = ['--arch', 'word-cnn:dim=32:vocabulary=2000', '--epochs', '12', '--lr', '5e-3'];
  const learn = [
    'train',
    '--teacher',
    spec,
    '--loss',
    'teacher-share=1',
    '-d',
    'texts.tsv',
    '-o',
    'surrogate',
    ...size,
  ];
  const spent = await robust([...learn, '--endpoint', 'max-requests=12', '--log', 'plain'], { cwd });
  expect(spent, spent.stderr).toMatchObject({ code: 4, stderr: expect.stringContaining('max-requests (12)') });
  const done = await robust(['train', '-o', 'surrogate', '--resume', '--log', 'plain'], { cwd });
  expect(done, done.stderr).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/\d+ texts sent in \d+ requests/),
  });
  const asked = server.asked.flatMap(({ texts }) => texts).slice(8);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked.length).toBeLessThanOrEqual(texts.length);

  const surrogate = await loadModel(join(cwd, 'surrogate'));
  const [learnt, told] = await Promise.all([surrogate.classify(asked), victim.classify(asked)]);
  await surrogate.close();
  const agree = learnt.filter((row, at) => (row[1] as number) > 0.5 === (told[at]?.[1] as number) > 0.5).length;
  expect(agree / asked.length).toBeGreaterThan(0.8);

  const before = server.asked.length;
  const attack = [
    'attack',
    '-m',
    spec,
    '--surrogate',
    './surrogate',
    '-n',
    '20',
    '-a',
    'deepwordbug',
    '--log',
    'plain',
  ];
  const ended = await robust([...attack, '--json'], { cwd });
  expect(ended.stdout, ended.stderr).toContain('"ok":true');
  const [transfer] = JSON.parse(ended.stdout).result.attacks;
  expect(transfer.succeeded + transfer.failed).toBeGreaterThan(0);
  const queries = server.asked.slice(before).flatMap(({ texts }) => texts).length - 8;
  expect(queries).toBe(2 * (transfer.succeeded + transfer.failed + transfer.skipped) - transfer.skipped);
});

test('labels are matched by name, and what a teacher refuses keeps its own', async () => {
  const teacher = {
    labels: ['Positive', 'Negative'],
    classify: async (asked: readonly string[]) =>
      asked.map((text) => (text === 'no' ? refusal(2) : Float32Array.of(0.75, 0.25))),
  };
  const data = {
    ...{ name: 'two', labels: ['negative', 'positive'], source: { url: '', license: '', sha256: '' } },
    async *examples() {
      yield { id: '1', text: 'yes', label: 0 };
      yield { id: '2', text: 'no', label: 0 };
    },
  };
  expect([...(await teacherProbabilities([teacher], data, data.labels))]).toEqual([0.25, 0.75, 1, 0]);
  const others = { ...data, labels: ['0', '1'] };
  expect([...(await teacherProbabilities([teacher], others, others.labels))]).toEqual([0.75, 0.25, 1, 0]);
});
