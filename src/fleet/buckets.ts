/**
 * @file A bucket of an S3-compatible store: objects are put, and got in ranges (Amazon S3 API reference, 2006-03-01). The package that signs
 * requests (AWS Signature Version 4) is loaded here only.
 */
import { closeSync, existsSync, openAsBlob, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AwsClient } from 'aws4fetch';
import { defined } from '../core/defined.js';
import { messageOf, RobustError } from '../core/errors.js';
import { makeFolder, openToWrite, outputError, writeAll } from '../files/write.js';
import { contentMismatch, contentPath, FolderStore, hashOf, hashOfFile, type LargeStore } from './content.js';

/** How a bucket is reached: never part of a job, of a plan or of a message to Redis. */
export interface StoreAccess {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** @default us-east-1 */
  readonly region?: string | undefined;
  /** @default that of Amazon S3 in the region */
  readonly endpoint?: string | undefined;
}

async function clientOf({ endpoint: _, sessionToken, region = 'us-east-1', ...key }: StoreAccess): Promise<AwsClient> {
  try {
    const { AwsClient: Client } = await import('aws4fetch');
    return new Client({ ...key, ...defined({ sessionToken }), service: 's3', region, retries: 0 });
  } catch (cause) {
    throw new RobustError('--store s3://... needs the package aws4fetch, which is not installed', {
      code: 'PACKAGE_NOT_FOUND',
      hint: 'Add it: npm install aws4fetch@1',
      cause,
    });
  }
}

/** Is it an address of objects, and not a folder? */
const isAddress = (store: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(store);

/** The place of large content: a folder, or s3://bucket/prefix. Throws RobustError ADDRESS_INVALID, SECRET_INVALID, PACKAGE_NOT_FOUND and STORE_UNREACHABLE. */
export async function openStore(
  store: string | undefined,
  access: StoreAccess | undefined,
  cache: string,
  warn: (message: string) => void,
): Promise<LargeStore | undefined> {
  if (store === undefined) return undefined;
  if (!isAddress(store)) return new FolderStore(store);
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/\w[\w.-]*)*)\/?$/.exec(store) ?? [];
  if (bucket === undefined)
    throw new RobustError(`--store: expected a folder or s3://bucket/prefix, got "${store}"`, {
      code: 'ADDRESS_INVALID',
      hint: "A prefix is of letters, digits, dots, hyphens and underscores. AWS_ENDPOINT_URL names a store that is not Amazon's.",
    });
  if (access === undefined)
    throw new RobustError(`--store ${store}: expected the credentials of the store, got none`, {
      code: 'SECRET_INVALID',
      hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (AWS_SESSION_TOKEN too where they are temporary), AWS_REGION, and AWS_ENDPOINT_URL for a store that is not Amazon's.",
    });
  const base = (access.endpoint ?? `https://s3.${access.region ?? 'us-east-1'}.amazonaws.com`).replace(/\/+$/, '');
  const opened = new Bucket(store, `${base}/${bucket}${prefix}`, await clientOf(access), cache, warn);
  await opened.check();
  return opened;
}

const NOTHING = hashOf('');
/** Milliseconds between two tries. */
const AGAIN = [100, 250, 500, 1000, 2000] as const;

class Bucket implements LargeStore {
  constructor(
    private readonly name: string,
    private readonly address: string,
    private readonly client: AwsClient,
    private readonly cache: string,
    private readonly warn: (message: string) => void,
  ) {}

  /** Asks for what hardly lies there, so that a wrong name or key is noticed at once. Throws RobustError STORE_UNREACHABLE. */
  async check(): Promise<void> {
    const said = await this.#ask('GET', NOTHING, (answer) => answer.text());
    if (said.includes('NoSuchBucket')) throw this.#refusal('its bucket does not exist', 404, said);
  }

