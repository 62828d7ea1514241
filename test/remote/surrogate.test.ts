/** The transfer attack from a surrogate to an endpoint: `robust attack --surrogate`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { folder, robust } from '../commands/cli.js';
import { type Fixture, fixture, servedModel } from './fixture.js';

let victim: LoadedModel;
let server: Fixture;
beforeAll(async () => {
  victim = await loadModel('bert-mini');
  server = await fixture({ model: servedModel(victim), maxBatch: 8 });
});
afterAll(async () => {
  await server.close();
  await victim.close();
});

test('it tries what fools the surrogate on the endpoint, two queries a text', async () => {
  const spec = `kserve+${server.url}/v2/models/bert-mini`;
  const attack = ['attack', '-m', spec, '--surrogate', 'distilbert', '-n', '20', '-a', 'deepwordbug'];
  const ended = await robust([...attack, '--json'], { cwd: folder() });
  expect(ended.stdout, ended.stderr).toContain('"ok":true');
  const [transfer] = JSON.parse(ended.stdout).result.attacks;
  expect(transfer.succeeded + transfer.failed).toBeGreaterThan(0);
  const queries = server.asked.flatMap(({ texts }) => texts).length - 8;
  expect(queries).toBe(2 * (transfer.succeeded + transfer.failed + transfer.skipped) - transfer.skipped);
});
