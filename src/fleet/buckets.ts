/**
 * @file A bucket of an S3-compatible store: objects are put, and got in ranges (Amazon S3 API reference, 2006-03-01). The package that signs
 * requests (AWS Signature Version 4) is loaded here only.
 */
import { closeSync, existsSync, openAsBlob, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AwsV4Signer } from 'aws4fetch';
import { messageOf, RobustError } from '../core/errors.js';
import { makeFolder, openToWrite, outputError, writeAll } from '../files/write.js';
import { ConnectionError, type HttpAnswer, HttpClient } from '../http/client.js';
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

type Signer = new (request: ConstructorParameters<typeof AwsV4Signer>[0]) => AwsV4Signer;

async function signer(): Promise<Signer> {
  try {
    return (await import('aws4fetch')).AwsV4Signer;
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
  if (bucket === undefined) {
    throw new RobustError(`--store: expected a folder or s3://bucket/prefix, got "${store}"`, {
      code: 'ADDRESS_INVALID',
      hint: "A prefix is of letters, digits, dots, hyphens and underscores. AWS_ENDPOINT_URL names a store that is not Amazon's.",
    });
  }
  if (access === undefined) {
    throw new RobustError(`--store ${store}: expected the credentials of the store, got none`, {
      code: 'SECRET_INVALID',
      hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (AWS_SESSION_TOKEN too where they are temporary), AWS_REGION, and AWS_ENDPOINT_URL for a store that is not Amazon's.",
    });
  }
  const opened = new Bucket(store, `${bucket}${prefix}`, { access, signer: await signer(), cache, warn });
  await opened.check();
  return opened;
}

const NOTHING = hashOf('');
/** Milliseconds between two tries. */
const AGAIN = [100, 250, 500, 1000, 2000] as const;
/** A large file may go up as slowly as this. */
const SLOWEST_BYTES_PER_MS = 100;
const LEAST_MS = 60_000;

/** An answer that may be another one later. */
class Busy extends RobustError {}

interface BucketCall {
  readonly method: 'GET' | 'PUT' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob;
}

interface BucketAccess {
  readonly access: StoreAccess;
  readonly signer: Signer;
  readonly cache: string;
  warn(message: string): void;
}

class Bucket implements LargeStore {
  readonly #name: string;
  readonly #place: string;
  readonly #by: BucketAccess;
  readonly #client = new HttpClient();

  constructor(name: string, place: string, by: BucketAccess) {
    this.#name = name;
    this.#place = place;
    this.#by = by;
  }

  /** Asks for what hardly lies there, so that a wrong name or key is noticed at once. Throws RobustError STORE_UNREACHABLE. */
  async check(): Promise<void> {
    const said = await this.#request(
      NOTHING,
      () => ({ method: 'GET' }),
      [200, 404],
      (answer) => answer.text(),
    );
    if (!said.includes('NoSuchBucket')) return;
    throw new RobustError(`the store ${this.#name}: its bucket does not exist`, {
      code: 'STORE_UNREACHABLE',
      hint: hintFor(404, said),
    });
  }

  async put(sha256: string, content: { readonly file: string } | { readonly bytes: Uint8Array }): Promise<void> {
    const body = 'file' in content ? await openAsBlob(content.file) : new Blob([new Uint8Array(content.bytes)]);
    const there = await this.#request(
      sha256,
      () => ({ method: 'HEAD' }),
      [200, 404],
      async (answer) => {
        return answer.status === 200 && Number(answer.header('content-length')) === body.size;
      },
    );
    // The store checks that it got what has this hash.
    if (!there)
      await this.#request(
        sha256,
        () => ({ method: 'PUT', body }),
        [200],
        (answer) => answer.text(),
      );
  }

  async file(sha256: string): Promise<string | undefined> {
    const path = join(this.#by.cache, contentPath(sha256));
    if (existsSync(path)) {
      // Another run's file may have been changed since.
      if ((await hashOfFile(path)).sha256 === sha256) return path;
      rmSync(path, { force: true });
    }
    const partial = `${path}.${process.pid}.part`;
    makeFolder(join(path, '..'), 'content of the store');
    // Goes on where an earlier try of this process ended.
    const rest = (): BucketCall => {
      const have = statSync(partial, { throwIfNoEntry: false })?.size ?? 0;
      return { method: 'GET', headers: have > 0 ? { range: `bytes=${have}-` } : {} };
    };
    return this.#request(sha256, rest, [200, 206, 416, 404], async (answer) => {
      if (answer.status === 404) return undefined;
      if (answer.status !== 416) await appended(answer, partial);
      const { sha256: got } = await hashOfFile(partial);
      if (got !== sha256) {
        rmSync(partial, { force: true });
        throw contentMismatch(`${this.#name}/${contentPath(sha256)}`, sha256, got);
      }
      renameSync(partial, path);
      return path;
    });
  }

  /** Asks until the store answers. `take` is given what it says with one of `statuses`. Throws RobustError STORE_UNREACHABLE for another. */
  async #request<T>(
    sha256: string,
    request: () => BucketCall,
    statuses: readonly number[],
    take: (answer: HttpAnswer) => Promise<T>,
  ): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await take(await this.#checked(await this.#send(sha256, request()), statuses));
      } catch (error) {
        const passes =
          error instanceof Busy || error instanceof ConnectionError || (error as Error).name === 'TimeoutError';
        if (!passes) throw error;
        if (tries === AGAIN.length)
          this.#by.warn(`the store ${this.#name} does not answer: ${messageOf(error)}; waiting for it`);
      }
      await pause(AGAIN[Math.min(tries, AGAIN.length - 1)]);
    }
  }

  async #send(sha256: string, { method, headers = {}, body }: BucketCall): Promise<HttpAnswer> {
    const { region = 'us-east-1', endpoint, accessKeyId, secretAccessKey, sessionToken } = this.#by.access;
    const base = (endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '');
    const signed = await new this.#by.signer({
      ...{ method, url: `${base}/${this.#place}/${contentPath(sha256)}` },
      ...{ service: 's3', region, accessKeyId, secretAccessKey },
      ...(sessionToken && { sessionToken }),
      headers: { ...headers, 'x-amz-content-sha256': body === undefined ? NOTHING : sha256 },
    }).sign();
    const signal = AbortSignal.timeout(Math.max(LEAST_MS, Math.ceil((body?.size ?? 0) / SLOWEST_BYTES_PER_MS)));
    // Another host must not get what was signed for this one: a redirect is an answer like others.
    const sent = { method, url: signed.url.toString(), headers: Object.fromEntries(signed.headers), signal };
    return this.#client.send({ ...sent, body });
  }

  async #checked(answer: HttpAnswer, statuses: readonly number[]): Promise<HttpAnswer> {
    if (statuses.includes(answer.status)) return answer;
    const said = (await answer.text().catch(() => '')).slice(0, 300);
    const message = `the store ${this.#name}: expected status ${statuses.join(' or ')}, got ${answer.status} ${said}`;
    // SlowDown is 503, RequestTimeout 400 (Amazon S3 API reference, Error responses).
    if (answer.status >= 500 || answer.status === 429 || said.includes('<Code>RequestTimeout<'))
      throw new Busy(message, { code: 'STORE_UNREACHABLE' });
    throw new RobustError(message, { code: 'STORE_UNREACHABLE', hint: hintFor(answer.status, said) });
  }
}

/** Puts what is answered behind what is there, or in its place where all of it is answered. Throws OutputError. */
async function appended(answer: HttpAnswer, partial: string): Promise<void> {
  const onDisk = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw outputError('content of the store', partial, error);
    }
  };
  const file = onDisk(() => {
    if (answer.status !== 206) rmSync(partial, { force: true });
    return openToWrite(partial, { append: true });
  });
  try {
    for await (const chunk of answer.chunks()) onDisk(() => writeAll(file, chunk));
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
