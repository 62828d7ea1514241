/**
 * @file Objects in a bucket of an S3-compatible store: put, got in ranges, listed, removed (Amazon S3 API reference, 2006-03-01). The package that signs
 * requests (AWS Signature Version 4) is loaded here only.
 */

import { openAsBlob } from 'node:fs';
import type { AwsV4Signer } from 'aws4fetch';
import { defined } from '../core/defined.js';
import { RobustError } from '../core/errors.js';
import type { HttpAnswer } from '../http/client.js';
import { hashOf } from './store.js';
import { Busy, client, type NetworkWait, retryUntilDone } from './waiting.js';

/** How a store is reached: never part of a job, of a plan or of a message to Redis. */
export interface StoreAccess {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** @default us-east-1 */
  readonly region?: string | undefined;
  /** @default that of Amazon S3 in the region */
  readonly endpoint?: string | undefined;
}

/** Is it an address of objects, and not a folder? */
export const isObjectStore = (store: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(store);

interface BucketPlace {
  readonly bucket: string;
  /** The prefix of all keys; ends with a slash unless it is empty. */
  readonly prefix: string;
}

/** Throws RobustError ADDRESS_INVALID. */
function placeOf(store: string): BucketPlace {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/\w[\w.-]*)*)\/?$/.exec(store) ?? [];
  if (bucket !== undefined) return { bucket, prefix: prefix === '' ? '' : `${prefix.slice(1)}/` };
  throw new RobustError(`--store: expected a folder or s3://bucket/prefix, got "${store}"`, {
    code: 'ADDRESS_INVALID',
    hint: "A prefix is of letters, digits, dots, hyphens and underscores. AWS_ENDPOINT_URL names a store that is not Amazon's.",
  });
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

export interface ObjectRequest {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE';
  /** Below the prefix; the bucket itself where it is empty. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly bytes: Uint8Array | Blob; readonly sha256: string };
}

const NOTHING = hashOf('');
/** A large file may go up as slowly as this. */
const SLOWEST_BYTES_PER_MS = 100;
const LEAST_MS = 60_000;

export class ObjectStore {
  readonly #place: BucketPlace;
  readonly #access: StoreAccess;
  readonly #signer: Signer;
  readonly #waiting: NetworkWait;

  private constructor(place: BucketPlace, access: StoreAccess, by: Signer, waiting: NetworkWait) {
    this.#place = place;
    this.#access = access;
    this.#signer = by;
    this.#waiting = waiting;
  }

  /** Throws RobustError ADDRESS_INVALID, SECRET_INVALID and PACKAGE_NOT_FOUND. */
  static async open(store: string, access: StoreAccess | undefined, waiting: NetworkWait): Promise<ObjectStore> {
    const place = placeOf(store);
    if (access === undefined) {
      throw new RobustError(`--store ${store}: expected the credentials of the store, got none`, {
        code: 'SECRET_INVALID',
        hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (AWS_SESSION_TOKEN too where they are temporary), AWS_REGION, and AWS_ENDPOINT_URL for a store that is not Amazon's.",
      });
    }
    return new ObjectStore(place, access, await signer(), waiting);
  }

  /** Sends one request, so that a wrong name or key is noticed at once. Throws RobustError STORE_UNREACHABLE. */
  async check(): Promise<void> {
    await this.list('', 1);
  }

  /** As people write it. */
  get name(): string {
    return `s3://${this.#place.bucket}/${this.#place.prefix}`;
  }

