/** The sockets: limits, time, figures and the stop; and a model served is the model, to the bit. */
import { get } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { RequestEntry } from '../../src/serve/request-entry.js';
import { type Listening, type ListeningOptions, listen } from '../../src/serve/server.js';
import { serving, toyModel, toyProbabilities } from './toy.js';

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function listenToy(others: Partial<ListeningOptions> = {}): Promise<Listening> {
  const server = await listen({ ...serving(), host: '127.0.0.1', port: 0, maxBody: 2 ** 20, grace: 5, ...others });
  open.push(server);
  return server;
}

const ask = (url: string, texts: readonly string[], init: RequestInit = {}) =>
  fetch(url, { method: 'POST', body: JSON.stringify({ texts }), ...init });

/** A model whose answers wait until they are let go. */
function held() {
  const waiting: (() => void)[] = [];
  const model = {
    ...toyModel,
    scores: async (texts: readonly string[]) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return texts.map(toyProbabilities);
    },
  };
  const came = async (count: number) => {
    while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  const release = () => {
    for (const each of waiting.splice(0)) each();
  };
  return { model, came, release };
}

test('any text gets its scores, to the last bit', async () => {
  const { url } = await listenToy({ maxBatch: 64 });
  const texts = fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(texts, async (asked) => {
      const { answers } = (await (await ask(url, asked)).json()) as { answers: { scores: number[] }[] };
      expect(answers.map(({ scores }) => Float32Array.from(scores))).toEqual(asked.map(toyProbabilities));
    }),
    { numRuns: 20, seed: 1 },
  );
});

test.each([
  ['POST', '/', '['.repeat(50_000)],
  ['POST', '/', `{"texts":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
  ['POST', '/v2/models/toy/infer', `{"inputs":${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}}`],
])('%s %s: JSON of any depth is answered 400', async (method, path, body) => {
  const { url } = await listenToy();
  const answer = await fetch(url + path, { method, body });
  expect({ status: answer.status, body: await answer.text() }).toEqual({
    status: 400,
    body: expect.stringContaining('nested deeper than 64 levels'),
  });
});

test('a server bound to all addresses answers whatever its name', async () => {
  const { port } = await listenToy({ host: '0.0.0.0' });
  const status = await new Promise((resolve) =>
    get({ host: '127.0.0.1', port, path: '/health', headers: { host: 'models.example' } }, ({ statusCode }) =>
      resolve(statusCode),
    ),
  );
  expect(status).toBe(200);
});

test('a body that is too large is refused before it is read, with or without a stated length', async () => {
  const { url } = await listenToy({ maxBody: 1000 });
  const texts = ['a'.repeat(5000)];
  expect((await ask(url, texts)).status).toBe(413);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from(JSON.stringify({ texts })));
      controller.close();
    },
  });
  const chunked = await fetch(url, { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
  expect(chunked.status).toBe(413);
  expect(chunked.headers.get('connection')).toBe('close');
  expect((await ask(url, ['short'])).status).toBe(200);
});

test('texts beyond the queue are answered 429 with Retry-After, and are not counted as waiting', async () => {
  const { model, came, release } = held();
  const { url, answers } = await listenToy({ model, maxQueue: 5 });
  const first = ask(url, ['a', 'b', 'c']);
  await came(1);
  const refused = await ask(url, ['d', 'e', 'f']);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(answers.waiting).toBe(3);
  const second = ask(url, ['d', 'e']);
  await came(2);
  release();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  expect(answers.waiting).toBe(0);
});

test('an answer that takes too long is 503, and the next one comes', async () => {
  const { model, release } = held();
  const { url } = await listenToy({ model, timeout: 0.5 });
  const late = await ask(url, ['a']);
  expect(late.status).toBe(503);
  expect(late.headers.get('retry-after')).toBe('1');
  release();
});

test('a defect is answered with 500 and reported, and the server lives', async () => {
  const defects: unknown[] = [];
  let broken = true;
  const model = {
    ...toyModel,
    scores: async (texts: readonly string[]) => {
      if (broken) throw new TypeError('secret');
      return texts.map(toyProbabilities);
    },
  };
  const { url } = await listenToy({ model, onDefect: (error) => defects.push(error) });
  const failed = await ask(url, ['a']);
  expect([failed.status, await failed.text()]).toEqual([500, '{"error":"internal error"}']);
  expect(defects).toEqual([expect.any(TypeError)]);
  broken = false;
  expect((await ask(url, ['a'])).status).toBe(200);
});

test('a stop lets requests under way end and takes no more', async () => {
  const { model, came, release } = held();
  const server = await listenToy({ model });
  const under = ask(server.url, ['a']);
  await came(1);
  const closed = server.close();
  await expect(ask(server.url, ['b'])).rejects.toThrow();
  release();
  expect((await under).status).toBe(200);
  await closed;
});

test('a stop does not wait longer than its grace, nor for connections that say nothing', async () => {
  const { model, came, release } = held();
  const server = await listenToy({ model, grace: 0.05 });
  const silent = connect(server.port, '127.0.0.1');
  const over = new Promise((resolve) => silent.on('close', resolve));
  silent.on('error', () => {});
  const under = ask(server.url, ['a']);
  await came(1);
  const cut = expect(under).rejects.toThrow();
  await server.close();
  await Promise.all([cut, over]);
  release();
});

test('each request is logged without its texts, and counted', async () => {
  const entries: RequestEntry[] = [];
  const { url, answers } = await listenToy({ onRequest: (entry) => entries.push(entry) });
  await (await ask(`${url}/?secret=canary`, ['canary', 'b'])).json();
  await (await ask(`${url}/nothing`, [])).json();
  await fetch(`${url}/health`).then((each) => each.json());
  expect(entries).toEqual([
    expect.objectContaining({ method: 'POST', path: '/', protocol: 'json', status: 200, texts: 2 }),
    expect.objectContaining({ path: '/nothing', protocol: undefined, status: 404, texts: 0 }),
    expect.objectContaining({ path: '/health', status: 200 }),
  ]);
  expect(JSON.stringify(entries)).not.toContain('canary');
  expect(answers.totals).toEqual({ requests: 3, refused: 1, texts: 2 });
});
