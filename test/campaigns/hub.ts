/**
 * @file A hostile server in the place of the Hub: whatever it answers, a model arrives that is the right one, or an error says why not;
 * the token goes to nobody else, nothing is written outside the cache, and it ends.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { RobustError } from '../../src/core/errors.js';
import { packageRoot } from '../../src/core/package-root.js';
import { fromHub } from '../../src/model/hub/index.js';
import type { Random } from '../../src/plugin.js';
import { COMMIT, gitHash, sha256 } from '../model/fake-hub.js';
import type { Campaign, Trial } from './campaign.js';

const TOKEN = 'hf_secret';
const ID = 'org/toy';
/** Seconds without a byte after which a request is given up. */
const TIMEOUT = 0.3;
/** Seconds a trial may take at most: a dozen tries, each given up after its patience. */
const LONGEST = 60;
/** Bytes that a server may push in a trial. */
const MOST = 512 * 2 ** 20;

const NAMES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.onnx'] as const;

const STRANGE_NAMES = [
  ...['../escaped', '../../escaped', 'a/../../../escaped', '/tmp/escaped', 'C:\\escaped', '..\\escaped', '.', '..', ''],
  ...[
    'a//b',
    './a',
    'a\u0000b',
    'a\nb',
    '\u001B[2J',
    '__proto__',
    'constructor',
    'x'.repeat(5000),
    'model.onnx/escaped',
    'CON',
  ],
];

const ETAGS = [
  '',
  '"',
  '""',
  'W/"x"',
  '"../../escaped"',
  `"${'a'.repeat(40)}"`,
  `W/"${'b'.repeat(64)}"`,
  '"a", "b"',
  `"${'A'.repeat(64)}"`,
];
const LENGTHS = ['-1', '0', '1e9', '9'.repeat(400), '0x10', '1, 2', 'NaN'];
const LOCATIONS = [
  'http://[',
  'file:///etc/passwd',
  'data:text/plain,x',
  '//',
  'javascript:1',
  'http://127.0.0.1:1/x',
  '\u00E4',
];

type Answer = (request: IncomingMessage, response: ServerResponse, honest: () => void) => void;

/** One way to answer wrongly, by name. */
function wrongs(random: Random, evil: () => string, body: () => Buffer): readonly (readonly [string, Answer])[] {
  const text =
    (content: string | Buffer, headers = {}, status = 200): Answer =>
    (_, response) => {
      response.writeHead(status, headers);
      response.end(content);
    };
  const pick = <T>(all: readonly T[]): T => all[random.int(all.length)] as T;
  const endless =
    (piece: Buffer, headers = {}): Answer =>
    (_, response) => {
      response.writeHead(200, headers);
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
  const cut = (): Buffer => body().subarray(0, random.int(body().length + 1));
  return [
    ['HTML', text('<!doctype html><script>x</script>', { 'content-type': 'text/html' })],
    ['nothing', text('')],
    [
      'status',
      text(
        '{}',
        { 'retry-after': pick(['0', '-5', '1', 'x', 'Infinity', '1e9']) },
        pick([204, 400, 401, 403, 404, 408, 418, 429, 500, 503]),
      ),
    ],
    ['endless', endless(Buffer.alloc(65_536, pick(['[', ' ', 'a', '{"a":'])))],
    ['endless, gzipped', endless(MUCH, { 'content-encoding': 'gzip' })],
    ['gzip bomb', text(BOMB, { 'content-encoding': 'gzip' })],
    ['deep JSON', text(DEEP)],
    ['deep objects', text(NESTED)],
    [
      'JSON of another kind',
      text(
        pick([
          'null',
          '[]',
          '{"sha":1}',
          '{"sha":"x","siblings":{}}',
          `{"sha":"${COMMIT}","siblings":[{}]}`,
          `{"sha":"${COMMIT}","siblings":[{"rfilename":"model.onnx","size":-1}]}`,
        ]),
      ),
    ],
    [
      'cut',
      (_, response) => {
        response.writeHead(200, { 'content-length': body().length });
        response.write(cut(), () => response.destroy());
      },
    ],
    [
      'wrong length',
      (_, response) => {
        response.writeHead(200, { 'content-length': body().length + 1 + random.int(10) });
        response.end(body());
      },
    ],
    ['longer', text(Buffer.concat([body(), Buffer.from('x')]))],
    ['one bit', text(flipped(body(), random.int(Math.max(1, body().length))))],
    [
      'stall',
      (_, response) => {
        response.writeHead(200);
        response.write(cut());
      },
    ],
    ['silence', () => {}],
    [
      'drip',
      (_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write(' ')), 50);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'drip, over and over',
      (_, response) => {
        response.writeHead(200);
        response.write(body().subarray(0, 1), () => response.destroy());
      },
    ],
    [
      'reset',
      (request) => {
        request.socket.destroy();
      },
    ],
    [
      'garbage',
      (request) => {
        request.socket.end('HTTP/9.9 nonsense\r\n\r\n\r\n');
      },
    ],
    [
      'redirect elsewhere',
      (request, response) => {
        response.writeHead(302, { location: `${evil()}${request.url}` });
        response.end();
      },
    ],
    [
      'redirect to itself',
      (request, response) => {
        response.writeHead(302, { location: request.url ?? '/' });
        response.end();
      },
    ],
    ['redirect nowhere', text('', { location: pick(LOCATIONS).replace(/[^ -~]/g, '%C3%A4') }, 307)],
    ['etag', text('', { 'x-linked-etag': pick(ETAGS), 'x-linked-size': pick(LENGTHS) }, pick([200, 302]))],
    ['huge headers', text('', { etag: 'x'.repeat(100_000) })],
    [
      'ranges',
      (_, response) => {
        response.writeHead(206, { 'content-range': pick(['bytes 5-1/2', 'x', 'bytes */0']) });
        response.end(cut());
      },
    ],
  ];
}

