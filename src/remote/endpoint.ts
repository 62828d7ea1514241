/**
 * @file A classifier behind an address: concurrent queries are sent in batches, as many at once as the endpoint bears; a fault that may pass is
 * retried, one that does not ends the run, not the text.
 */
import type { EndpointCounts } from '../core/endpoint.js';
import { ModelError, ModelGone, messageOf, must } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { queryParts } from '../core/pair.js';
import { random } from '../core/random.js';
import {
  type Adapter,
  jsonOf,
  malformed,
  PassingFault,
  type Question,
  type RawRow,
  UnusableScores,
} from '../protocols/client.js';
import { RefusedBatch } from './faults.js';
import { type Clock, Pace } from './pace.js';
import type { RemoteSettings } from './settings.js';
import type { Exchange } from './transport.js';
import { perSecond } from './units.js';

export interface EndpointOptions {
  readonly settings: RemoteSettings;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly transport: Exchange;
  readonly clock: Clock;
  /** Milliseconds before the first retry, at most; doubles with each. @default 500 */
  readonly pause?: number | undefined;
  /** Requests that may be sent; the next one throws ModelGone REQUESTS_SPENT. */
  readonly maxRequests?: number | undefined;
  readonly onDetail?: ((line: string) => void) | undefined;
}

/** An answer, or why this text has none. */
type Answered = RawRow | ModelError;

interface Waiting {
  readonly text: string;
  resolve(row: RawRow): void;
  reject(error: Error): void;
}

/** The longest back-off. */
const MAX_PAUSE_MS = 60_000;
/** An endpoint that wants to be left alone for longer is left alone by the whole run. */
const MAX_ASKED_WAIT_MS = 600_000;
/** While other requests are answered, a request has this many times the retries. */
const PATIENCE_WHILE_ANSWERED = 3;
const RETRIES_AT_FIRST = 2;
/** Length of all texts in one request, in UTF-16 code units: servers bound the bytes of a body, the usual 2 MB and less. */
const MAX_BATCH_LENGTH = 1 << 19;