  /** Asks until the store answers. `take` is given what it says with one of `statuses`. Throws RobustError STORE_UNREACHABLE for another. */
  request<T>(
    request: () => ObjectRequest,
    statuses: readonly number[],
    take: (answer: HttpAnswer) => Promise<T>,
  ): Promise<T> {
    const { body } = request();
    const bytes = body === undefined ? 0 : 'size' in body.bytes ? body.bytes.size : body.bytes.length;
    return retryUntilDone(
      this.#waiting,
      () => `the store ${this.name}`,
      async (signal) => take(await this.#checkStatus(await this.#fetch(request(), signal), statuses)),
      Math.max(LEAST_MS, Math.ceil(bytes / SLOWEST_BYTES_PER_MS)),
    );
  }

  async #fetch(
    { method, key, query = {}, headers = {}, body }: ObjectRequest,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const { region = 'us-east-1', endpoint, accessKeyId, secretAccessKey, sessionToken } = this.#access;
    const { bucket, prefix } = this.#place;
    const base = (endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '');
    const url = new URL(`${base}/${bucket}${key === '' ? '' : `/${prefix}${key}`}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signed = await new this.#signer({
      ...{ method, url: url.href, service: 's3', region, accessKeyId, secretAccessKey },
      ...(sessionToken && { sessionToken }),
      headers: { ...headers, 'x-amz-content-sha256': body?.sha256 ?? NOTHING },
    }).sign();
    // Another host must not get what was signed for this one: a redirect is an answer like others.
    const sent = { method, url: signed.url.toString(), headers: Object.fromEntries(signed.headers), signal };
    return client.send({ ...sent, body: body?.bytes });
  }

  async #checkStatus(answer: HttpAnswer, statuses: readonly number[]): Promise<HttpAnswer> {
    if (statuses.includes(answer.status)) return answer;
    const text = await answer.text().catch(() => '');
    const [code = '', said = ''] = ['Code', 'Message'].map((name) => inside(text, name)[0]);
    const message = `the store ${this.name}: expected status ${statuses.join(' or ')}, got ${[answer.status, code, said].join(' ').trim().slice(0, 300)}`;
    // SlowDown is 503, RequestTimeout 400 (Amazon S3 API reference, Error responses).
    if (answer.status >= 500 || answer.status === 429 || code === 'RequestTimeout')
      throw new Busy(message, { code: 'STORE_UNREACHABLE' });
    throw new RobustError(message, { code: 'STORE_UNREACHABLE', hint: hintFor(answer.status, code) });
  }

  /** Keys below the prefix that begin so, in their order, without it; `most` of them. */
  async list(begin: string, most = Number.POSITIVE_INFINITY): Promise<string[]> {
    const { prefix } = this.#place;
    const keys: string[] = [];
    let after: string | undefined;
    do {
      const query = {
        'list-type': '2',
        prefix: `${prefix}${begin}`,
        'max-keys': String(Math.min(1000, most)),
        ...defined({ 'continuation-token': after }),
      };
      const text = await this.request(
        () => ({ method: 'GET', key: '', query }),
        [200],
        (answer) => answer.text(),
      );
      keys.push(...inside(text, 'Key').map((key) => key.slice(prefix.length)));
      after = inside(text, 'IsTruncated')[0] === 'true' ? inside(text, 'NextContinuationToken')[0] : undefined;
    } while (after !== undefined && keys.length < most);
    return keys;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#put(key, bytes, hashOf(bytes));
  }

  /** A file whose hash is known, where the store has none of that key and size. Throws the system's error where it cannot be read. */
  async putFile(key: string, path: string, sha256: string): Promise<void> {
    const blob = await openAsBlob(path);
    const there = await this.request(
      () => ({ method: 'HEAD', key }),
      [200, 404],
      async (answer) => answer.status === 200 && Number(answer.header('content-length')) === blob.size,
    );
    if (!there) await this.#put(key, blob, sha256);
  }

  /** The store checks that it got what has this hash. */
  #put(key: string, bytes: Uint8Array | Blob, sha256: string): Promise<string> {
    return this.request(
      () => ({ method: 'PUT', key, body: { bytes, sha256 } }),
      [200],
      (answer) => answer.text(),
    );
  }

  /** The stored bytes, or undefined. */
  get(key: string): Promise<Buffer | undefined> {
    const readBody = async (answer: HttpAnswer) => {
      const bytes = await answer.bytes();
      return answer.status === 404 ? undefined : bytes;
    };
    return this.request(() => ({ method: 'GET', key }), [200, 404], readBody);
  }

  async remove(key: string): Promise<void> {
    await this.request(
      () => ({ method: 'DELETE', key }),
      [200, 204, 404],
      (answer) => answer.text(),
    );
  }
}

/** Texts of the elements of that name, in a document without attributes or nesting of one name. */
const inside = (xml: string, name: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, text = '']) =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  );

function hintFor(status: number, code: string): string {
  if (code === 'RequestTimeTooSkewed') return 'The clock of this machine is wrong: set it.';
  if (code === 'ExpiredToken') return 'The credentials have expired: set new ones, then resume the run.';
  if (status === 403 || status === 401)
    return 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY need the rights to list the bucket, and to get, put and delete objects below the prefix.';
  if (status === 301 || status === 307 || status === 400)
    return 'Is AWS_REGION that of the bucket, and AWS_ENDPOINT_URL that of the store?';
  return 'Is the name of the bucket right, and AWS_ENDPOINT_URL that of the store?';
}
