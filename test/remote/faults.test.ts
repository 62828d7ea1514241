/** Attacks through every protocol over a network that fails: the outcomes are those of the model itself, byte for byte. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attack } from '../../src/app/attack.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { lasting } from '../calibration.js';
import { folder } from '../commands/cli.js';
import { FAULTS, type Fixture, type FixtureOptions, fixture, impatient, servedModel } from './fixture.js';
import { ENDPOINTS, endpointFile, journal, type TestEndpoint } from './runs.js';

const CONCURRENCY = 4;
/** A text of the probe is sent alone, again, and with others. */
const PROBE_REPEATS = 2;
const attacks = ['deepwordbug'] as const;
const numExamples = 12;
const home = process.cwd();

let model: LoadedModel;
let local: string;
const open: Fixture[] = [];

beforeAll(async () => {
  model = await loadModel('bert-mini', { logits: true, workers: 1 });
  local = await run('bert-mini');
});

afterAll(async () => {
  for (const each of open) await each.close();
  await model.close();
});

/** The journal of a run in a folder of its own. */
async function run(spec: string): Promise<string> {
  const cwd = folder();
  process.chdir(cwd);
  try {
    await attack({ model: spec, attacks, numExamples, workers: 1, remote: { pause: 2 } });
    return journal(cwd);
  } finally {
    process.chdir(home);
  }
}

async function served(options: Partial<FixtureOptions> = {}): Promise<Fixture> {
  const server = await fixture({ model: servedModel(model), ...options });
  open.push(server);
  return server;
}

/** An attack on what is served in that protocol. */
function through(server: Fixture, endpoint: TestEndpoint): Promise<string> {
  const { name, labels } = model;
  const remote = { ...endpoint.remote(server.url, name), concurrency: CONCURRENCY, timeout: `${lasting(5)}s` };
  return run(endpointFile({ labels, remote }));
}

const met = new Set<string>();

const cases = ENDPOINTS.map((endpoint, at) => ({ protocol: endpoint.protocol, endpoint, seed: 10 + at }));

test.each(cases)('$protocol: no example is lost, none counted twice', async ({ endpoint, seed }) => {
  const faults = FAULTS.filter((fault) => fault !== 'silence');
  const bad = { share: 0.2, faults, seed, retryAfter: 50, shuffled: true };
  const server = await served(bad);
  expect(await through(server, endpoint)).toBe(local);
  const failed = server.asked.flatMap(({ fault }) => fault ?? []);
  for (const fault of failed) met.add(fault);
  expect(failed.length).toBeGreaterThan(0);
  // Answered queries were not repeated.
  const texts = server.asked.filter(({ answered }) => answered).flatMap((entry) => entry.texts);
  expect(texts.length - new Set(texts).size).toBeLessThanOrEqual(PROBE_REPEATS);
  expect(impatient(server.log, CONCURRENCY)).toEqual([]);
});

test('that was with every fault', () => {
  expect([...met].sort()).toEqual(FAULTS.filter((fault) => fault !== 'silence').sort());
});

test('a fifth of the requests failing costs at most 1.35 times the requests', async () => {
  // A text a request: how many there are depends on nothing else.
  const endpoint = ENDPOINTS.find(({ protocol }) => protocol === 'openai-chat') as TestEndpoint;
  const sound = await served();
  expect(await through(sound, endpoint)).toBe(local);
  const bad = await served({ share: 0.2, faults: ['unavailable', 'cut', 'half a JSON', 'overloaded'], seed: 2 });
  expect(await through(bad, endpoint)).toBe(local);
  expect(bad.asked.length / sound.asked.length).toBeGreaterThan(1.1);
  expect(bad.asked.length / sound.asked.length).toBeLessThanOrEqual(1.35);
});

test('a request to a silent server is repeated after the time limit', async () => {
  const server = await served({ share: 0.1, faults: ['silence'], seed: 3 });
  const remote = { protocol: 'kserve-v2', url: `${server.url}/v2/models/${model.name}`, timeout: `${lasting(1)}s` };
  expect(await run(endpointFile({ labels: model.labels, remote }))).toBe(local);
  expect(server.log.filter(({ fault }) => fault === 'silence').length).toBeGreaterThan(0);
});
