/** A Redis that others use too: TLS with an authority of one's own, a password, and a user with the least rights. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administerQueue } from '../../src/app/queue/administer.js';
import { packageRoot } from '../../src/core/package-root.js';
import { openBroker } from '../../src/fleet/redis.js';
import { freePort, hasRedis, type TestRedis, testRedis } from './redis.js';
import { bytesOf, coordinate, localBytes, type ToyWorker, toyWorker } from './toys.js';

/** An authority, and a certificate of it for 127.0.0.1. */
function certificates(): { ca: string; cert: string; key: string } {
  const dir = mkdtempSync(join(tmpdir(), 'robust-tls-'));
  const at = (name: string) => join(dir, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...fresh, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=tests', '-days', '2');
  openssl('req', ...fresh, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=127.0.0.1');
  writeFileSync(at('names'), 'subjectAltName=IP:127.0.0.1');
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'request.pem', ...signing, '-out', 'cert.pem');
  return { ca: at('ca.pem'), cert: at('cert.pem'), key: at('key.pem') };
}

/** The rules of a user, as the guide lists them. */
const [, listed = ''] = readFileSync(join(packageRoot, 'docs', 'scale.md'), 'utf8').split(/on '>PASSWORD' \\|\+exec/);
const rules = [...listed.trim().split(/\s+/), '+exec'];

describe.skipIf(!hasRedis)('with a user of least rights (redis-server)', () => {
  let redis: TestRedis;
  let ca: string;
  let tlsPort: number;
  let worker: ToyWorker | undefined;
  const cli = (...args: string[]): string =>
    execFileSync('redis-cli', ['-p', String(redis.port), ...args], { encoding: 'utf8' }).trim();
  const user = (name: string, ...rules: string[]) => cli('acl', 'setuser', name, 'on', '>secret', ...rules);
  const as = (name: string): string => redis.url.replace('//', `//${name}:secret@`);

  beforeAll(async () => {
    const made = certificates();
    ca = made.ca;
    tlsPort = await freePort();
    const tls = ['--tls-port', `${tlsPort}`, '--tls-cert-file', made.cert, '--tls-key-file', made.key];
    redis = await testRedis(
      '--maxmemory-policy',
      'noeviction',
      ...tls,
      '--tls-ca-cert-file',
      ca,
      '--tls-auth-clients',
      'no',
    );
    user('robust', ...rules);
  });
  afterAll(async () => {
    worker?.process.kill('SIGKILL');
    await redis?.kill();
  });

  test('runs are computed, failures and all, and looked after: nothing is refused', async () => {
    const queue = `rediss://robust:secret@127.0.0.1:${tlsPort}`;
    worker = toyWorker(queue, 'tls', { lock: 2, env: { NODE_EXTRA_CA_CERTS: ca } });
    await worker.said('takes jobs');
    const broken = await coordinate(as('robust'), 20, { poisonAt: 17 });
    for (const action of ['status', 'pause', 'resume'] as const)
      await administerQueue(as('robust'), action, () => {}, '0');
    expect((await broken.report).attacks.map(({ errored }) => errored)).toEqual([1, 1]);
    const { folder, report } = await coordinate(as('robust'), 30);
    await report;
    expect(bytesOf(folder)).toBe(await localBytes(30));
    const stop = new AbortController();
    const hooks = { signal: stop.signal, progress: () => stop.abort() };
    const stopped = await coordinate(as('robust'), 40, { wait: 5, hooks });
    await expect(stopped.report).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await (await coordinate(as('robust'), 40, { folder: stopped.folder })).report;
    expect(cli('acl', 'log')).toBe('');
    worker.process.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
  });

  test('an unknown authority is named, with the remedy', async () => {
    const refused = openBroker(`rediss://robust:secret@127.0.0.1:${tlsPort}`, '0', () => {});
    await expect(refused).rejects.toMatchObject({
      code: 'QUEUE_UNREACHABLE',
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
    const plain = openBroker(`redis://robust:secret@127.0.0.1:${tlsPort}`, '0', () => {});
    await expect(plain).rejects.toMatchObject({
      code: 'QUEUE_UNREACHABLE',
      hint: expect.stringContaining('rediss://'),
    });
  });

  test('a right that is missing ends coordinator, worker and status with its name', async () => {
    const lacking = { code: 'REDIS_UNSUPPORTED', exit: 2, hint: expect.stringContaining('docs/scale.md') };
    const without = (name: string, right: string) => user(name, ...rules.filter((rule) => rule !== right));
    without('adder', '+xadd');
    await expect((await coordinate(as('adder'), 20)).report).rejects.toMatchObject(lacking);
    without('reader', '+smembers');
    await expect(administerQueue(as('reader'), 'status', () => {}, '0')).rejects.toMatchObject({
      ...{ ...lacking, message: expect.stringContaining('smembers') },
    });
    without('popper', '+bzpopmin');
    const poor = toyWorker(as('popper'), 'poor');
    expect(await poor.ended).toBe(2);
    expect(poor.output()).toContain('bzpopmin');
    without('keyless', '~robust:*');
    await expect((await coordinate(as('keyless'), 20)).report).rejects.toMatchObject(lacking);
  });
});
