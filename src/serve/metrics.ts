/** @file Metrics of a served model. */
import { openMetrics } from '../http/open-metrics.js';

/** Upper bounds of the histogram, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface CountedReply {
  /** Undefined where no protocol has the route. */
  readonly protocol: string | undefined;
  readonly status: number;
  readonly texts: number;
}

export class ServingMetrics {
  /** By protocol and status. */
  readonly #requests = new Map<string, { protocol: string; status: number; count: number }>();
  readonly #within = BOUNDS.map(() => 0);
  #seconds = 0;
  requests = 0;
  texts = 0;
  /** Requests that were answered 400 and above. */
  refused = 0;

  /** Counts a request that was answered within `seconds`. */
  count({ protocol = 'none', status, texts }: CountedReply, seconds: number): void {
    const key = `${protocol} ${status}`;
    const { count } = this.#requests.get(key) ?? { count: 0 };
    this.#requests.set(key, { protocol, status, count: count + 1 });
    this.requests++;
    if (status >= 400) this.refused++;
    else this.texts += texts;
    this.#seconds += seconds;
    BOUNDS.forEach((bound, at) => {
      if (seconds <= bound) this.#within[at] = this.#within[at]! + 1;
    });
  }

  openMetrics(waiting: number): string {
    return openMetrics([
      {
        name: 'robust_serve_requests',
        type: 'counter',
        help: 'Requests answered.',
        samples: [...this.#requests.values()].map(({ protocol, status, count }) => [{ protocol, status }, count]),
      },
      { name: 'robust_serve_texts', type: 'counter', help: 'Texts answered.', samples: [[{}, this.texts]] },
      {
        name: 'robust_serve_texts_waiting',
        type: 'gauge',
        help: 'Texts that wait for the model.',
        samples: [[{}, waiting]],
      },
      {
        name: 'robust_serve_request_seconds',
        type: 'histogram',
        help: 'From the whole request to the whole reply.',
        unit: 'seconds',
        samples: [
          ...BOUNDS.map((le, at) => [{ le }, this.#within[at]!, 'bucket'] as const),
          [{ le: '+Inf' }, this.requests, 'bucket'],
          [{}, this.#seconds, 'sum'],
          [{}, this.requests, 'count'],
        ],
      },
    ]);
  }
}
