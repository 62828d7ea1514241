/** The fixture does what it says: what is proved by it is worth no more. */
import { afterEach, expect, test } from 'vitest';
import { toyModel as served, toyLogits, toyProbabilities } from '../serve/toy.js';
import { FAULTS, type Fault, type Fixture, type FixtureOptions, fixture, impatient, type Logged } from './fixture.js';

const toyModel = { ...served, logits: async (texts: readonly string[]) => texts.map(toyLogits) };
const open: Fixture[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function serving(options: Partial<FixtureOptions> = {}): Promise<Fixture> {
  const server = await fixture({ model: toyModel, ...options });
  open.push(server);
  return server;
}

/** The answer as TEI gives it. */
const ask = ({ url }: Fixture, texts: readonly string[], signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/predict`, {
    method: 'POST',
    body: JSON.stringify({ inputs: texts.map((text) => [text]) }),
    ...(signal && { signal }),
  });

const broken = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'whole',
    (error: Error) => error.name,
  );

test.each<[Fault, (server: Fixture) => Promise<unknown>, unknown]>([
  ['overloaded', async (server) => (await ask(server, ['a'])).status, 429],
  ['overloaded, with Retry-After', async (server) => (await ask(server, ['a'])).headers.get('retry-after'), '2'],
  ['unavailable', async (server) => (await ask(server, ['a'])).status, 503],
  ['cut', async (server) => broken(ask(server, ['a']).then((reply) => reply.text())), 'TypeError'],
  ['silence', (server) => broken(ask(server, ['a'], AbortSignal.timeout(50))), 'TimeoutError'],
  ['half a JSON', async (server) => broken(ask(server, ['a']).then((reply) => reply.json())), 'SyntaxError'],
  ['NaN', async (server) => (await (await ask(server, ['a'])).text()).includes('NaN'), true],
  ['too few rows', async (server) => ((await (await ask(server, ['a', 'b'])).json()) as unknown[]).length, 1],
])('%s', async (fault, act, found) => {
  const server = await serving({ share: 1, faults: [fault], retryAfter: 2000 });
  expect(await act(server)).toEqual(found);
  expect(server.log).toMatchObject([{ fault, answered: false }]);
  server.options = { ...server.options, share: 0 };
  expect((await ask(server, ['a'])).status).toBe(200);
});

test('a share of the requests fails, each kind in turn, the same ones by the same seed', async () => {
  const faults = FAULTS.filter((fault) => fault !== 'silence');
  const kinds = async (seed: number) => {
    const server = await serving({ share: 0.5, faults, seed });
    for (let at = 0; at < 40; at++) await broken(ask(server, ['a']).then((reply) => reply.text()));
    return server.log.map(({ fault }) => fault);
  };
  const first = await kinds(1);
  const failed = first.filter((fault) => fault !== undefined);
  expect(failed.length).toBeGreaterThan(8);
  expect(failed.length).toBeLessThan(32);
  expect(new Set(failed)).toEqual(new Set(faults));
  expect(await kinds(1)).toEqual(first);
  expect(await kinds(2)).not.toEqual(first);
});

test('the log contains each request and whether it was answered', async () => {
  const server = await serving();
  await Promise.all([ask(server, ['a', 'b']), ask(server, ['c'])].map(async (reply) => (await reply).json()));
  expect(server.asked.map(({ texts, answered }) => ({ texts, answered }))).toEqual([
    { texts: ['a', 'b'], answered: true },
    { texts: ['c'], answered: true },
  ]);
});

test('traits: decimals, noise, hard labels, shuffled labels', async () => {
  const text = 'bbgg';
  const scores = async (options: Partial<FixtureOptions>): Promise<{ label: string; score: number }[]> =>
    ((await (await ask(await serving(options), [text])).json()) as [{ label: string; score: number }[]])[0];
  const exact = [...toyProbabilities(text)];
  const byIndex = (found: readonly { label: string; score: number }[]) =>
    toyModel.labels.map((label) => found.find((each) => each.label === label)?.score as number);
  expect(byIndex(await scores({}))).toEqual(exact);
  expect(byIndex(await scores({ decimals: 4 }))).toEqual(exact.map((value) => Math.fround(Number(value.toFixed(4)))));
  expect(byIndex(await scores({ hardLabels: true }))).toEqual(
    exact.map((value) => Number(value === Math.max(...exact))),
  );
  const noisy = byIndex(await scores({ noise: 1e-4 }));
  expect(noisy).not.toEqual(exact);
  for (const [at, value] of noisy.entries()) expect(Math.abs(value - (exact[at] as number))).toBeLessThan(1.01e-4);
  const orders = await Promise.all(Array.from({ length: 6 }, (_, seed) => scores({ shuffled: true, seed })));
  expect(new Set(orders.map((each) => each.map(({ label }) => label).join())).size).toBeGreaterThan(1);
  for (const each of orders) expect(byIndex(each)).toEqual(exact);
});

test('impatience is what cannot have been on its way', () => {
  const request = (came: number, left: number, until = 0): Logged => ({
    ...{ method: 'POST', path: '/', headers: {}, fault: undefined, texts: [], answered: true },
    ...{ came, left, until },
  });
  const refused = request(10, 11, 100);
  const underWay = request(9, 40);
  const [second, third] = [request(12, 20), request(50, 60)];
  expect(impatient([refused, underWay, second], 3)).toEqual([]);
  expect(impatient([refused, underWay, second, third], 3)).toEqual([third]);
  expect(impatient([refused, second], 1)).toEqual([second]);
  expect(impatient([refused, request(101, 102)], 1)).toEqual([]);
});
