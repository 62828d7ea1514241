/** A Redis of Debian's on loopback, for one file of tests. Where there is none, those tests are skipped. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const hasRedis = ((): boolean => {
  try {
    execFileSync('redis-server', ['--version']);
    return true;
  } catch {
    console.warn('redis-server is not installed: tests of the queue are skipped');
    return false;
  }
})();

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** By SIGKILL; what it wrote to its append-only file stays. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export async function testRedis(...settings: readonly string[]): Promise<TestRedis> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'robust-redis-'));
  const base = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'yes'];
  let child: ChildProcess | undefined;
  const redis: TestRedis = {
    url: `redis://127.0.0.1:${port}`,
    port,
    start: () =>
      new Promise((resolve, reject) => {
        child = spawn('redis-server', [...base, ...settings], { stdio: ['ignore', 'pipe', 'ignore'] });
        child.once('exit', () => reject(new Error('redis-server ended')));
        child.stdout?.on('data', (text) => {
          if (/Ready to accept connections/.test(String(text))) resolve();
        });
      }),
    kill: () =>
      new Promise((resolve) => {
        if (child === undefined || child.exitCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
  await redis.start();
  return redis;
}
