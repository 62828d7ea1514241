/** Each protocol: what is found through an endpoint is what is found on the model itself, to the byte. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type RunningServer, serve } from '../../src/app/serve.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { clientProtocols } from '../../src/protocols/index.js';
import type { RequestEntry } from '../../src/serve/request-entry.js';
import { folder, robust } from '../commands/cli.js';
import { type Fixture, fixture, servedModel } from './fixture.js';
import { ADDRESSES, endpointFile, journal } from './runs.js';

const ATTACK = ['-n', '6', '-a', 'deepwordbug'];

let server: RunningServer;
/** What the server was asked. */
let asked: RequestEntry[] = [];
let itself: LoadedModel;
/** Speaks all dialects; what they have in common is that of the first. */
let others: Fixture;
let local: string;
beforeAll(async () => {
  server = await serve({ model: 'bert-mini', port: 0, onRequest: (entry) => asked.push(entry) });
  itself = await loadModel('bert-mini', { logits: true });
  others = await fixture({ model: servedModel(itself) });
  local = folder();
  await robust(['attack', '-m', 'bert-mini', ...ATTACK], { cwd: local });
});
afterAll(async () => {
  await Promise.all([server, others, itself].map((each) => each.close()));
});

test('each protocol is named in one file of the protocols', () => {
  const files = readdirSync('src/protocols').map((file) => join('src/protocols', file));
  for (const { name } of clientProtocols) {
    const naming = files.filter((file) => readFileSync(file, 'utf8').includes(`'${name}'`));
    expect(naming, name).toHaveLength(1);
  }
});

/** Services that name the labels in no answer or description. */
const NAMELESS = ['tfserving', 'openai-chat'];

test.each(ADDRESSES)('%s: outcomes are those of the model itself', async (name, addressOf) => {
  const { url } = name === 'kserve-v2' ? server : others;
  const labels = NAMELESS.includes(name) ? ['--labels', 'negative,positive'] : [];
  const cwd = folder();
  const ended = await robust(['attack', '-m', addressOf(url, 'bert-mini'), ...labels, ...ATTACK], { cwd });
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  expect(journal(cwd)).toBe(journal(local));
});

describe('kserve-v2', () => {
  const manifest = (remote: object): string =>
    endpointFile({ remote: { protocol: 'kserve-v2', url: `${server.url}/v2/models/bert-mini`, ...remote } });
  const TEXTS = ['A warm, funny film.', 'Dull — and far too long…', 'not bad'];

  test.each([
    ['tensors as bytes', { binary: true }],
    ['the classification extension, which tells the labels', { classification: true }],
  ])('%s', async (_, remote) => {
    const model = await loadModel(manifest(remote));
    onTestFinished(() => model.close());
    expect(model.labels).toEqual(itself.labels);
    expect(await model.classify(TEXTS)).toEqual(await itself.classify(TEXTS));
  });
});

test('--surrogate searches on a local model, and queries the endpoint with the results alone', async () => {
  const cwd = folder();
  asked = [];
  const words = [
    'attack',
    '-m',
    `kserve+${server.url}/v2/models/bert-mini`,
    '--surrogate',
    'bert-mini',
    ...ATTACK,
    '--json',
  ];
  const ended = await robust(words, { cwd });
  expect(ended, ended.stderr).toMatchObject({ code: expect.any(Number) });
  const { result } = JSON.parse(ended.stdout);
  const [transfer] = result.attacks;
  // The surrogate is the victim here: every success on one flips the other.
  expect(transfer).toMatchObject({ attackSuccessRate: { value: 1 } });
  expect(asked.reduce((sum, { texts }) => sum + texts, 0)).toBe(8 + 2 * transfer.succeeded);
});

test('--dry-run asks nothing, and says at most how much a run would', async () => {
  const spec = `kserve+${server.url}/v2/models/bert-mini`;
  asked = [];
  const cwd = folder();
  const ended = await robust(['attack', '-m', spec, ...ATTACK, '--dry-run', '--endpoint', 'price=0.5', '--json'], {
    cwd,
  });
  const { result } = JSON.parse(ended.stdout);
  expect(asked).toEqual([]);
  const lines = journal(local).trim().split('\n');
  const computed = lines.reduce((sum, line) => sum + JSON.parse(line).queries.computed, 0);
  expect(result.queries.value).toBeGreaterThan(computed);
  expect(result.cost).toBeCloseTo(0.5 * result.queries.value, 6);
});
