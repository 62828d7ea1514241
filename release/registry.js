// A registry on loopback that speaks npm's protocol: it takes what is published to it, passes on what the registry of npm has, keeps each answer
// in a folder, and logs every request. Beside it a proxy that refuses every host and logs its name.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const UPSTREAM = 'https://registry.npmjs.org';

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** @param {import('node:http').Server} server @returns {Promise<string>} its address */
async function listen(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}`;
}

/** @param {string} folder of answers of npm's registry, kept for later rehearsals */
export async function startRegistry(folder) {
  mkdirSync(folder, { recursive: true });
  /** @type {Map<string, { 'dist-tags': Record<string, string>, versions: Record<string, { dist: { tarball: string } }> }>} */
  const published = new Map();
  /** @type {Map<string, Buffer>} path of a tarball -> its bytes */
  const tarballs = new Map();
  /** @type {string[]} */
  const requests = [];
  const fetched = async (path, accept) => {
    const file = join(folder, createHash('sha256').update(`${accept} ${path}`).digest('hex'));
    if (existsSync(file)) return readFileSync(file);
    const answer = await fetch(`${UPSTREAM}${path}`, { headers: { accept } });
    if (!answer.ok) return undefined;
    const bytes = Buffer.from(await answer.arrayBuffer());
    writeFileSync(file, bytes);
    return bytes;
  };
  const publish = (name, { versions, 'dist-tags': tags, _attachments }) => {
    const all = published.get(name) ?? { name, 'dist-tags': {}, versions: {} };
    for (const version of Object.keys(versions)) if (all.versions[version]) return 403;
    Object.assign(all.versions, versions);
    Object.assign(all['dist-tags'], tags);
    published.set(name, all);
    for (const [file, { data }] of Object.entries(_attachments))
      tarballs.set(`/${name}/-/${file}`, Buffer.from(data, 'base64'));
    return 201;
  };
  let address = '';
  const packument = async (name, path) => {
    const own = published.get(name);
    const text = own ? JSON.stringify(own) : (await fetched(path, 'application/vnd.npm.install-v1+json'))?.toString();
    // Tarballs come from here too.
    return text?.replaceAll(/"tarball":\s*"https?:\/\/[^/"]+/g, `"tarball":"${address}`);
  };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://registry').pathname);
    requests.push(`${request.method} ${path}`);
    const name = path.slice(1);
    try {
      if (request.method === 'PUT') {
        response.writeHead(publish(name, JSON.parse(await bodyOf(request))), { 'content-type': 'application/json' });
        response.end('{}');
      } else if (path.endsWith('.tgz')) {
        const bytes = tarballs.get(path) ?? (await fetched(path, '*/*'));
        response.writeHead(bytes ? 200 : 404).end(bytes);
      } else {
        const text = path.startsWith('/-/') ? undefined : await packument(name, request.url);
        response
          .writeHead(text ? 200 : 404, { 'content-type': 'application/json' })
          .end(text ?? '{"error":"not_found"}');
      }
    } catch (error) {
      response.writeHead(502).end(String(error));
    }
  });
  address = await listen(server);
  return { address, requests, close: () => server.close() };
}

/** Refuses every request and every tunnel. */
export async function startRefusal() {
  /** @type {string[]} */
  const hosts = [];
  const server = createServer((request, response) => {
    hosts.push(request.url ?? '');
    response.writeHead(403).end();
  });
  server.on('connect', (request, socket) => {
    hosts.push(request.url ?? '');
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  return { address: await listen(server), hosts, close: () => server.close() };
}
