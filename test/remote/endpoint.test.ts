/** An endpoint as a victim: what it may say, what ends a run, and what is asked again. */
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { folder } from '../commands/cli.js';
import { refusal } from '../refusal.js';
import { type Fault, kserve, type Log, type Scorer, scoreOf, serving, stopServing } from './server.js';

afterAll(stopServing);

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
  await refusal(open(url), 'ENDPOINT_UNREACHABLE');
  expect(log).toEqual([]);
});

const open = (url: string, options: Parameters<typeof loadModel>[1] = {}): Promise<LoadedModel> =>
  loadModel(`kserve+${url}/v2/models/m`, { ...options, remote: { pause: 1, ...options.remote } });

const texts = (n: number, of = 'text'): string[] => Array.from({ length: n }, (_, at) => `${of} number ${at}`);

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
  onTestFinished(() => model.close());
  await refusal(model.classify(texts(10)), code);
  expect(log.batches).toHaveLength(PROBE_REQUESTS + 1);
  await expect(model.classify(['another'])).rejects.toMatchObject({ code });
  expect(log.batches).toHaveLength(PROBE_REQUESTS + 1);
});

test.each([400, 413, 422])('HTTP %i halves the batch, and blames a text only where it stands alone', async (status) => {
  const log: Log = { batches: [] };
  const fault: Fault = (response, batch) => {
    if (!batch.includes('poison')) return false;
    response.writeHead(status).end('{"error":"bad text"}');
    return true;
  };
  const model = await open(await serving(kserve(toy.labels, scored, log, fault)));
  onTestFinished(() => model.close());
  const all = [...texts(20), 'poison', ...texts(11, 'more')];
  const settled = await Promise.allSettled(all.map(async (text) => model.classify([text])));
  expect(settled.flatMap(({ status }, at) => (status === 'rejected' ? [all[at]] : []))).toEqual(['poison']);
  await expect(model.classify(['poison'])).rejects.toMatchObject({ code: 'TEXT_UNSUPPORTED' });
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
  await refusal(open(url, { remote: { answers } }), 'RESUME_MISMATCH');
});
