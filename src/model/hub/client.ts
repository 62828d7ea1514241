/**
 * @file The two requests of the Hub's HTTP API a download needs (https://huggingface.co/docs/hub/api): what is in a
 * repository, and the bytes of a file.
 */
import { z } from 'zod';
import { ModelError, messageOf } from '../../core/errors.js';
import { parseJson } from '../../core/json.js';
import { type HttpAnswer, HttpClient } from '../../http/client.js';
import type { HubOptions } from './options.js';
import { notAHub, refusal } from './refusal.js';
import { TransientError, withRetries } from './retry.js';
import { type HubSpec, isCommit } from './spec.js';

/** A file as the Hub stores it. */
export interface StoredFile {
  /** Path in the repository, `/` between its parts. */
  readonly name: string;
  /** SHA-256 of a file kept in LFS, else git's SHA-1 of the blob: its name in the cache, and what its bytes must hash to. */
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
}

export interface Listing {
  readonly commit: string;
  /** Name -> what the listing says of it; mirrors may leave out all but the name. */
  readonly files: ReadonlyMap<string, StoredFile | undefined>;
}

/** Positions in a file. */
interface FileRange {
  readonly start: number;
  /** Behind the last byte. */
  readonly end: number;
}

/** Range sent by a server: the requested one, or the whole file if it does not support ranges. */
interface ByteRange extends FileRange {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Instead of reading it. */
  discard(): void;
}

/** Most characters of a listing: a hundred thousand files take a fifth of it. A server may send for ever. */
const LISTING_BYTES = 64 * 2 ** 20;

/** Number of silence intervals in which a server may send less than `enough`, because it may send single bytes. */
const MAX_SLOW_INTERVALS = 6;

const SHA1 = /^[0-9a-f]{40}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const size = z.int().min(0);

const answerShape = z.object({
  sha: z.string().regex(SHA1),
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: size.nullish(),
      blobId: z.string().regex(SHA1).nullish(),
      lfs: z.object({ sha256: z.string().regex(SHA256), size }).nullish(),
    }),
  ),
});

/** A name that stays in the folder it is joined to, on any system. */
const isSafe = (name: string): boolean =>
  !/[\\:\p{Cc}]/u.test(name) && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

export class HubClient {
  readonly #endpoint: string;
  readonly #authorization: { authorization?: string } = {};
  readonly #seconds: number;
  readonly #client = new HttpClient();
  /** Milliseconds before a retry. */
  readonly pause: number;