  async put(sha256: string, file: string): Promise<void> {
    const body = await openAsBlob(file);
    const there = await this.#ask(
      'HEAD',
      sha256,
      async ({ ok, headers }) => ok && Number(headers.get('content-length')) === body.size,
    );
    // The store checks that it got what has this hash.
    if (!there) await this.#ask('PUT', sha256, (answer) => answer.text(), body);
  }

  async file(sha256: string): Promise<string | undefined> {
    const path = join(this.cache, contentPath(sha256));
    if (existsSync(path)) {
      // Another run's file may have been changed since.
      if ((await hashOfFile(path)).sha256 === sha256) return path;
      rmSync(path, { force: true });
    }
    return this.#ask('GET', sha256, async ({ ok, body }) => {
      if (!ok || body === null) return undefined;
      const partial = `${path}.${process.pid}.part`;
      makeFolder(join(path, '..'), WHAT);
      rmSync(partial, { force: true });
      await written(body, partial);
      const { sha256: got } = await hashOfFile(partial);
      if (got !== sha256) {
        rmSync(partial, { force: true });
        throw contentMismatch(`${this.name}/${contentPath(sha256)}`, sha256, got);
      }
      renameSync(partial, path);
      return path;
    });
  }

  /** Asks until the store answers, if only that nothing lies there (404), and `take` has read the answer. Throws RobustError STORE_UNREACHABLE. */
  async #ask<T>(
    method: 'GET' | 'HEAD' | 'PUT',
    sha256: string,
    take: (answer: Response) => Promise<T>,
    body?: Blob,
  ): Promise<T> {
    const headers = { 'x-amz-content-sha256': body === undefined ? NOTHING : sha256 };
    for (let tries = 0; ; tries++) {
      let why: string;
      try {
        // Another host must not get what was signed for this one: a redirect is an answer like others.
        const request = { method, headers, redirect: 'manual', ...defined({ body }) } as const;
        const answer = await this.client.fetch(`${this.address}/${contentPath(sha256)}`, request);
        const { ok, status } = answer;
        if (ok || (status === 404 && method !== 'PUT')) return await take(answer);
        const said = (await answer.text()).slice(0, 300);
        why = `got ${status} ${said}`;
        // SlowDown is 503, RequestTimeout 400 (Amazon S3 API reference, Error responses).
        if (status < 500 && status !== 429 && !said.includes('<Code>RequestTimeout<'))
          throw this.#refusal(`expected an answer to ${method}, ${why}`, status, said);
      } catch (error) {
        // That is how fetch and its bodies break off.
        if (!(error instanceof TypeError && error.cause)) throw error;
        why = messageOf(error.cause);
      }
      if (tries === AGAIN.length) this.warn(`the store ${this.name} does not answer: ${why}; waiting for it`);
      await pause(AGAIN[Math.min(tries, AGAIN.length - 1)]);
    }
  }

  #refusal(what: string, status: number, said: string): RobustError {
    return new RobustError(`the store ${this.name}: ${what}`, {
      code: 'STORE_UNREACHABLE',
      hint: hintFor(status, said),
    });
  }
}

const WHAT = 'content of the store';

/** Throws OutputError. */
async function written(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const file = openToWrite(path);
  try {
    for await (const chunk of body) {
      try {
        writeAll(file, chunk);
      } catch (error) {
        throw outputError(WHAT, path, error);
      }
    }
  } finally {
    closeSync(file);
  }
}

function hintFor(status: number, said: string): string {
  if (said.includes('RequestTimeTooSkewed')) return 'The clock of this machine is wrong: set it.';
  if (said.includes('ExpiredToken')) return 'The credentials have expired: set new ones, then resume the run.';
  if (status === 403 || status === 401)
    return 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY need the rights to list the bucket, and to get and put objects below the prefix.';
  if (status === 301 || status === 307 || status === 400)
    return 'Is AWS_REGION that of the bucket, and AWS_ENDPOINT_URL that of the store?';
  return 'Is the name of the bucket right, and AWS_ENDPOINT_URL that of the store?';
}
