/** Each protocol against `robust serve`: what is found through an endpoint is what is found on the model itself, to the byte. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, serve } from '../../src/app/serve.js';
import { floatToHalf, halfToFloat } from '../../src/core/half.js';
import { loadModel } from '../../src/model/load.js';
import { servedProtocols } from '../../src/protocols/index.js';
import { folder, robust } from '../commands/cli.js';
import { endpointFile, journal } from './runs.js';

const ATTACK = ['-n', '6', '-a', 'deepwordbug', '--log', 'plain'];

let server: RunningServer;
let local: string;
beforeAll(async () => {
  server = await serve({ model: 'bert-mini', protocols: ['all'], port: 0 });
  local = folder();
  await robust(['attack', '-m', 'bert-mini', ...ATTACK], { cwd: local });
});
afterAll(async () => {
  await server.close();
});

const answered = servedProtocols.filter(
  // Protocols of spans: test/tags/presidio.test.ts.
  ({ client, server: end }) => client && end.path && !end.carries?.includes('spans'),
);

test('the protocols with both ends, each in one file and one line of the list', () => {
  expect(answered.map(({ name }) => name)).toMatchInlineSnapshot(`
    [
      "kserve-v2",
      "tei",
      "vllm",
      "tfserving",
      "kserve-v1",
      "hf-inference",
      "openai-moderation",
      "openai-chat",
    ]
  `);
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  for (const { name } of answered) {
    const naming = sources.filter((file) => readFileSync(join('src', file), 'utf8').includes(`'${name}'`));
    expect(naming).toEqual([expect.stringMatching(/^protocols\//)]);
  }
});

test.each(answered)('$name: outcomes are those of the model itself', async ({ name, server: { announces } }) => {
  const { model = '' } = server.protocols.find((each) => each.name === name) ?? {};
  const labels = announces === undefined ? ['--labels', 'negative,positive'] : [];
  const cwd = folder();
  const ended = await robust(['attack', '-m', model, ...labels, ...ATTACK], { cwd });
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
    const [model, itself] = await Promise.all([loadModel(manifest(remote)), loadModel('bert-mini')]);
    try {
      expect(model.labels).toEqual(itself.labels);
      expect(await model.classify(TEXTS)).toEqual(await itself.classify(TEXTS));
    } finally {
      await Promise.all([model.close(), itself.close()]);
    }
  });

  test.each(['probabilities', 'logits'] as const)('%s in half precision, which go as bytes', async (scores) => {
    const halves = await serve({ model: 'bert-mini', protocols: ['kserve-v2'], datatype: 'FP16', scores, port: 0 });
    const [model, itself] = await Promise.all([
      loadModel(`kserve+${halves.url}/v2/models/bert-mini`),
      loadModel('bert-mini'),
    ]);
    try {
      const [found, exact] = await Promise.all([model.classify(TEXTS), itself.classify(TEXTS)]);
      for (const [text, row] of exact.entries()) {
        // 11 bits; of logits up to 8 in size the last one is 2^-8, and a probability moves by a quarter of that at most.
        for (const [label, p] of row.entries()) {
          if (scores === 'logits') expect(Math.abs((found[text]?.[label] as number) - p)).toBeLessThan(2 ** -9);
          else expect(found[text]?.[label]).toBe(halfToFloat(floatToHalf(p)));
        }
      }
    } finally {
      await Promise.all([model.close(), itself.close(), halves.close()]);
    }
  });
});

test('--surrogate searches on a local model, and queries the endpoint with the results alone', async () => {
  const cwd = folder();
  const before = (await metrics()).texts;
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
  expect((await metrics()).texts - before).toBe(8 + 2 * transfer.succeeded);
});

test('--dry-run asks nothing, and says at most how much a run would', async () => {
  const spec = `kserve+${server.url}/v2/models/bert-mini`;
  const before = await metrics();
  const cwd = folder();
  const ended = await robust(['attack', '-m', spec, ...ATTACK, '--dry-run', '--endpoint', 'price=0.5', '--json'], {
    cwd,
  });
  const { result } = JSON.parse(ended.stdout);
  expect((await metrics()).requests).toBe(before.requests + 1);
  const lines = journal(local).trim().split('\n');
  const asked = lines.reduce((sum, line) => sum + JSON.parse(line).queries.computed, 0);
  expect(result.queries.value).toBeGreaterThan(asked);
  expect(result.cost).toBeCloseTo(0.5 * result.queries.value, 6);
});

/** Requests by the server's count. */
async function metrics(): Promise<{ texts: number; requests: number }> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const sum = (name: RegExp): number => [...text.matchAll(name)].reduce((total, [, value]) => total + Number(value), 0);
  return {
    texts: sum(/^robust\w*texts_total(?:\{[^}]*\})? (\d+)/gm),
    requests: sum(/^robust\w*requests_total(?:\{[^}]*\})? (\d+)/gm),
  };
}
