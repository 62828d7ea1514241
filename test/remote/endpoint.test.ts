/** An endpoint as a victim: the queries to it, the handling of its faults, and the independence of runs from them. */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TEXTS_PER_REQUEST } from '../../src/core/endpoint.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { folder, robust } from '../commands/cli.js';
import { answerOf, type Fault, kserve, type Log, type Scorer, scoreOf, serving, stopServing } from './server.js';

afterAll(stopServing);

const results = (cwd: string): string => {
  const run = readFileSync(join(cwd, '.robust/runs/latest'), 'utf8').trim();
  return readFileSync(join(cwd, '.robust/runs', run, 'results.jsonl'), 'utf8');
};

const ATTACK = ['-n', '12', '-a', 'deepwordbug', '-a', 'hard-label'];
const PROBE_REQUESTS = 3;

const toy = { labels: ['negative', 'positive'] };
const scored: Scorer = async (texts) => texts.map(scoreOf);

test.each(['tei', 'presidio', 'vllm', 'kserve', 'tfserving', 'sglang'])(
  '%s: metadata that is no JSON is asked for again, then an error with a code',
  async (protocol) => {
    for (const said of ['<html>Bad gateway</html>', '{"a":', '[]', '"x"']) {
      const log: string[] = [];
      const url = await serving((_, request, response) => {
        log.push(request.url ?? '');
        response.end(said);
      });
      const path =
        protocol === 'kserve'
          ? '/v2/models/m'
          : protocol === 'tfserving'
            ? '/v1/models/m'
            : protocol === 'presidio' || protocol === 'tei'
              ? ''
              : '/m';
      const opened = loadModel(`${protocol}+${url}${path}`, {
        remote: { pause: 1 },
        ...(protocol === 'presidio' && { decision: 'tags' }),
      });
      await expect(opened.then((model) => model.close())).rejects.toMatchObject({
        exit: expect.toSatisfy((exit) => exit === 2 || exit === 3),
      });
      expect(log.length, said).toBeGreaterThan(said.startsWith('<') ? 1 : 0);
    }
  },
);

test.each([307, 308])('HTTP %i to another port of the host is not followed', async (status) => {
  const log: string[] = [];
  const other = await serving((body) => {
    log.push(body);
    return {};
  });
  const url = await serving((_, request, response) => {
    response.writeHead(status, { location: `${other}${request.url}` }).end();
  });
  await expect(open(url)).rejects.toMatchObject({
    code: 'ENDPOINT_UNREACHABLE',
    message: expect.stringContaining('redirects to'),
  });
  expect(log).toEqual([]);
});

/** Every way to fail, in turn. */
const FAULTS: readonly ((response: ServerResponse, texts: readonly string[]) => void)[] = [
  (response) => response.writeHead(429, { 'retry-after-ms': '2' }).end('{"error":"slow down"}'),
  (response) => response.writeHead(429).end(),
  (response) => response.writeHead(503, { 'retry-after': '0' }).end('busy'),
  (response) => response.destroy(),
  (response, texts) => response.end(JSON.stringify(answerOf(texts.map(scoreOf))).slice(0, -20)),
  (response, texts) => response.end(JSON.stringify(answerOf(texts.map(scoreOf))).replace(/0\.\d+/, 'NaN')),
  (response, texts) => response.end(JSON.stringify(answerOf(texts.slice(1).map(scoreOf)))),
  (response) => response.writeHead(500).end('<html><body><h1>Internal Server Error</h1></body></html>'),
];

const open = (url: string, options: Parameters<typeof loadModel>[1] = {}): Promise<LoadedModel> =>
  loadModel(`kserve+${url}/v2/models/m`, { ...options, remote: { pause: 1, ...options.remote } });

const texts = (n: number, of = 'text'): string[] => Array.from({ length: n }, (_, at) => `${of} number ${at}`);

