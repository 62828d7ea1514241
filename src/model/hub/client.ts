/**
 * @file The two requests of the Hub's HTTP API a download needs (https://huggingface.co/docs/hub/api): what is in a
 * repository, and the bytes of a file.
 */
import { z } from 'zod';
import { ModelError } from '../../core/errors.js';
import { parseJson } from '../../core/json.js';
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

/** What a server sends: the range that was asked for, or the whole file where it knows no ranges. */
interface ByteRange extends FileRange {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Instead of reading it. */
  discard(): Promise<void>;
}

/** Of a listing: a hundred thousand files take a fifth of it. A server may send for ever. */
const LISTING_BYTES = 64 * 2 ** 20;

/** So many times the silence that is waited for may pass without the least that `enough` asks for: a server may send a byte a while. */
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
  /** Milliseconds before a retry. */
  readonly pause: number;

  constructor({ endpoint = 'https://huggingface.co', token, timeout = 10, pause = 500 }: HubOptions) {
    this.#endpoint = endpoint.replace(/\/+$/, '');
    if (!/^https?:\/\//.test(this.#endpoint) || !URL.canParse(this.#endpoint)) {
      throw new ModelError(`expected the Hub's address to begin with https://, got "${endpoint}"`, {
        code: 'HUB_RESPONSE',
        hint: 'Correct HF_ENDPOINT, or unset it for https://huggingface.co.',
      });
    }
    if (token !== undefined) {
      // What stands in a header must not be told by an error about it.
      if (!/^[\u0021-\u007e]+$/.test(token)) {
        throw new ModelError('the token for the Hub holds characters that no token has', {
          code: 'HUB_DENIED',
          hint: 'Set HF_TOKEN to the token alone, as it was given to you.',
        });
      }
      this.#authorization = { authorization: `Bearer ${token}` };
    }
    this.#seconds = timeout;
    this.pause = pause;
  }

  /** What the revision holds; names that would lead out of a folder are left out. Throws ModelError. */
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
        const { sha, siblings } = parsed(url, Buffer.concat(parts));
        if (isCommit(spec.revision) && sha !== spec.revision) throw notAHub(url, `the commit ${sha}`);
        const safe = siblings.filter(({ rfilename }) => isSafe(rfilename));
        return { commit: sha, files: new Map(safe.map((each) => [each.rfilename, stored(each)] as const)) };
      },
    );
  }

  /** Asks for what a listing did not say of a file. Throws ModelError. */
  async look(spec: HubSpec, name: string): Promise<StoredFile> {
    let url = this.#fileUrl(spec, name);
    const what = `could not ask ${this.#endpoint} for ${name} of ${spec.id}`;
    // The Hub tells a file's hash while it redirects to where the file lies: the first answer that tells it is the Hub's own.
    for (let redirects = 0; redirects < 5; redirects++) {
      const { response } = await withRetries(what, { retries: 2, pause: this.pause }, () =>
        this.#ask(url, spec, { method: 'HEAD', redirect: 'manual' }),
      );
      const { headers } = response;
      const etag = headers.get('x-linked-etag') ?? (response.ok ? headers.get('etag') : null);
      const length = headers.get('x-linked-size') ?? (response.ok ? headers.get('content-length') : null);
      const hash = etag?.replace(/^(?:W\/)?"(.*)"$/, '$1');
      const location = headers.get('location');
      if (hash !== undefined && /^\d{1,15}$/.test(length ?? '') && (SHA1.test(hash) || SHA256.test(hash))) {
        return { name, hash, size: Number(length) };
      }
      if (location === null) break;
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
    const { response, chunks } = await this.#ask(this.#fileUrl(spec, name), spec, { headers });
    const got = response.status === 206 ? { start, end } : whole;
    const expected = got.end - got.start;
    const length = response.headers.get('content-length');
    if (length !== null && !response.headers.has('content-encoding') && Number(length) !== expected) {
      await response.body?.cancel();
      throw notAHub(response.url, `${length} bytes where ${name} should have ${expected}`);
    }
    // A thousandth of it at a time: whatever a server does, a download has an end.
    const discard = async () => response.body?.cancel();
    return { ...got, chunks: chunks(expected / 1000), discard };
  }

  #fileUrl({ id, revision, kind }: HubSpec, name: string): string {
    const home = kind === 'datasets' ? `datasets/${id}` : id;
    return `${this.#endpoint}/${home}/resolve/${revision}/${name.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** Sends a request that is given up when nothing comes for a while. The token goes to the endpoint's origin only. */
  async #ask(url: string, spec: HubSpec, init: RequestInit = {}) {
    const seconds = this.#seconds;
    const silence = new AbortController();
    const listen = () =>
      setTimeout(() => silence.abort(new Error(`nothing came for ${seconds} s`)), Math.max(1, seconds * 1000));
    const own = new URL(url).origin === new URL(this.#endpoint).origin;
    const headers = {
      'user-agent': 'robust-text',
      'accept-encoding': 'identity',
      ...(own ? this.#authorization : {}),
      ...(init.headers as Record<string, string> | undefined),
    };
    const timer = listen();
    let response: Response;
    try {
      response = await fetch(url, { ...init, headers, signal: silence.signal });
    } catch (cause) {
      throw new TransientError(reason(cause), { cause });
    } finally {
      clearTimeout(timer);
    }
    const redirected = response.status >= 300 && response.status < 400;
    if (!response.ok && !(redirected && init.redirect === 'manual')) {
      await response.body?.cancel();
      throw refusal(response, spec, this.#endpoint, this.#authorization.authorization !== undefined);
    }
    return {
      response,
      chunks: (enough: number) => chunksOf(response, listen, { enough, seconds: seconds * MAX_SLOW_INTERVALS }),
    };
  }
}

/** The body; the clock that gives up runs only while the network is waited for. */
async function* chunksOf(
  response: Response,
  listen: () => NodeJS.Timeout,
  { enough, seconds }: { readonly enough: number; readonly seconds: number },
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  let waited = 0;
  let got = 0;
  try {
    for (;;) {
      const timer = listen();
      const asked = performance.now();
      let next: Awaited<ReturnType<typeof reader.read>>;
      try {
        next = await reader.read();
      } catch (cause) {
        throw new TransientError(reason(cause), { cause });
      } finally {
        clearTimeout(timer);
      }
      if (next.done) return;
      waited += (performance.now() - asked) / 1000;
      got += next.value.length;
      if (got >= enough) {
        waited = 0;
        got = 0;
      } else if (waited > seconds) throw new TransientError(`only ${got} bytes came in ${Math.round(waited)} s`);
      yield next.value;
    }
  } finally {
    // Whoever stops reading early wants no more of it; of a broken stream there is nothing to cancel.
    await reader.cancel().catch(() => {});
  }
}

function parsed(url: string, bytes: Buffer): z.infer<typeof answerShape> {
  try {
    return answerShape.parse(parseJson(bytes.toString('utf8')));
  } catch (cause) {
    const got = bytes.subarray(0, 60).toString('utf8').replace(/\s+/g, ' ');
    throw notAHub(url, `"${got}..."`, cause);
  }
}

function stored(file: z.infer<typeof answerShape>['siblings'][number]): StoredFile | undefined {
  const { rfilename: name, lfs, blobId, size } = file;
  if (lfs) return { name, hash: lfs.sha256, size: lfs.size };
  return blobId && typeof size === 'number' ? { name, hash: blobId, size } : undefined;
}

/** fetch hides what went wrong in the cause of a "fetch failed". */
function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || String((cause as NodeJS.ErrnoException).code ?? cause.name);
}
