/** The page of a queue, as a browser gets it. */
import { expect, test } from 'vitest';
import { toolVersion } from '../../src/app/context.js';
import { queueUi } from '../../src/app/queue/queue-ui.js';
import { keys, openBroker } from '../../src/fleet/redis.js';
import { publishState } from '../../src/fleet/worker-state.js';
import { hasRedis, testRedis } from './redis.js';

test.skipIf(!hasRedis)('shows runs, workers and searches to a client with the token, and changes nothing', async () => {
  const redis = await testRedis('--maxmemory-policy', 'noeviction');
  const broker = await openBroker(redis.url, toolVersion, () => {});
  const facts = { model: '<b>mine', data: 'dev.tsv', stage: 'attack', done: 30, total: 120, rate: 1.5 };
  await broker.redis.hset(keys.run('run-1'), { ...facts, host: 'head', pid: 7, beat: '2026-01-01T00:00:00Z' });
  await broker.redis.sadd(keys.runs, 'run-1');
  const machine = { host: 'w', pid: 3, processor: 'P', instructions: [], platform: '', onnxruntime: '', toolVersion };
  const slowest = [{ what: 'pwws on example 17', seconds: 140 }];
  const counts = { concurrency: 2, outcomes: 30, asked: 900, seconds: 20, idle: 0, rate: 1.5, jobs: ['j'] };
  await publishState(broker.redis, { id: 'w:3', machine, slowest, ...counts });
  const stop = new AbortController();
  const { url, stopped } = await queueUi(redis.url, 0, () => {}, stop.signal);
  const bare = new URL('/', url).href;
  expect(bare).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect((await fetch(bare)).status).toBe(403);
  const first = await fetch(url, { redirect: 'manual' });
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await fetch(bare, { headers: { cookie } });
  expect(page.headers.get('refresh')).toBe('5');
  const text = await page.text();
  for (const each of ['run-1', '&lt;b&gt;mine', '25.0 %', '60 s', 'head:7', 'w:3', 'pwws on example 17', '2 min'])
    expect(text).toContain(each);
  expect(text).not.toContain('<b>mine');
  expect((await fetch(bare, { method: 'POST', headers: { cookie } })).status).toBe(405);
  stop.abort();
  await stopped;
  await expect(fetch(bare)).rejects.toThrow();
  await broker.close();
  await redis.kill();
});