test('outcomes through an endpoint are those of the model itself, byte for byte', async () => {
  const model = await loadModel('bert-mini');
  try {
    const local = folder();
    expect((await robust(['attack', '-m', 'bert-mini', ...ATTACK], { cwd: local })).code).toBe(0);
    const log: Log = { batches: [] };
    const url = await serving(
      kserve(model.labels, async (texts) => (await model.classify(texts)).map((row) => [...row]), log),
    );
    const through = folder();
    const ended = await robust(['attack', '-m', `kserve+${url}/v2/models/m`, ...ATTACK], { cwd: through });
    expect(ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Warning') });
    expect(results(through)).toBe(results(local));
    const asked = log.batches.slice(PROBE_REQUESTS).flat();
    expect(asked.length).toBe(new Set(asked).size);
  } finally {
    await model.close();
  }
});

test('queries with temporary faults are repeated: every text gets its answer, and no query is repeated without need', async () => {
  const log: Log = { batches: [] };
  let failed = 0;
  const fault: Fault = (response, texts) => {
    if (log.batches.length % 5 !== 4) return false;
    FAULTS[failed++ % FAULTS.length]?.(response, texts);
    return true;
  };
  const model = await open(await serving(kserve(toy.labels, scored, log, fault)));
  try {
    const all = texts(6000);
    const rows = await model.classify(all);
    expect(rows.map((row) => [...row])).toEqual(all.map(scoreOf));
    expect(failed).toBeGreaterThan(2 * FAULTS.length);
    // A fifth of all requests failed: 1 / 0.8 of the healthy run's.
    expect(log.batches.length).toBeLessThanOrEqual(1.35 * (PROBE_REQUESTS + Math.ceil(all.length / TEXTS_PER_REQUEST)));
    expect(model.remote?.usage()).toMatchObject({ requests: log.batches.length, repeated: failed });
  } finally {
    await model.close();
  }
});

test('a failure that lasts ends the run with code 3 and keeps it; going on asks eight texts twice, to recognise the model', async () => {
  const model = await loadModel('bert-mini');
  const cwd = folder();
  try {
    let broken = false;
    const log: Log = { batches: [] };
    const scores: Scorer = async (texts) => (await model.classify(texts)).map((row) => [...row]);
    const fault: Fault = (response) => {
      broken ||= log.batches.length === 20;
      if (broken) response.writeHead(503, { 'retry-after-ms': '1' }).end();
      return broken;
    };
    const url = await serving(kserve(model.labels, scores, log, fault));
    const attack = ['attack', '-m', `kserve+${url}/v2/models/m`, ...ATTACK];
    const ended = await robust(attack, { cwd });
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(
      /HTTP 503 \(\d+ attempts?\)\n.*kept.*Once the cause is removed, continue with: robust attack --resume \d{8}T/,
    );
    const answered = log.batches.flat();

    broken = false;
    log.batches.push(...Array.from({ length: 30 }, () => []));
    const before = log.batches.length;
    const resumed = await robust(['attack', '--resume'], { cwd });
    expect(resumed.code).toBe(0);
    const again = log.batches.slice(before).flat();
    expect(again.filter((text) => answered.includes(text))).toEqual(again.slice(0, 8));

    const local = folder();
    await robust(['attack', '-m', 'bert-mini', ...ATTACK], { cwd: local });
    expect(results(cwd)).toBe(results(local));
  } finally {
    await model.close();
  }
});

test.each([
  [401, 'ACCESS_DENIED'],
  [403, 'ACCESS_DENIED'],
  [404, 'ENDPOINT_NOT_FOUND'],
  [501, 'ENDPOINT_UNREACHABLE'],
  [302, 'ENDPOINT_UNREACHABLE'],
])('HTTP %i ends everything at once, and says what to do', async (status, code) => {
  const log: Log = { batches: [] };
  const fault: Fault = (response) => {
    if (log.batches.length < PROBE_REQUESTS) return false;
    response.writeHead(status, { location: 'http://elsewhere.invalid/' }).end('{"error":{"message":"no"}}');
    return true;
  };
  const model = await open(await serving(kserve(toy.labels, scored, log, fault)));
  try {
    await expect(model.classify(texts(10))).rejects.toMatchObject({
      code,
      hint: expect.stringMatching(/\w/),
      exit: status === 404 ? 2 : 3,
    });
    expect(log.batches).toHaveLength(PROBE_REQUESTS + 1);
    await expect(model.classify(['another'])).rejects.toMatchObject({ code });
    expect(log.batches).toHaveLength(PROBE_REQUESTS + 1);
  } finally {
    await model.close();
  }
});

test.each([400, 413, 422])('HTTP %i halves the batch, and blames a text only where it stands alone', async (status) => {
  const log: Log = { batches: [] };
  const fault: Fault = (response, batch) => {
    if (!batch.includes('poison')) return false;
    response.writeHead(status).end('{"error":"bad text"}');
    return true;
  };
  const model = await open(await serving(kserve(toy.labels, scored, log, fault)));
  try {
    const all = [...texts(20), 'poison', ...texts(11, 'more')];
    const settled = await Promise.allSettled(all.map(async (text) => model.classify([text])));
    expect(settled.flatMap(({ status }, at) => (status === 'rejected' ? [all[at]] : []))).toEqual(['poison']);
    await expect(model.classify(['poison'])).rejects.toMatchObject({ code: 'TEXT_UNSUPPORTED' });
  } finally {
    await model.close();
  }
});

test('no request comes before the time of Retry-After', async () => {
  const log: Log = { batches: [] };
  let told: number | undefined;
  const early: number[] = [];
  const fault: Fault = (response) => {
    const now = performance.now();
    if (told !== undefined && now < told) early.push(told - now);
    if (log.batches.length % 10 !== 9) return false;
    told = now + 40;
    response.writeHead(429, { 'retry-after-ms': '40' }).end();
    return true;
  };
  const url = await serving(kserve(toy.labels, scored, log, fault));
  const model = await loadModel(`kserve+${url}/v2/models/m`, { remote: { pause: 1 } });
  try {
    // One at a time: nothing that was under way before may come after.
    for (const text of texts(40)) await model.classify([text]);
    expect(early).toEqual([]);
  } finally {
    await model.close();
  }
});

test('a run is not resumed on an endpoint that changed', async () => {
  const log: Log = { batches: [] };
  const about = { name: 'm', versions: ['1'] };
  const handler = kserve(toy.labels, scored, log);
  const url = await serving(async (body, request, response) => {
    const answer = await handler(body, request, response);
    return request.method === 'GET' ? { ...(answer as object), ...about } : answer;
  });
  const answers = join(folder(), 'answers.bin');
  const first = await open(url);
  first.remote?.keepAnswers(answers);
  await first.classify(['one']);
  await first.close();
  const asked = log.batches.length;
  const sent = first.remote?.usage();
  const second = await open(url, { remote: { answers } });
  expect(await second.classify(['one'])).toEqual([Float32Array.from(scoreOf('one'))]);
  await second.close();
  expect(log.batches).toHaveLength(asked);
  expect(second.remote?.usage()).toEqual(sent);
  about.versions = ['2'];
  await expect(open(url, { remote: { answers } })).rejects.toMatchObject({
    code: 'RESUME_MISMATCH',
    message: expect.stringContaining('version (was 1, is 2)'),
  });
});
