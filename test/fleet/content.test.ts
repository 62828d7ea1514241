/** Content between coordinator and workers: what is put is what is got, wherever it lies, and nobody without the key of a bucket reads it. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storeAccess } from '../../src/app/queue/store-access.js';
import { openStore, type StoreAccess } from '../../src/fleet/buckets.js';
import { Content, FolderStore, hashOf, type LargeStore, MOST_BYTES } from '../../src/fleet/content.js';
import { openBroker } from '../../src/fleet/redis.js';
import { hasRedis, testRedis } from './redis.js';
import { KEY, type TestStore, testStore } from './s3-server.js';
import { bytesOf, coordinate, localBytes, toyWorker } from './toys.js';

let server: TestStore;
beforeAll(async () => {
  server = await testStore();
});
afterAll(() => server.close());
beforeEach(() => {
  server.objects.clear();
  server.asked.length = 0;
});

const temporary = (): string => mkdtempSync(join(tmpdir(), 'robust-content-'));
const open = async (store = 's3://tests/a/b', access: Partial<StoreAccess> = {}, cache = temporary()) =>
  (await openStore(store, { ...KEY, endpoint: server.endpoint, ...access }, cache, () => {})) as LargeStore;
const puts = () => server.asked.filter((each) => each.startsWith('PUT')).length;

test('a bucket that is slow and breaks off: content is put once, fetched again, and has the hash', async () => {
  const bytes = randomBytes(300_000);
  const sha256 = hashOf(bytes);
  const file = join(temporary(), 'large');
  writeFileSync(file, bytes);
  const bucket = await open();
  await bucket.put(sha256, file);
  await bucket.put(sha256, file);
  expect(puts()).toBe(1);
  const key = `a/b/content/${sha256.slice(0, 2)}/${sha256}`;
  expect([...server.objects.keys()]).toEqual([key]);

  server.faults.push('slow', 'torn', 'torn');
  server.asked.length = 0;
  expect(readFileSync((await bucket.file(sha256))!)).toEqual(bytes);
  expect(server.asked).toHaveLength(4);

  server.objects.set(key, Buffer.concat([bytes.subarray(1), bytes.subarray(0, 1)]));
  await expect((await open()).file(sha256)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  server.objects.delete(key);
  expect(await (await open()).file(sha256)).toBeUndefined();
});

test('a user without access gets an error, which does not contain the secret', async () => {
  await expect(open('s3://tests/a', { secretAccessKey: 'of somebody else' })).rejects.toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: expect.stringMatching(/^the store s3:\/\/tests\/a: .* got 403 .*SignatureDoesNotMatch/),
    hint: expect.stringContaining('AWS_SECRET_ACCESS_KEY'),
  });
  await expect(open('s3://another')).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
  await expect(openStore('s3://tests', undefined, '', () => {})).rejects.toMatchObject({
    code: 'SECRET_INVALID',
    exit: 2,
  });
});

test.each(['s3://', 's3://B', 's3://bucket/a//b', 's3://bucket/../b', 'gs://bucket', 's3://bucket/a?x'])(
  '%s is no store',
  (store) => expect(open(store)).rejects.toMatchObject({ code: 'ADDRESS_INVALID', exit: 2 }),
);

test('it is reached by the variables of Amazon’s own tools', () => {
  const of = (env: Record<string, string>) => storeAccess((name) => env[name]);
  const key = { AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' };
  expect(of({ AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: '' })).toBeUndefined();
  expect(of({ ...key, AWS_DEFAULT_REGION: 'r', AWS_ENDPOINT_URL: 'e', AWS_ENDPOINT_URL_S3: 'f' })).toEqual({
    ...{ accessKeyId: 'k', secretAccessKey: 's', sessionToken: undefined, region: 'r', endpoint: 'f' },
  });
});

describe.skipIf(!hasRedis)('with a Redis (redis-server)', () => {
  const withRedis = async (work: (redis: Redis, url: string) => Promise<void>): Promise<void> => {
    const started = await testRedis('--maxmemory-policy', 'noeviction');
    const broker = await openBroker(started.url, '0', () => {});
    try {
      await work(broker.redis, started.url);
    } finally {
      await broker.close();
      await started.kill();
    }
  };

  test('small content is in Redis, and is put back; large content needs a store', () =>
    withRedis(async (redis) => {
      const large = Buffer.alloc(MOST_BYTES + 1, 'x');
      const bare = new Content(redis, 'r', undefined, temporary());
      const sha256 = await bare.put('small', true);
      await redis.flushall();
      await expect(bare.bytes(sha256)).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
      await bare.restore();
      expect(String(await bare.bytes(sha256))).toBe('small');
      expect(readFileSync(await bare.file(sha256), 'utf8')).toBe('small');
      await redis.hset('robust:content:r', sha256, 'other');
      await expect(bare.bytes(sha256)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
      await expect(bare.put(large)).rejects.toMatchObject({
        code: 'QUEUE_UNSUPPORTED',
        hint: expect.stringContaining('--store'),
      });
      const folder = temporary();
      const shared = await new Content(redis, 'r', new FolderStore(folder), temporary()).put(large);
      const other = new Content(redis, 'r', new FolderStore(folder), temporary());
      expect(statSync(await other.file(shared)).size).toBe(large.length);
      expect((await other.bytes(shared)).length).toBe(large.length);
      await bare.remove();
      expect(await redis.keys('robust:content:*')).toEqual([]);
    }));

  test('a run with a bucket, whose secret Redis never sees, leaves nothing of itself in Redis', () =>
    withRedis(async (redis, url) => {
      const { endpoint } = server;
      const env = {
        AWS_ACCESS_KEY_ID: KEY.accessKeyId,
        AWS_SECRET_ACCESS_KEY: KEY.secretAccessKey,
        AWS_REGION: KEY.region,
        AWS_ENDPOINT_URL: endpoint,
      };
      const worker = toyWorker(url, 'far', { store: 's3://tests/runs', env });
      const { folder, report } = await coordinate(url, 90, { store: 's3://tests/runs', access: { ...KEY, endpoint } });
      await report;
      expect(bytesOf(folder)).toBe(await localBytes(90));
      worker.process.kill('SIGTERM');
      expect(await worker.ended).toBe(0);
      const left = (await redis.keys('robust:*')).filter((key) => !key.startsWith('robust:jobs-'));
      expect(left).toEqual([]);
      // Its append-only file has all that was ever written to it.
      const [, dir = ''] = (await redis.config('GET', 'dir')) as string[];
      const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.aof'));
      const written = files.map((name) => readFileSync(join(dir, name), 'latin1')).join('');
      expect(written).toContain(folder.id);
      expect(written).not.toContain(KEY.secretAccessKey);
      expect(written).not.toContain(KEY.accessKeyId);
      expect(worker.output()).not.toContain(KEY.secretAccessKey);
    }));

  test('a worker that the bucket refuses ends at once', () =>
    withRedis(async (_, url) => {
      const worker = toyWorker(url, 'refused', {
        store: 's3://tests/runs',
        env: { AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 'guessed', AWS_ENDPOINT_URL: server.endpoint },
      });
      expect(await worker.ended).toBe(3);
      expect(worker.output()).toContain('STORE_UNREACHABLE');
    }));
});