const flipped = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

/** Made once, as it takes a while: 8 and 200 MiB of nothing, and a million brackets. */
const MUCH = gzipSync(Buffer.alloc(8 * 2 ** 20));
const BOMB = gzipSync(Buffer.alloc(200 * 2 ** 20));
const NESTED = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
const DEEP = '['.repeat(1_000_000);

/** A file that is served; empty where there is none of that name. */
const own = (files: Readonly<Record<string, Buffer>>, name: string): Buffer =>
  Object.hasOwn(files, name) ? (files[name] as Buffer) : Buffer.of();

const listening = (handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> =>
  new Promise((done) => {
    const server = createServer(handler);
    server.on('clientError', () => {});
    server.listen(0, '127.0.0.1', () => done(server));
  });
const addressOf = (server: Server, host: string): string => `http://${host}:${(server.address() as AddressInfo).port}`;

export const hub: Campaign = {
  name: 'hub',
  summary:
    'A hostile server in the place of the Hub: a coded error or the right files, nothing outside the cache, the token to nobody else',
  count: 400,
  async open() {
    const bundled = join(packageRoot, 'models', 'bert-mini');
    const good: Readonly<Record<string, Buffer>> = Object.fromEntries(
      NAMES.map((name) => [name, readFileSync(join(bundled, name))]),
    );
    return {
      async trial(_, { random, folder }): Promise<Trial> {
        const files: Record<string, Buffer> = { ...good };
        const pick = <T>(all: readonly T[]): T => all[random.int(all.length)] as T;
        const names = random.int(4) === 0 ? [pick(STRANGE_NAMES), pick(STRANGE_NAMES)] : [];
        if (random.int(6) === 0) {
          const strange = pick(['../../secret.json', '/etc/passwd', 'model.onnx', '..', 'a/../../secret.json']);
          files['robust.json'] = Buffer.from(
            JSON.stringify(
              random.int(2) === 0 ? { model: strange } : { input: { kind: 'word-index', vocabulary: strange } },
            ),
          );
        }
        const bare = random.int(4) === 0;
        const lies = random.int(6) === 0;
        const listing = Buffer.from(
          JSON.stringify({
            sha: random.int(10) === 0 ? 'c'.repeat(40) : COMMIT,
            siblings: [...Object.keys(files), ...names].map((rfilename) => {
              const bytes = own(files, rfilename);
              if (bare) return { rfilename };
              const size = lies && random.int(3) === 0 ? pick([0, 1, bytes.length + 1, 1e15]) : bytes.length;
              const hash = lies && random.int(3) === 0 ? sha256(Buffer.from('other')) : sha256(bytes);
              return rfilename === 'model.onnx'
                ? { rfilename, size, lfs: { sha256: hash, size } }
                : { rfilename, size, blobId: gitHash(bytes) };
            }),
          }),
        );
        const target = pick(['listing', 'head', ...NAMES]);
        const leaks: string[] = [];
        let pushed = 0;
        const count = (response: ServerResponse): void =>
          void response.on('close', () => {
            pushed += response.socket?.bytesWritten ?? 0;
          });
        const evil = await listening((request, response) => {
          if (request.headers.authorization !== undefined) leaks.push(request.url ?? '');
          response.end(pick([listing, Buffer.from('{}'), files['model.onnx'] as Buffer]));
        });
        const whole = (request: IncomingMessage): Buffer => {
          const path = decodeURIComponent(request.url ?? '');
          return path.startsWith('/api/') ? listing : own(files, path.split('/').slice(5).join('/'));
        };
        let body = Buffer.of() as Buffer;
        const all = wrongs(
          random,
          () => addressOf(evil, 'localhost'),
          () => body,
        );
        const [kind, answer] = pick(all);
        let times = pick([1, 1, 2, 1000]);
        const server = await listening((request, response) => {
          count(response);
          const path = decodeURIComponent(request.url ?? '');
          const of = path.startsWith('/api/')
            ? 'listing'
            : request.method === 'HEAD'
              ? 'head'
              : path.split('/').slice(5).join('/');
          const bytes = whole(request);
          const honest = (): void => {
            const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
            response.writeHead(from > 0 ? 206 : 200, {
              'content-length': bytes.length - Math.min(from, bytes.length),
              etag: `"${gitHash(bytes)}"`,
            });
            response.end(request.method === 'HEAD' ? undefined : bytes.subarray(from));
          };
          if (of !== target || times-- <= 0) return honest();
          body = bytes;
          answer(request, response, honest);
        });
        // A folder beside the cache, which no name may reach.
        const beside = join(folder, 'beside');
        mkdirSync(beside);
        writeFileSync(join(beside, 'secret.json'), '{"secret":1}');
        const cache = join(beside, 'cache');
        const spec = pick([`hf:${ID}`, `hf:${ID}`, `hf:${ID}@${COMMIT}`]);
        const began = performance.now();
        let ended = 'right files';
        let fault: string | undefined;
        try {
          const found = await fromHub(
            spec,
            { endpoint: addressOf(server, '127.0.0.1'), cache, token: TOKEN, timeout: TIMEOUT, pause: 1 },
            () => {},
          );
          const wrong = Object.keys(good).filter(
            (name) =>
              !readFileSync(join('folder' in found ? found.folder : found.path, name)).equals(good[name] as Buffer),
          );
          if (wrong.length > 0) fault = `other contents: ${wrong.join(', ')}`;
        } catch (error) {
          if (error instanceof RobustError) {
            ended = error.code;
            if (error.exit !== 3 && error.exit !== 2) fault = `exit code ${error.exit}`;
            if (`${error.message} ${error.hint}`.includes(TOKEN)) fault = 'the error tells the token';
          } else fault = (error as Error).stack ?? String(error);
        } finally {
          for (const each of [server, evil]) {
            each.closeAllConnections();
            each.close();
          }
        }
        const seconds = (performance.now() - began) / 1000;
        const outside = [...readdirSync(folder), ...readdirSync(beside)].filter(
          (name) => !['beside', 'cache', 'secret.json'].includes(name),
        );
        if (outside.length > 0) fault = `written outside the cache: ${outside.join(', ')}`;
        if (leaks.length > 0) fault = `the token went elsewhere: ${leaks[0]}`;
        if (seconds > LONGEST) fault = `${seconds.toFixed(0)} s`;
        if (pushed > MOST) fault = `${pushed} bytes were taken`;
        return { kind, ended, ...(fault === undefined ? {} : { fault }) };
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};
