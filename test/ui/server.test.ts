/** Access to the page's server, and its answers: a real server on loopback over a source of ten lines. */
import { createHash } from 'node:crypto';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { RobustError } from '../../src/core/errors.js';
import type { LocalServer } from '../../src/ui/local-server.js';
import { listenUi } from '../../src/ui/server.js';
import type { RunQuestion, UiSource } from '../../src/ui/source.js';
import { until } from '../model/processes.js';

let server: LocalServer;
let cookie: string;
const defects: unknown[] = [];
const started: RunQuestion[] = [];
/** Called when the page abandons a running attack. */
const ended = vi.fn();

const source: UiSource = {
  models: ['toy'],
  about: async () => ({ decision: 'toy', goals: [], truths: [] }),
  data: ['reviews'],
  attacks: [{ suite: 'typos', size: 1, members: [{ spec: 'patient', name: 'patient', summary: 'Waits.' }] }],
  start: (question) => void started.push(question),
  current: () => undefined,
  follow: async (changed) => changed({ question: started[0]!, status: 'done', run: 'r1', words: 'Done.' }),
  stop: () => void ended(),
  async answer(model, { text }) {
    if (model !== 'toy') throw new RobustError(`no model ${model}`, { code: 'MODEL_NOT_FOUND', hint: 'Take toy.' });
    return { model, said: text, scores: [{ label: text, score: 0.5, decided: true }] };
  },
  async attack({ attack, text }, step, signal) {
    step({ text: `${text} <b>`, queries: 3, confidence: 0.25, said: 'confidence 0.250', closest: true });
    if (attack === 'broken') throw new TypeError('undefined is not a function');
    if (attack === 'refused')
      throw new RobustError('it does not fit', { code: 'ATTACK_UNSUPPORTED', hint: 'Take another.' });
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    ended();
    return undefined;
  },
  explain: () => Promise.reject(new RobustError('nothing to explain', { code: 'TEXT_INVALID' })),
  runs: async () => [],
  rates: async () => ({ fault: 'unread' }),
  report: () => Promise.reject(new TypeError('a defect')),
  compare: () => Promise.reject(new RobustError('expected two runs', { code: 'FLAG_INVALID' })),
  listJudged: async () => undefined,
  review: () => Promise.reject(new RobustError('no such reader', { code: 'NAME_INVALID', hint: 'Take reader-1.' })),
};

beforeAll(async () => {
  server = await listenUi({ port: 0, source, onDefect: (error) => defects.push(error) });
  const { headers } = await ask(`/${new URL(server.url).search}`);
  cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
});
afterAll(() => server.close());

interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const ask = (path: string, options: RequestOptions = {}, form = ''): Promise<Answered> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: server.port, path, ...options }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode, headers: response.headers, body });
    })
      .on('error', reject)
      .end(form);
  });
const visit = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  ask(path, { headers: { cookie, ...headers } });

test('the token opens it once, as a cookie that no other site sends, and leaves the address', async () => {
  const { search, host } = new URL(server.url);
  expect(host).toBe(`127.0.0.1:${server.port}`);
  expect(search).toMatch(/^\?token=[\w-]{43}$/);
  const { status, headers } = await ask(`/runs${search}&words=a%20b`);
  expect({ status, location: headers.location }).toEqual({ status: 303, location: '/runs?words=a+b' });
  expect(headers['set-cookie']).toEqual([expect.stringMatching(/; Path=\/; HttpOnly; SameSite=Strict$/)]);
  expect((await visit('/runs')).status).toBe(200);
  // Whatever the address, it leads back here.
  for (const path of [`//evil.example/${search}`, `/%5cevil.example/${search}`]) {
    expect(new URL((await ask(path)).headers.location ?? '', server.url).host).toBe(host);
  }
});

