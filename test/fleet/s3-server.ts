/**
 * A store of objects on loopback that speaks what of Amazon S3's API robust needs, and takes no request whose signature it does not find itself
 * (AWS Signature Version 4, as the Amazon S3 API reference describes it: "Signature calculations: transferring a payload in a single chunk").
 */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export const KEY = { accessKeyId: 'AKIDTEST', secretAccessKey: 'a/secret+of the=store', region: 'eu-test-1' } as const;

const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Uint8Array | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const uri = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** The fault of a signature, or undefined. */
function fault({ method = '', url = '', headers }: IncomingMessage): string | undefined {
  const [, scope = '', names = '', got] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const { pathname, searchParams } = new URL(url, 'http://host');
  const query = [...searchParams].map(([name, value]) => `${uri(name)}=${uri(value)}`).sort();
  const signed = names.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`);
  const payload = String(headers['x-amz-content-sha256']);
  const canonical = [
    method,
    pathname.split('/').map((part) => uri(decodeURIComponent(part))).join('/'), // biome-ignore format: one line a part
    query.join('&'),
    signed.join(''),
    names,
    payload,
  ].join('\n');
  const date = String(headers['x-amz-date']);
  const key = ['s3', 'aws4_request'].reduce(
    (known: Buffer, part) => hmac(known, part),
    hmac(hmac(`AWS4${KEY.secretAccessKey}`, date.slice(0, 8)), KEY.region),
  );
  const expected = hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex');
  if (!['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => names.split(';').includes(name)))
    return 'AccessDenied';
  return got === expected ? undefined : 'SignatureDoesNotMatch';
}

export interface TestStore {
  readonly endpoint: string;
  /** Objects of the bucket `tests`. */
  readonly objects: Map<string, Buffer>;
  /** Requests so far: `GET key`. */
  readonly asked: string[];
  /** Faults of the next requests: `slow` is answered by SlowDown, `torn` stops in the middle of the body. */
  readonly faults: ('slow' | 'torn')[];
  close(): Promise<void>;
}

export async function testStore(): Promise<TestStore> {
  const objects = new Map<string, Buffer>();
  const asked: string[] = [];
  const faults: ('slow' | 'torn')[] = [];
  const refuse = (response: ServerResponse, status: number, code: string): void => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>so &amp; so</Message></Error>`);
  };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { method = '', headers } = request;
    const { pathname } = new URL(request.url ?? '/', 'http://host');
    const [, bucket, key = ''] = /^\/([^/]+)\/?(.*)$/.exec(pathname) ?? [];
    asked.push(`${method} ${key}`);
    const fail = faults.shift();
    const wrong = fault(request);
    if (wrong !== undefined) return refuse(response, 403, wrong);
    if (bucket !== 'tests') return refuse(response, 404, 'NoSuchBucket');
    if (fail === 'slow') return refuse(response, 503, 'SlowDown');
    if (method === 'PUT') {
      if (sha256(body) !== headers['x-amz-content-sha256']) return refuse(response, 400, 'XAmzContentSHA256Mismatch');
      objects.set(key, body);
      response.end();
    } else {
      const found = objects.get(key);
      if (found === undefined) return refuse(response, 404, 'NoSuchKey');
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
      if (from > 0 && from >= found.length) return refuse(response, 416, 'InvalidRange');
      response.writeHead(from > 0 ? 206 : 200, { 'content-length': found.length - from });
      if (fail === 'torn') response.write(found.subarray(from, (from + found.length) >> 1), () => response.destroy());
      else response.end(method === 'HEAD' ? undefined : found.subarray(from));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { endpoint: `http://127.0.0.1:${port}`, objects, asked, faults, close };
}
