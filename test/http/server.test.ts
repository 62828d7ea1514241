/** Shared behaviour of all HTTP servers: those of serve and of pages, and their common base. */
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HttpServer, type HttpServerOptions, openServer } from '../../src/http/server.js';
import { listen as listenServe } from '../../src/serve/server.js';
import { listenLocally, reply } from '../../src/ui/local-server.js';
import { serving } from '../serve/toy.js';

type Opened = Pick<HttpServer, 'port' | 'url' | 'close'>;

const hello = { status: 200, headers: { 'content-type': 'text/plain' }, bytes: Buffer.from('hello') };

/** Each listens at a port of the loopback. */
const SERVERS: Readonly<Record<string, (port: number) => Promise<Opened>>> = {
  serve: (port) => listenServe({ ...serving(), host: '127.0.0.1', port, maxBody: 1000, grace: 0.05 }),
  ui: (port) => listenLocally({ port, answer: async () => reply(['hello']), onDefect: () => {} }),
};

const ask = (port: number, path: string, options: RequestOptions = {}, body = ''): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, ...options }, (response) => resolve(response.resume()))
      .on('error', reject)
      .end(body);
  });

describe.each(Object.entries(SERVERS))('%s', (_, start) => {
  const started = async (port = 0): Promise<Opened> => {
    const server = await start(port);
    onTestFinished(() => server.close());
    return server;
  };

  test('on loopback, a page of another site whose name leads here gets nothing', async () => {
    const { port, url } = await started();
    const { pathname, search } = new URL(url);
    const path = search === '' ? '/health' : pathname + search;
    const statusFor = async (host: string) => (await ask(port, path, { headers: { host } })).statusCode;
    for (const host of [`127.0.0.1:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`])
      expect(await statusFor(host), host).toBeLessThan(400);
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost', `127.0.0.1.evil.example:${port}`])
      expect(await statusFor(host), host).toBe(421);
  });

  test('an address that is taken is a usage error', async () => {
    const { port } = await started();
    await expect(started(port)).rejects.toMatchObject({ code: 'ADDRESS_TAKEN', exit: 2 });
  });

  test('a stop does not wait for connections that say nothing', async () => {
    const server = await started();
    const silent = connect(server.port, '127.0.0.1');
    silent.on('error', () => {});
    await new Promise((resolve) => silent.once('connect', resolve));
    const over = new Promise((resolve) => silent.once('close', resolve));
    await server.close();
    await over;
  });
});

describe('the server of all', () => {
  const opened = async (options: Partial<HttpServerOptions<typeof hello>> = {}): Promise<HttpServer> => {
    const answer = async () => hello;
    const server = await openServer({ host: '127.0.0.1', port: 0, maxBody: 10, answer, ...options });
    onTestFinished(() => server.close());
    return server;
  };

  test.each([
    ['nothing', ''],
    ['half a head', 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
    ['half a body', 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{"a'],
  ])('a connection that sends %s ends at the time limit of a request', async (_, sent) => {
    const { port } = await opened({ timeout: 0.2 });
    const socket = connect(port, '127.0.0.1', () => socket.write(sent));
    await new Promise((resolve) => socket.resume().once('close', resolve));
  });

  test('bodies are bounded, every reply has the common headers, HEAD has no body', async () => {
    const { port } = await opened({ headers: { 'x-frame-options': 'DENY' } });
    const whole = await ask(port, '/', { method: 'POST' }, 'x'.repeat(10));
    const large = await ask(port, '/', { method: 'POST' }, 'x'.repeat(11));
    const head = await ask(port, '/', { method: 'HEAD' });
    expect([whole, large, head].map(({ statusCode, headers }) => [statusCode, headers['x-frame-options']])).toEqual([
      [200, 'DENY'],
      [413, 'DENY'],
      [200, 'DENY'],
    ]);
    expect([large.headers.connection, head.headers['content-length']]).toEqual(['close', '5']);
  });

  test('a defect ends the connection with 500, is reported, and the server lives', async () => {
    const defects: unknown[] = [];
    let broken = true;
    const { port } = await opened({
      answer: async () => {
        if (broken) throw new TypeError('secret');
        return hello;
      },
      onDefect: (error) => defects.push(error),
    });
    const failed = await ask(port, '/').then(
      ({ statusCode }) => statusCode,
      () => 'closed',
    );
    expect([failed, defects]).toEqual([500, [expect.any(TypeError)]]);
    broken = false;
    expect((await ask(port, '/')).statusCode).toBe(200);
  });
});