export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #pace: Pace;
  readonly #pause: number;
  readonly #ended = new AbortController();
  readonly #waiting: Waiting[] = [];
  /** The last good answer, by the clock. */
  #answered = 0;
  #underWay = 0;
  #scheduled = false;
  #largest = Number.POSITIVE_INFINITY;
  #gone: Error | undefined;
  #adapter: Adapter | undefined;
  /** Scores of a text. */
  #width: number | undefined;
  /** Records the request count before each request, so that a crash cannot lose it. */
  onRequest: ((sent: EndpointCounts) => void) | undefined;
  #sent = { requests: 0, repeated: 0, texts: 0, batches: 0, answered: 0, busy: 0 };

  constructor(options: EndpointOptions) {
    this.#options = options;
    const { settings, clock } = options;
    this.#pace = new Pace(
      settings.concurrency,
      settings.rate === undefined ? undefined : perSecond(settings.rate),
      clock,
    );
    this.#pause = options.pause ?? 500;
  }

  /** From here on texts may be queried. */
  use(adapter: Adapter): void {
    this.#adapter = adapter;
    this.#largest = adapter.batch;
  }

  get usage(): EndpointCounts {
    const { requests, repeated, texts } = this.#sent;
    return { requests, repeated, texts };
  }

  get figures() {
    const { answered, batches, busy } = this.#sent;
    return {
      computed: answered,
      batches,
      meanBatch: batches === 0 ? 0 : answered / batches,
      paddingWaste: 0,
      secondsBusy: busy / 1000,
      secondsProcessor: undefined,
      workers: this.#options.settings.concurrency,
      truncated: 0,
    };
  }

  /** The scores of a text. Throws ModelError where the endpoint does not take this text, ModelGone where it answers nothing any more. */
  ask(text: string): Promise<RawRow> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      // Callers of this tick meet.
      setImmediate(() => {
        this.#scheduled = false;
        this.#dispatch();
      });
    });
  }

  /** One request with these texts, whoever waits. Throws as `ask` does. */
  async once(texts: readonly string[]): Promise<RawRow[]> {
    const rows = await this.#rowsOf(texts.map(questionOf));
    return rows.map((row) => {
      if (row instanceof ModelError) throw row;
      return row;
    });
  }

  /** The JSON at an address of the endpoint. What is no JSON is asked for again, as a proxy's page may pass. Throws ModelGone. */
  async get(url: string): Promise<unknown> {
    const { transport, headers } = this.#options;
    const { signal } = this.#ended;
    return this.#patiently(async () => {
      const answer = await transport.exchange({ method: 'GET', url, headers }, signal);
      try {
        return jsonOf(answer);
      } catch (cause) {
        throw new PassingFault(`${transport.shownUrl(url)}: ${messageOf(cause)}`, { cause });
      }
    }, 1);
  }

  /** The answer to a request that is not for scores; `texts` are counted. Throws as `ask` does. */
  async request(body: string, texts: number): Promise<unknown> {
    const { transport, url, headers } = this.#options;
    const { signal } = this.#ended;
    const answer = await this.#patiently(
      () => transport.exchange({ method: 'POST', url, headers, body }, signal),
      texts,
    );
    return answer.read;
  }

  async close(): Promise<void> {
    const end = new ModelError('the endpoint is no longer queried', { code: 'ENDPOINT_UNREACHABLE' });
    this.#end(end);
    this.#ended.abort(end);
    await this.#options.transport.close();
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && this.#underWay < this.#pace.limit) {
      const batch = this.#next();
      this.#underWay++;
      this.#sent.batches++;
      const began = performance.now();
      this.#answerAll(batch).finally(() => {
        this.#underWay--;
        this.#sent.busy += performance.now() - began;
        this.#dispatch();
      });
    }
  }

  #next(): Waiting[] {
    let length = 0;
    let count = 0;
    for (const { text } of this.#waiting) {
      length += text.length;
      if (count > 0 && (count === this.#largest || length > MAX_BATCH_LENGTH)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #answerAll(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.#rowsOf(batch.map(({ text }) => questionOf(text)));
      batch.forEach(({ resolve, reject }, at) => {
        const row = must(rows[at]);
        if (row instanceof ModelError) reject(row);
        else resolve(row);
      });
      this.#sent.answered += batch.length;
    } catch (error) {
      for (const { reject } of batch) reject(error as Error);
      this.#end(error as Error);
    }
  }

  /** Rejects the waiting queries, and all later ones. */
  #end(error: Error): void {
    this.#gone ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** A row a question. Throws ModelGone. */
  async #rowsOf(questions: readonly Question[]): Promise<Answered[]> {
    const adapter = must(this.#adapter);
    if (!adapter.pairs && questions.some((each) => each.length === 2)) throw this.#noPairs();
    try {
      return [...(await this.#patiently(() => this.#exchange(adapter, questions), questions.length))];
    } catch (error) {
      if (!(error instanceof RefusedBatch || error instanceof UnusableScores)) throw error;
      if (questions.length === 1) return [refusedText(error, must(questions[0]), this.#answered > 0)];
      const middle = Math.ceil(questions.length / 2);
      if (error instanceof RefusedBatch && error.size) this.#largest = Math.min(this.#largest, middle);
      const first = await this.#rowsOf(questions.slice(0, middle));
      const rows = [...first, ...(await this.#rowsOf(questions.slice(middle)))];
      // All of them are fine in smaller company: so it was their number.
      if (error instanceof RefusedBatch && rows.every((row) => !(row instanceof ModelError))) {
        this.#largest = Math.min(this.#largest, middle);
      }
      return rows;
    }
  }

  async #exchange(adapter: Adapter, questions: readonly Question[]): Promise<readonly RawRow[]> {
    const { transport, url, headers } = this.#options;
    const wanted = adapter.request(questions);
    const answer = await transport.exchange(
      {
        method: 'POST',
        url,
        ...wanted,
        headers: { 'content-type': 'application/json', ...headers, ...wanted.headers },
      },
      this.#ended.signal,
    );
    return this.#ofOneWidth(adapter.rows(answer, questions));
  }

  /** All answers have as many scores as the first one: what has not is no answer to blame a text for. Throws PassingFault. */
  #ofOneWidth(rows: readonly RawRow[]): readonly RawRow[] {
    for (const row of rows) {
      if (row === 'refused') continue;
      this.#width ??= row.length;
      if (row.length !== this.#width) throw malformed(`${this.#width} scores for each text`, [...row]);
    }
    return rows;
  }

  /**
   * Does what may be done again while its faults may pass: so often, where nothing else is answered either, and a few times as often where
   * other requests are. Throws what does not pass, and ModelGone for what did not.
   */
  async #patiently<T>(work: () => Promise<T>, texts: number): Promise<T> {
    const { clock, onDetail } = this.#options;
    const began = clock.now();
    const jitter = random(0, 'back-off', String(this.#sent.requests));
    for (let failures = 0; ; ) {
      const sent = await this.#pace.turn(this.#ended.signal);
      this.#charge(texts, failures > 0);
      try {
        const done = await work();
        this.#pace.good();
        this.#answered = clock.now();
        return done;
      } catch (error) {
        if (!(error instanceof PassingFault)) throw error;
        failures++;
        if (error.overload) this.#pace.overloaded(sent);
        this.#checkPatience(error, failures, began);
        const wait = error.wait ?? jitter.unit() * Math.min(MAX_PAUSE_MS, this.#pause * 2 ** (failures - 1));
        onDetail?.(`${error.message}: asked again (${failures}) after ${(wait / 1000).toFixed(1)} s`);
        if (error.wait === undefined) await clock.sleep(wait, this.#ended.signal);
      }
    }
  }

  /** Throws if the endpoint asks for too long a wait, or the limit of requests is reached. */
  #checkPatience(error: PassingFault, failures: number, began: number): void {
    if ((error.wait ?? 0) > MAX_ASKED_WAIT_MS) throw tooLong(error);
    if (error.wait !== undefined) this.#pace.quiet(error.wait);
    if (failures <= this.#retries(error, began)) return;
    throw error instanceof UnusableScores ? error : lasting(error, failures, this.#answered > 0);
  }

  /** How often a request that was first sent at `began` may be sent again. */
  #retries({ absent }: PassingFault, began: number): number {
    const { retries } = this.#options.settings;
    // An address where nothing has ever been is more likely wrong than busy.
    if (absent && this.#answered === 0) return Math.min(retries, RETRIES_AT_FIRST);
    return retries * (this.#answered > began ? PATIENCE_WHILE_ANSWERED : 1);
  }

  /** Counts a request. Throws ModelGone REQUESTS_SPENT. */
  #charge(texts: number, again: boolean): void {
    const { maxRequests = Number.POSITIVE_INFINITY } = this.#options;
    // Requests before there is an adapter are for metadata.
    if (this.#adapter === undefined) return;
    if (this.#sent.requests >= maxRequests)
      throw new ModelGone(`the limit of max-requests (${maxRequests}) in --endpoint is reached`, {
        code: 'REQUESTS_SPENT',
        hint: 'Nothing is concluded from a part of the answers.',
      });
    this.#sent.requests++;
    if (again) this.#sent.repeated++;
    this.#sent.texts += texts;
    this.onRequest?.(this.usage);
  }

  #noPairs(): ModelGone {
    return new ModelGone(`${this.#options.settings.protocol}: expected texts, got pairs of texts`, {
      code: 'PAIRS_UNSUPPORTED',
      hint: 'Pairs are supported by tei, hf-inference, http (with {{text}} and {{text2}} in the body) and programs whose first line says "pairs": true.',
    });
  }
}

const questionOf = (text: string): Question => queryParts(text);

const refusedText = (error: Error, [text]: Question, answered: boolean): ModelError =>
  new ModelError(`${error.message} (a text of ${text.length} characters, sent alone)`, {
    code: 'TEXT_UNSUPPORTED',
    hint:
      (error as Partial<PassingFault>).lasting?.hint ??
      (answered ? 'The endpoint answers other texts: it is this one.' : 'It has answered no text yet.'),
    cause: error,
  });

const lasting = (error: PassingFault, failures: number, answered: boolean): ModelGone =>
  new ModelGone(`${error.message} (${quantity(failures, 'attempt')})`, {
    code: 'ENDPOINT_UNREACHABLE',
    hint: answered ? 'Wait until the endpoint answers again.' : 'Check the address, and that the endpoint is up.',
    ...error.lasting,
    cause: error,
  });

const tooLong = (error: PassingFault): ModelGone =>
  new ModelGone(`${error.message}; it wants to be left alone for ${Math.ceil(must(error.wait) / 1000)} s`, {
    code: 'ENDPOINT_UNREACHABLE',
    hint: 'Wait that long.',
    cause: error,
  });