  constructor({ endpoint = 'https://huggingface.co', token, timeout = 10, pause = 500 }: HubOptions) {
    this.#endpoint = endpoint.replace(/\/+$/, '');
    if (!/^https?:\/\//.test(this.#endpoint) || !URL.canParse(this.#endpoint))
      throw new ModelError(`expected the Hub's address to begin with https://, got "${endpoint}"`, {
        code: 'HUB_DAMAGED',
        hint: 'Correct HF_ENDPOINT, or unset it for https://huggingface.co.',
      });
    if (token !== undefined) {
      // The error must not reveal the content of a header.
      if (!/^[\u0021-\u007e]+$/.test(token))
        throw new ModelError('the token for the Hub holds characters that no token has', {
          code: 'ACCESS_DENIED',
          hint: 'Set HF_TOKEN to the token alone, as it was given to you.',
        });
      this.#authorization = { authorization: `Bearer ${token}` };
    }
    this.#seconds = timeout;
    this.pause = pause;
  }

  /** Files of the revision, without names that would lead out of a folder. Throws ModelError. */
  async listing(spec: HubSpec): Promise<Listing> {
    const url = `${this.#endpoint}/api/${spec.kind ?? 'models'}/${spec.id}/revision/${encodeURIComponent(spec.revision)}?blobs=true`;
    return withRetries(
      `could not ask ${this.#endpoint} for ${spec.id}`,
      { retries: 2, pause: this.pause },
      async () => {
        const { chunks } = await this.#ask(url, spec);
        const parts: Uint8Array[] = [];
        let bytes = 0;
        for await (const chunk of chunks(LISTING_BYTES)) {
          bytes += chunk.length;
          if (bytes > LISTING_BYTES) throw notAHub(url, `more than ${LISTING_BYTES / 2 ** 20} MiB`);
          parts.push(chunk);
        }
        const { sha, siblings } = parse(url, Buffer.concat(parts));
        if (isCommit(spec.revision) && sha !== spec.revision) throw notAHub(url, `the commit ${sha}`);
        const safe = siblings.filter(({ rfilename }) => isSafe(rfilename));
        return { commit: sha, files: new Map(safe.map((each) => [each.rfilename, storedFile(each)] as const)) };
      },
    );
  }

  /** Asks for what a listing did not say of a file. Throws ModelError. */
  async look(spec: HubSpec, name: string): Promise<StoredFile> {
    let url = this.#fileUrl(spec, name);
    const what = `could not ask ${this.#endpoint} for ${name} of ${spec.id}`;
    // The Hub sends a file's hash while it redirects to the storage: the first response with a hash is the Hub's.
    for (let redirects = 0; redirects < 5; redirects++) {
      const { answer } = await withRetries(what, { retries: 2, pause: this.pause }, () =>
        this.#ask(url, spec, { method: 'HEAD', follow: 0 }),
      );
      // In a redirect, only the linked headers describe the file.
      const header = (linked: string, own: string) =>
        answer.header(linked) ?? (answer.status < 300 ? answer.header(own) : undefined) ?? '';
      const hash = header('x-linked-etag', 'etag').replace(/^(?:W\/)?"(.*)"$/, '$1');
      const length = header('x-linked-size', 'content-length');
      const location = answer.header('location');
      if (/^\d{1,15}$/.test(length) && (SHA1.test(hash) || SHA256.test(hash)))
        return { name, hash, size: Number(length) };
      if (location === undefined) break;
      if (!URL.canParse(location, url)) throw notAHub(url, 'a redirect to no address');
      url = new URL(location, url).href;
    }
    throw notAHub(url, 'no hash of the file to check it by');
  }

  /** Bytes of a file. Throws TransientError, while reading too; ModelError. */
  async read(spec: HubSpec, { name, size }: StoredFile, { start, end }: FileRange): Promise<ByteRange> {
    const whole = { start: 0, end: size };
    const last = end === size ? '' : end - 1;
    const headers = start === 0 && end === size ? {} : { range: `bytes=${start}-${last}` };
    const { answer, chunks } = await this.#ask(this.#fileUrl(spec, name), spec, { headers });
    const got = answer.status === 206 ? { start, end } : whole;
    const expected = got.end - got.start;
    const length = answer.header('content-length');
    if (length !== undefined && answer.header('content-encoding') === undefined && Number(length) !== expected) {
      answer.discard();
      throw notAHub(answer.url, `${length} bytes where ${name} should have ${expected}`);
    }
    // A thousandth of it at a time: whatever a server does, a download has an end.
    return { ...got, chunks: chunks(expected / 1000), discard: () => answer.discard() };
  }

  #fileUrl({ id, revision, kind }: HubSpec, name: string): string {
    const home = kind === 'datasets' ? `datasets/${id}` : id;
    return `${this.#endpoint}/${home}/resolve/${revision}/${name.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** Sends a request that is given up when nothing comes for a while. The token goes to the endpoint's origin only. */
  async #ask(
    url: string,
    spec: HubSpec,
    { method = 'GET', headers = {}, follow = 5 }: HubRequest = {},
  ): Promise<{ answer: HttpAnswer; chunks: (enough: number) => AsyncGenerator<Uint8Array> }> {
    const seconds = this.#seconds;
    const silence = new AbortController();
    const listen = () =>
      setTimeout(() => silence.abort(new Error(`nothing came for ${seconds} s`)), Math.max(1, seconds * 1000));
    const own = new URL(url).origin === new URL(this.#endpoint).origin;
    const sent = { 'accept-encoding': 'identity', ...(own ? this.#authorization : {}), ...headers };
    const { signal } = silence;
    const answer = await heard(listen, () => this.#client.send({ method, url, headers: sent, signal }));
    const { status } = answer;
    const redirected = status >= 300 && status < 400;
    if (redirected && follow === 0) return { answer, chunks: () => chunksOf(answer, listen, { enough: 0, seconds }) };
    if (status < 200 || status >= 300) answer.discard();
    const location = answer.header('location');
    if (redirected && location !== undefined) {
      if (!URL.canParse(location, url)) throw notAHub(url, 'a redirect to no address');
      return this.#ask(new URL(location, url).href, spec, { method, headers, follow: follow - 1 });
    }
    if (status < 200 || status >= 300)
      throw refusal(answer, spec, this.#endpoint, this.#authorization.authorization !== undefined);
    return { answer, chunks: (enough) => chunksOf(answer, listen, { enough, seconds: seconds * MAX_SLOW_INTERVALS }) };
  }
}

interface HubRequest {
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  /** Redirects that are followed; the next one is the answer. */
  readonly follow?: number;
}

/** Waits for the network under the clock that gives up. Throws TransientError. */
async function heard<T>(listen: () => NodeJS.Timeout, work: () => Promise<T>): Promise<T> {
  const timer = listen();
  try {
    return await work();
  } catch (cause) {
    throw new TransientError(messageOf(cause), { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** The body; the clock runs only while the network is waited for. */
async function* chunksOf(
  answer: HttpAnswer,
  listen: () => NodeJS.Timeout,
  { enough, seconds }: { readonly enough: number; readonly seconds: number },
): AsyncGenerator<Uint8Array> {
  const chunks = answer.chunks();
  let waited = 0;
  let got = 0;
  try {
    for (;;) {
      const started = performance.now();
      const next = await heard(listen, () => chunks.next());
      if (next.done) return;
      waited += (performance.now() - started) / 1000;
      got += next.value.length;
      if (got >= enough) {
        waited = 0;
        got = 0;
      } else if (waited > seconds) throw new TransientError(`only ${got} bytes came in ${Math.round(waited)} s`);
      yield next.value;
    }
  } finally {
    // A reader that stops early needs no more data.
    answer.discard();
  }
}

function parse(url: string, bytes: Buffer): z.infer<typeof answerShape> {
  try {
    return answerShape.parse(parseJson(bytes.toString('utf8')));
  } catch (cause) {
    const got = bytes.subarray(0, 60).toString('utf8').replace(/\s+/g, ' ');
    throw notAHub(url, `"${got}..."`, cause);
  }
}

function storedFile(file: z.infer<typeof answerShape>['siblings'][number]): StoredFile | undefined {
  const { rfilename: name, lfs, blobId, size } = file;
  if (lfs) return { name, hash: lfs.sha256, size: lfs.size };
  return blobId && typeof size === 'number' ? { name, hash: blobId, size } : undefined;
}
