/** A store of objects between coordinator and workers: what is put is what is got, and nobody without its key reads or writes. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storeAccess } from '../../src/app/queue/store-access.js';
import { Inbox, objectWorkerStore } from '../../src/fleet/exchange.js';
import { ObjectStore, type StoreAccess } from '../../src/fleet/object-store.js';
import { openBroker } from '../../src/fleet/redis.js';
import { FolderStore } from '../../src/fleet/store.js';
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

const temporary = (): string => mkdtempSync(join(tmpdir(), 'robust-objects-'));
const signal = new AbortController().signal;
const open = (store = 's3://tests/a/b', access: Partial<StoreAccess> = {}): Promise<ObjectStore> =>
  ObjectStore.open(store, { ...KEY, endpoint: server.endpoint, ...access }, { signal, warn: () => {} });

test('objects are put, listed over several pages, got and removed', async () => {
  const objects = await open();
  const keys = Array.from({ length: 12 }, (_, at) => `in/${String(at).padStart(2, '0')}.x`);
  for (const key of keys) await objects.put(key, Buffer.from(key));
  expect(await objects.list('in/')).toEqual(keys);
  expect(await objects.list('in/', 3)).toHaveLength(3);
  expect(await objects.list('other')).toEqual([]);
  expect([...server.objects.keys()].every((key) => key.startsWith('a/b/in/'))).toBe(true);
  expect(await objects.get('in/07.x')).toEqual(Buffer.from('in/07.x'));
  await objects.remove('in/07.x');
  expect(await objects.get('in/07.x')).toBeUndefined();
  expect(objects.name).toBe('s3://tests/a/b/');
});

test('content from a slow store that breaks off is fetched from the break on, and has the hash', async () => {
  const objects = await open();
  const local = new FolderStore(temporary());
  const large = randomBytes(300_000);
  const hashes = [local.put(large), local.put('small')] as const;
  const exchange = new Inbox(objects, 'run');
  await exchange.publish(local, hashes);
  await exchange.publish(local, hashes);
  expect(server.asked.filter((each) => each.startsWith('PUT'))).toHaveLength(2);
  // Another coordinator, of the same content: it lies there.
  await new Inbox(objects, 'run').publish(local, hashes);
  expect(server.asked.filter((each) => each.startsWith('PUT'))).toHaveLength(2);

  const store = objectWorkerStore(objects, 'run', temporary(), () => false);
  server.faults.push('slow', 'torn', 'torn');
  server.asked.length = 0;
  expect(readFileSync(await store.file(hashes[0]))).toEqual(large);
  expect(server.asked).toHaveLength(4);
  server.faults.push('torn');
  expect((await store.bytes(hashes[1])).toString()).toBe('small');

  const key = `a/b/content/${hashes[0].slice(0, 2)}/${hashes[0]}`;
  server.objects.set(key, Buffer.concat([large.subarray(1), large.subarray(0, 1)]));
  const other = objectWorkerStore(objects, 'run', temporary(), () => false);
  await expect(other.file(hashes[0])).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  await expect(other.bytes(hashes[0])).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  server.objects.delete(key);
  await expect(other.file(hashes[0])).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
});

test('a file larger than any other has the time that it needs', async () => {
  const objects = await open();
  const local = new FolderStore(temporary());
  const sha256 = local.put(Buffer.alloc(6_543_211, 'x'));
  await new Inbox(objects, 'run').publish(local, [sha256]);
  const file = await objectWorkerStore(objects, 'run', temporary(), () => false).file(sha256);
  expect(statSync(file).size).toBe(6_543_211);
});

test('deliveries are taken once, in their order, and lie there while nobody takes them', async () => {
  const objects = await open();
  const exchange = new Inbox(objects, 'run');
  const store = objectWorkerStore(objects, 'run', temporary(), () => false);
  const sent = Array.from({ length: 20 }, (_, at) => `delivery ${at}`);
  for (const each of sent) expect(await store.deliver(Buffer.from(each))).toBe('kept');
  await exchange.read(() => 503);
  const taken: string[] = [];
  await exchange.read((bytes) => (taken.push(String(bytes)) === 4 ? 400 : 200));
  expect(taken).toEqual(sent);
  await exchange.read(() => expect.unreachable());
  const left = [...server.objects];
  expect(left).toEqual([[expect.stringMatching(/\.delivery\.refused$/), Buffer.from('delivery 3')]]);
  await exchange.remove();
  expect(server.objects.size).toBe(0);
  const over = objectWorkerStore(objects, 'run', temporary(), () => true);
  expect(await over.deliver(Buffer.from('late'))).toBe('over');
});

test('a user without access gets an error, which does not contain the secret', async () => {
  const wrong = (await open('s3://tests/a', { secretAccessKey: 'of somebody else' })).check();
  await expect(wrong).rejects.toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: 'the store s3://tests/a/: expected status 200, got 403 SignatureDoesNotMatch so & so',
    hint: expect.stringContaining('AWS_SECRET_ACCESS_KEY'),
  });
  await expect((await open('s3://another')).check()).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
  await expect(ObjectStore.open('s3://tests', undefined, { signal, warn() {} })).rejects.toMatchObject({
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

describe.skipIf(!hasRedis)('a run on a queue (redis-server)', () => {
  test('meets in a store of objects, whose secret Redis never sees, and leaves nothing of its own there', async () => {
    const redis = await testRedis('--maxmemory-policy', 'noeviction');
    const { endpoint } = server;
    const worker = toyWorker(redis.url, 'far', {
      store: 's3://tests/runs',
      env: {
        AWS_ACCESS_KEY_ID: KEY.accessKeyId,
        AWS_SECRET_ACCESS_KEY: KEY.secretAccessKey,
        AWS_REGION: KEY.region,
        AWS_ENDPOINT_URL: endpoint,
      },
    });
    const { folder, report } = await coordinate(redis.url, 90, {
      store: 's3://tests/runs',
      access: { ...KEY, endpoint },
    });
    await report;
    expect(bytesOf(folder)).toBe(await localBytes(90));
    expect(server.asked.some((each) => /^PUT runs\/.*\.delivery$/.test(each))).toBe(true);
    expect([...server.objects.keys()].filter((key) => !key.startsWith('runs/content/'))).toEqual([]);
    const broker = await openBroker(redis.url, '0', () => {});
    const [, dir = ''] = (await broker.redis.config('GET', 'dir')) as string[];
    await broker.close();
    worker.process.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    await redis.kill();
    // Its append-only file has all that was ever written to it.
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.aof'));
    const written = files.map((name) => readFileSync(join(dir, name), 'latin1')).join('');
    expect(written).toContain(folder.id);
    expect(written).not.toContain(KEY.secretAccessKey);
    expect(written).not.toContain(KEY.accessKeyId);
    expect(worker.output()).not.toContain(KEY.secretAccessKey);
  });

  test('a worker that the store refuses ends at once', async () => {
    const redis = await testRedis('--maxmemory-policy', 'noeviction');
    const worker = toyWorker(redis.url, 'refused', {
      store: 's3://tests/runs',
      env: { AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 'guessed', AWS_ENDPOINT_URL: server.endpoint },
    });
    expect(await worker.ended).toBe(3);
    expect(worker.output()).toContain('STORE_UNREACHABLE');
    await redis.kill();
  });
});
