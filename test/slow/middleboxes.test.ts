/** Debian's nginx and haproxy between the client and the server: limits, TLS, connections that are reset, a back end that dies. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { folder, robustProcess } from '../commands/cli.js';
import { type Fixture, fixture, servedModel } from '../remote/fixture.js';
import { journal } from '../remote/runs.js';

const has = (program: string): boolean => spawnSync(program, ['-v']).error === undefined;
const attack = ['-n', '40', '-a', 'deepwordbug', '-a', 'pruthi', '--json'];

let model: LoadedModel;
let expected: string;
const open: Fixture[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  model = await loadModel('bert-mini');
  const cwd = folder();
  expect((await robustProcess(['attack', '-m', 'bert-mini', ...attack], { cwd })).code).toBe(0);
  expected = journal(cwd);
}, 300_000);

afterAll(async () => {
  for (const child of children) child.kill('SIGTERM');
  for (const server of open) await server.close();
  await model.close();
});

async function served(latency = 0): Promise<Fixture> {
  const server = await fixture({ model: servedModel(model), latency });
  open.push(server);
  return server;
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** Starts a program that listens there once it is ready. */
async function started(program: string, args: readonly string[], port: number): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  children.push(child);
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${said}`);
    const listens = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (listens) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function attacked(url: string, env: Record<string, string> = {}) {
  const cwd = folder();
  const ended = await robustProcess(['attack', '-m', `kserve+${url}/v2/models/bert-mini`, ...attack], { cwd, env });
  expect(ended.code, ended.stderr).toBe(0);
  expect(journal(cwd)).toBe(expected);
  return ended;
}

describe.skipIf(!has('nginx'))('nginx', () => {
  test('TLS, a limit of requests, and connections that end after a few requests', async () => {
    const server = await served();
    const home = folder();
    const [key, certificate] = [join(home, 'key.pem'), join(home, 'certificate.pem')];
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
        ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', certificate],
      ],
      { stdio: 'ignore' },
    );
    const port = await freePort();
    const log = join(home, 'access.log');
    const configuration = folder({
      'nginx.conf': `
daemon off; pid ${home}/pid; error_log stderr; worker_processes 1;
events { worker_connections 256; }
http {
  log_format short '$status $request_method'; access_log ${log} short;
  client_body_temp_path ${home}/body; proxy_temp_path ${home}/proxy; fastcgi_temp_path ${home}/f; uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s;
  limit_req_zone $binary_remote_addr zone=all:1m rate=20r/s; limit_req_status 429;
  keepalive_requests 7; keepalive_timeout 1s;
  server {
    listen 127.0.0.1:${port} ssl; ssl_certificate ${certificate}; ssl_certificate_key ${key};
    location / { limit_req zone=all burst=3 nodelay; proxy_pass ${server.url}; proxy_http_version 1.1; }
  }
}`,
    });
    await started('nginx', ['-p', home, '-c', join(configuration, 'nginx.conf')], port);
    await attacked(`https://localhost:${port}`, { NODE_EXTRA_CA_CERTS: certificate });
    const statuses = readFileSync(log, 'utf8').split('\n');
    expect(statuses).toContain('429 POST');
    expect(statuses).toContain('200 POST');

    // Without its authority the certificate is refused, and the text says how to name it.
    const refused = await robustProcess([
      'attack',
      '-m',
      `kserve+https://localhost:${port}/v2/models/bert-mini`,
      ...attack,
    ]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/certificate.*\n.*NODE_EXTRA_CA_CERTS/);
  });
});

describe.skipIf(!has('haproxy'))('haproxy', () => {
  test('two back ends, one of which is killed in the middle of the run', async () => {
    const [first, second] = [await served(10), await served(10)];
    const port = await freePort();
    const address = ({ url }: Fixture): string => url.replace('http://', '');
    const configuration = folder({
      'haproxy.cfg': `
global
  maxconn 256
defaults
  mode http
  timeout connect 1s
  timeout client 10s
  timeout server 10s
  retries 0
frontend all
  bind 127.0.0.1:${port}
  default_backend models
backend models
  balance roundrobin
  server first ${address(first)} check inter 1s fall 2
  server second ${address(second)} check inter 1s fall 2
`,
    });
    await started('haproxy', ['-f', join(configuration, 'haproxy.cfg'), '-db'], port);
    let killed = false;
    const look = setInterval(() => {
      if (first.asked.length < 10) return;
      killed = true;
      clearInterval(look);
      void first.close();
    }, 1);
    try {
      await attacked(`http://127.0.0.1:${port}`);
    } finally {
      clearInterval(look);
    }
    expect(killed).toBe(true);
    expect(second.asked.length).toBeGreaterThan(first.asked.length);
  });
});