test.each([
  ['no token', 403, {}, '/'],
  ['a wrong token', 403, {}, `/?token=${'A'.repeat(43)}`],
  ['a wrong cookie', 403, { headers: { cookie: 'robust-ui-1=x' } }, '/'],
  ['another host', 421, { headers: { host: 'evil.example' } }, '/'],
  ['a name of this machine for another port', 421, { headers: { host: 'localhost:1' } }, '/'],
] as const)('%s: %i', async (_, expected, options, path) => {
  const { status, headers } = await ask(path, options);
  expect({ status, cookies: headers['set-cookie'] }).toEqual({ status: expected, cookies: undefined });
});

test.each([
  ['an Origin of another site', 403, { origin: 'http://evil.example' }],
  ['a page of another site', 403, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
  ['a page of another port', 403, { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
  ['another host, with the cookie', 421, { host: 'evil.example' }],
  ['this page', 200, { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
  ['the address bar', 200, { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
])('%s: %i', async (_, expected, headers) => {
  expect((await visit('/runs', headers)).status).toBe(expected);
});

test('nothing but GET and forms', async () => {
  for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
    expect((await ask('/', { method, headers: { cookie } })).status).toBe(405);
  }
  const { status, body } = await ask('/', { method: 'HEAD', headers: { cookie } });
  expect({ status, body }).toEqual({ status: 200, body: '' });
});

const RUN = 'model=toy&data=reviews&suite=typos&examples=20&seed=7';
const post = (path: string, form: string, headers: Readonly<Record<string, string>>): Promise<Answered> =>
  ask(path, { method: 'POST', headers }, form);
const origin = (): string => `http://127.0.0.1:${server.port}`;

test('a form of the page starts a run and stops it', async () => {
  const { status, headers } = await post('/new', RUN, { cookie, origin: origin() });
  expect({ status, location: headers.location }).toEqual({ status: 303, location: '/running' });
  expect(started).toEqual([{ model: 'toy', data: 'reviews', suites: ['typos'], attacks: [], examples: 20, seed: 7 }]);
  expect(events((await visit('/live/running')).body)).toMatchObject([
    { event: 'state', data: { status: 'done', run: 'r1' } },
  ]);
  expect((await post('/stop', '', { cookie, origin: origin() })).headers.location).toBe('/running');
  expect(ended).toHaveBeenCalled();
});

test.each([
  ['no cookie', 403, () => ({ origin: origin() })],
  ['no Origin', 403, () => ({ cookie })],
  ['an Origin of another site', 403, () => ({ cookie, origin: 'http://evil.example' })],
  ['an opaque Origin', 403, () => ({ cookie, origin: 'null' })],
  ['another host', 421, () => ({ cookie, origin: 'http://evil.example', host: 'evil.example' })],
  ['a form that is too large', 413, () => ({ cookie, origin: origin(), 'content-length': '70000' })],
] as const)('a form with %s: %i', async (_, expected, headers) => {
  const before = started.length;
  expect((await post('/new', 'x'.repeat(expected === 413 ? 70_000 : 0) || RUN, headers())).status).toBe(expected);
  expect(started).toHaveLength(before);
});

test('an invalid form for a run is a user error', async () => {
  for (const body of [RUN.replace('20', '-1'), RUN.replace('seed=7', '')])
    expect((await post('/new', body, { cookie, origin: origin() })).status).toBe(400);
  expect((await post('/runs', RUN, { cookie, origin: origin() })).status).toBe(404);
});

test('every answer keeps to itself', async () => {
  for (const path of [
    '/',
    '/runs',
    '/gate',
    '/nowhere',
    '/live/answers?model=toy&text=a',
    '/live/answers?model=no&text=a',
  ]) {
    const { headers } = await visit(path);
    expect(headers, path).toMatchObject({
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  }
  const { body, headers } = await visit('/');
  const allowed = /script-src ([^;]+)/.exec(headers['content-security-policy'] as string)?.[1]?.split(' ') ?? [];
  const scripts = [...body.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script]) => script as string);
  expect(scripts.length).toBeGreaterThan(1);
  for (const script of scripts)
    expect(allowed).toContain(`'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  expect(allowed.filter((source) => !source.startsWith("'sha256-"))).toEqual([]);
  expect(/http-equiv="Content-Security-Policy" content="(.*?)"/.exec(body)?.[1]).toMatch(
    /^default-src 'none'; style-src 'sha256-\S+; script-src ('sha256-\S+'\s?)+; img-src data:; base-uri 'none'; form-action 'self'; connect-src 'self'$/,
  );
});

test.each([
  ['/nowhere', 404],
  ['/runs/../../etc/passwd', 404],
  ['//[', 404],
  ['/compare', 400],
  ['/live/answers?model=no&text=a', 404],
  ['/live/answers?model=toy', 400],
  ['/live/answers?model=toy&text=%20', 400],
  ['/live/answers?text=a', 400],
  ['/live/answers?model=a&model=b&model=c&text=a', 400],
  ['/live/explain?model=toy&text=a', 400],
])('%s is an error of the user: %i', async (path, expected) => {
  const { status, headers, body } = await visit(path);
  expect(status).toBe(expected);
  if (!path.startsWith('/live/')) expect(body).toContain('role="alert"');
  else {
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body).error).toMatchObject({ message: expect.any(String), code: expect.any(String) });
  }
  expect(defects).toEqual([]);
});

test('a text that is too long gets a clear error', async () => {
  const { status, body } = await visit(`/live/answers?model=toy&text=${'a'.repeat(20_001)}`);
  expect({ status, code: JSON.parse(body).error.code }).toEqual({ status: 400, code: 'TEXT_INVALID' });
});

test('texts are never markup', async () => {
  const text = encodeURIComponent('</textarea><script>alert(1)</script>"><img src=x>');
  for (const path of [`/?text=${text}`, `/runs?words=${text}`, `/live/answers?model=toy&text=${text}`, `/${text}`]) {
    const { body } = await visit(path);
    expect(body, path).not.toMatch(/<script>alert|<img/);
  }
});

const events = (body: string): { event: string; data: Record<string, unknown> }[] =>
  Array.from(body.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm), ([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data),
  }));

test('an attack streams its steps, and an event gives its end', async () => {
  const refused = await visit('/live/attack?model=toy&attack=refused&text=a%20film');
  expect(refused.headers['content-type']).toBe('text/event-stream');
  expect(events(refused.body)).toEqual([
    {
      event: 'step',
      data: {
        queries: 3,
        confidence: 0.25,
        said: 'confidence 0.250',
        closest: true,
        html: '<p class="text" dir="auto">a film<ins> &lt;b&gt;</ins></p>',
      },
    },
    { event: 'failure', data: { message: 'it does not fit', hint: 'Take another.', code: 'ATTACK_UNSUPPORTED' } },
  ]);
  expect(defects).toEqual([]);
  const broken = await visit('/live/attack?model=toy&attack=broken&text=a');
  expect(events(broken.body)[1]).toMatchObject({ event: 'failure', data: { code: 'INTERNAL' } });
  expect((await visit('/runs/some')).status).toBe(500);
  expect(defects.splice(0)).toEqual([new TypeError('undefined is not a function'), new TypeError('a defect')]);
});

test('who goes away ends the search', async () => {
  const begun = new Promise<void>((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: server.port,
        path: '/live/attack?model=toy&attack=patient&text=a',
        headers: { cookie },
      },
      (response) => {
        response.once('data', () => {
          asked.destroy();
          resolve();
        });
        response.on('error', () => {});
      },
    );
    asked.on('error', reject).end();
  });
  await begun;
  await until(() => ended.mock.calls.length === 1);
});

test('a port that is taken', async () => {
  await expect(listenUi({ port: server.port, source, onDefect() {} })).rejects.toMatchObject({
    code: 'ADDRESS_TAKEN',
    exit: 2,
  });
});
