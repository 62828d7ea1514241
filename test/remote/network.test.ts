/** Between the client and an endpoint: HTTP/2 as TLS negotiates it, and proxies as the environment names them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROBE_QUERIES } from '../../src/remote/index.js';
import { Answers } from '../../src/serve/answers.js';
import { kserveV2 } from '../../src/serve/kserve-v2.js';
import { lasting } from '../calibration.js';
import { folder, robust, robustProcess } from '../commands/cli.js';
import { endpointFile, journal } from './runs.js';
import { scoreOf } from './server.js';

const ATTACK = ['-n', '12', '-a', 'deepwordbug'];
const PROBE_REQUESTS = 3;
const USER = 'user:canary-5e77';

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

const model = {
  name: 'toy',
  sha256: '0'.repeat(64),
  labels: ['negative', 'positive'],
  scores: async (texts: readonly string[]) => texts.map((text) => Float32Array.from(scoreOf(text))),
};
const answers = new Answers({ model, routes: kserveV2(model, '0'), maxBatch: 64, maxQueue: 1e6, timeout: lasting(60) });

type AnyRequest = IncomingMessage | Http2ServerRequest;
type AnyResponse = ServerResponse | Http2ServerResponse;

/** Answers a request; `texts` gets those in it, where its answer is sent whole. */
async function answer(request: AnyRequest, response: AnyResponse, texts: string[] = []): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const { method = '', url = '', headers } = request;
  const reply = await answers.reply({ method, url, headers, bytes });
  if (method === 'POST') texts.push(...JSON.parse(bytes.toString('utf8')).inputs[0].data);
  (response as ServerResponse).writeHead(reply.status, { ...reply.headers });
  response.end(reply.bytes);
}

function listening(server: Server | Http2SecureServer): Promise<string> {
  closing.push(() => server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`localhost:${(server.address() as AddressInfo).port}`));
  });
}

