/**
 * @file A worker's way to the coordinator of a run: content by its hash, and deliveries. A coordinator that is away is waited for: it
 * comes back at another address, with nothing lost.
 */
import { RobustError } from '../core/errors.js';
import type { HttpAnswer } from '../http/client.js';
import { FetchedContent } from './fetched-content.js';
import type { ContentSource } from './store.js';
import { Busy, client, type NetworkWait, retryUntilDone } from './waiting.js';

export interface CoordinatorAddress {
  readonly url: string;
  /** The right to read the run's content and to deliver to it. */
  readonly token: string;
}

export interface LinkOptions extends NetworkWait {
  /** Where the coordinator is now; undefined while that is not known; `over` where the run is not worked on any more. */
  where(): CoordinatorAddress | 'over' | undefined;
}

/** The coordinator took it; or said that the run is over, or that another machine found something else. */
export type Receipt = 'kept' | 'over' | 'differs';

export class CoordinatorLink implements ContentSource {
  readonly #options: LinkOptions;
  readonly #content: FetchedContent;

  /** `cache`: a folder for large content, which may outlive the run. */
  constructor(cache: string, options: LinkOptions) {
    this.#options = options;
    this.#content = new FetchedContent(cache, (sha256, headers, take) =>
      this.#request(async ({ url, token }, signal) => {
        const wanted = { url: `${url}/content/${sha256}`, headers: { ...bearer(token), ...headers() }, signal };
        return take(await checkStatus(await client.send({ method: 'GET', ...wanted }), [200, 206, 416]));
      }),
    );
  }

  bytes(sha256: string): Promise<Buffer> {
    return this.#content.bytes(sha256);
  }

  file(sha256: string): Promise<string> {
    return this.#content.file(sha256);
  }

  async deliver(delivery: Buffer): Promise<Receipt> {
    return this.#request<Receipt>(async ({ url, token }, signal) => {
      const sent = { url: `${url}/deliver`, body: delivery, headers: bearer(token), signal };
      const answer = await checkStatus(await client.send({ method: 'POST', ...sent }), [200, 409, 410]);
      await answer.bytes();
      return ({ 200: 'kept', 409: 'differs', 410: 'over' } as const)[answer.status as 200 | 409 | 410];
    });
  }

  #request<T>(work: (address: CoordinatorAddress, signal: AbortSignal) => Promise<T>): Promise<T> {
    let last = 'the coordinator';
    return retryUntilDone(
      this.#options,
      () => last,
      async (signal) => {
        const address = this.#options.where();
        if (address === 'over') throw runOver();
        if (address === undefined) throw new Busy('its address is not known yet', { code: 'COORDINATOR_UNREACHABLE' });
        last = `the coordinator at ${address.url}`;
        return work(address, signal);
      },
    );
  }
}

/** The run is not worked on any more: what was found for it is not needed. */
const runOver = (): RobustError => new RobustError('the run is over, or was stopped', { code: 'RUN_OVER' });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Throws for another status: Busy where it may be better later. */
async function checkStatus(answer: HttpAnswer, expected: readonly number[]): Promise<HttpAnswer> {
  if (expected.includes(answer.status)) return answer;
  const text = (await answer.text().catch(() => '')).slice(0, 300);
  const message = `${answer.url}: expected status ${expected.join(' or ')}, got ${answer.status} ${text}`;
  if (answer.status >= 500 || answer.status === 401) throw new Busy(message, { code: 'COORDINATOR_UNREACHABLE' });
  throw new RobustError(message, { code: 'COORDINATOR_UNREACHABLE' });
}
