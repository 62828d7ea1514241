/** Packages whose code is inside robust's files: SECURITY.md's command asks the registry for advisories of all of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { folder } from '../commands/cli.js';

const versions = (part: string): Record<string, string> =>
  JSON.parse(readFileSync(join(packageRoot, 'dist', part, 'packages.json'), 'utf8')).packages;

test('npm audits the packages inside the bundle and the vendored files', async () => {
  const asked: unknown[] = [];
  const registry = createServer(async (request, response) => {
    const body = await buffer(request);
    asked.push(JSON.parse(String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body)));
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const [command = ''] = /npm audit .*/.exec(readFileSync(join(packageRoot, 'SECURITY.md'), 'utf8')) ?? [];
  const words = command.replace('node_modules/robust-text', packageRoot).split(' ').slice(1);
  const { port } = registry.address() as AddressInfo;
  const npm = spawn('npm', [...words, '--registry', `http://127.0.0.1:${port}/`], { cwd: folder(), stdio: 'ignore' });
  const [code] = await once(npm, 'exit');
  registry.close();
  const all = Object.entries({ ...versions('bundle'), ...versions('vendor') });
  expect(all.length).toBeGreaterThan(40);
  expect({ code, asked }).toEqual({ code: 0, asked: [Object.fromEntries(all.map(([name, of]) => [name, [of]]))] });
});