/** A proxy for `USER`; `log` receives its requests. Others get 407. */
function proxy(log: string[]): Promise<string> {
  const allowed = ({ headers }: IncomingMessage): boolean =>
    headers['proxy-authorization'] === `Basic ${Buffer.from(USER).toString('base64')}`;
  const server = createServer((asked, response) => {
    log.push(`${asked.method} ${asked.url}`);
    if (!allowed(asked)) return response.writeHead(407).end();
    asked.pipe(
      request(asked.url as string, { method: asked.method, headers: asked.headers }, (reply) => {
        response.writeHead(reply.statusCode as number, reply.headers);
        reply.pipe(response);
      }),
    );
  });
  server.on('connect', (asked, socket) => {
    log.push(`CONNECT ${asked.url}`);
    if (!allowed(asked)) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const [host, port] = (asked.url as string).split(':');
    const there = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      there.pipe(socket).pipe(there);
    });
    for (const [one, other] of [
      [there, socket],
      [socket, there],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  return listening(server);
}

const attack = (url: string): string[] => ['attack', '-m', `kserve+${url}/v2/models/toy`, ...ATTACK];

let plain: string;
let expected: string;
beforeAll(async () => {
  plain = `http://${await listening(createServer((request, response) => void answer(request, response)))}`;
  const cwd = folder();
  expect((await robust(attack(plain), { cwd })).code).toBe(0);
  expected = journal(cwd);
});

describe.skipIf(spawnSync('openssl', ['version']).error !== undefined)(
  'TLS, by a certificate that openssl makes',
  () => {
    const home = folder();
    const [key, certificate] = [join(home, 'key.pem'), join(home, 'certificate.pem')];
    const env = { NODE_EXTRA_CA_CERTS: certificate };
    let pair: { key: Buffer; cert: Buffer };
    beforeAll(() => {
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      const files = ['-days', '2', '-keyout', key, '-out', certificate];
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files], {
        stdio: 'ignore',
      });
      pair = { key: readFileSync(key), cert: readFileSync(certificate) };
    });

    /** How an HTTP/2 server may fail, a request each. */
    const FAULTS: readonly ((response: Http2ServerResponse) => void)[] = [
      ({ stream }) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
      ({ stream }) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
      (response) => response.writeHead(429, { 'retry-after-ms': '2' }).end(),
      ({ stream }) => stream.session?.goaway(constants.NGHTTP2_NO_ERROR),
      ({ stream }) => stream.session?.destroy(),
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"model_name":"toy","outputs":[{"na', () => response.stream.close(constants.NGHTTP2_CANCEL));
      },
    ];

    test('HTTP/2 where it is offered: its faults lose and double nothing', async () => {
      const versions = new Set<string>();
      const texts: string[] = [];
      let asked = 0;
      let failed = 0;
      const server = createSecureServer({ ...pair, allowHTTP1: true }, (request, response) => {
        versions.add(request.httpVersion);
        const fault =
          request.method === 'POST' && ++asked > PROBE_REQUESTS && asked % 3 === 0 ? FAULTS[failed++] : undefined;
        if (fault) fault(response);
        else void answer(request, response, texts);
      });
      // Destroyed sessions.
      server.on('sessionError', () => {});
      // So that there are requests enough.
      const few = { protocol: 'kserve-v2', url: `https://${await listening(server)}/v2/models/toy`, batch: 4 };
      const cwd = folder();
      const ended = await robustProcess(['attack', '-m', endpointFile({ remote: few }), ...ATTACK], { cwd, env });
      expect(ended.code, ended.stderr).toBe(0);
      expect(journal(cwd)).toBe(expected);
      expect([...versions]).toEqual(['2.0']);
      expect(failed).toBeGreaterThan(FAULTS.length);
      const answered = texts.slice(PROBE_QUERIES);
      expect(answered.length).toBe(new Set(answered).size);
    });

    test('HTTP/1.1 where it is not, through a tunnel of the proxy for https', async () => {
      const versions = new Set<string>();
      const { createServer: secure } = await import('node:https');
      const server = secure(pair, (request, response) => {
        versions.add(request.httpVersion);
        void answer(request, response);
      });
      const host = await listening(server);
      const log: string[] = [];
      const through = `http://${USER}@${await proxy(log)}`;
      const cwd = folder();
      const ended = await robustProcess(attack(`https://${host}`), { cwd, env: { ...env, HTTPS_PROXY: through } });
      expect(ended.code, ended.stderr).toBe(0);
      expect(journal(cwd)).toBe(expected);
      expect([...versions]).toEqual(['1.1']);
      expect(new Set(log)).toEqual(new Set([`CONNECT ${host}`]));
    });
  },
);

test('plain requests are handed to the proxy for http, with its password', async () => {
  const log: string[] = [];
  const cwd = folder();
  const ended = await robust(attack(plain), { cwd, env: { HTTP_PROXY: `${USER}@${await proxy(log)}` } });
  expect(ended.code, ended.stderr).toBe(0);
  expect(journal(cwd)).toBe(expected);
  expect(log).toContain(`POST ${plain}/v2/models/toy/infer`);
  expect(log.filter((line) => line.startsWith('CONNECT'))).toEqual([]);
});

test.each([
  ['NO_PROXY names the host', { HTTP_PROXY: '', NO_PROXY: 'example.org,localhost' }],
  ['the proxy is one of https', { HTTPS_PROXY: '' }],
])('no proxy is used if %s', async (_, env) => {
  const log: string[] = [];
  const there = `http://${await proxy(log)}`;
  const named = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value || there]));
  expect((await robust(attack(plain), { env: named })).code).toBe(0);
  expect(log).toEqual([]);
});

test.each(['http', 'https'])('a proxy that refuses an address of %s gets no further request', async (scheme) => {
  const log: string[] = [];
  const there = `http://user:another-canary@${await proxy(log)}`;
  const ended = await robust(attack(plain.replace('http', scheme)), {
    env: { HTTP_PROXY: there, HTTPS_PROXY: there },
  });
  expect(ended).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/the proxy refuses: HTTP 407\n.*HTTPS_PROXY=/),
  });
  expect(ended.stderr).not.toContain('another-canary');
  expect(log).toHaveLength(1);
});

test.each(['ftp://proxy:3128', 'http://', 'http://a b'])('a proxy at "%s" is a mistake of usage', async (there) => {
  const ended = await robust(attack(plain), { env: { HTTP_PROXY: there } });
  expect(ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('HTTP_PROXY: expected the address of a proxy'),
  });
});
