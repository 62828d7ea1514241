/** @file What a server counts, as OpenMetrics text, which Prometheus reads. https://prometheus.io/docs/specs/om/open_metrics_spec */

/** Upper bounds of the histogram, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface CountedReply {
  /** Undefined where no protocol has the route. */
  readonly protocol: string | undefined;
  readonly status: number;
  readonly texts: number;
}

export class ServingMetrics {
  /** By labels as they are written. */
  readonly #requests = new Map<string, number>();
  readonly #within = BOUNDS.map(() => 0);
  #seconds = 0;
  requests = 0;
  texts = 0;
  /** Requests that were answered 400 and above. */
  refused = 0;

  /** A request was answered, after so many seconds. */
  count({ protocol = 'none', status, texts }: CountedReply, seconds: number): void {
    const labels = `protocol="${protocol}",status="${status}"`;
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1);
    this.requests++;
    if (status >= 400) this.refused++;
    else this.texts += texts;
    this.#seconds += seconds;
    BOUNDS.forEach((bound, at) => {
      if (seconds <= bound) this.#within[at] = (this.#within[at] as number) + 1;
    });
  }

  openMetrics(waiting: number): string {
    const lines = [
      ...family('robust_serve_requests', 'counter', 'Requests answered.'),
      ...[...this.#requests].sort().map(([labels, count]) => `robust_serve_requests_total{${labels}} ${count}`),
      ...family('robust_serve_texts', 'counter', 'Texts answered.'),
      `robust_serve_texts_total ${this.texts}`,
      ...family('robust_serve_texts_waiting', 'gauge', 'Texts that wait for the model.'),
      `robust_serve_texts_waiting ${waiting}`,
      ...family('robust_serve_request_seconds', 'histogram', 'From the whole request to the whole reply.', 'seconds'),
      ...BOUNDS.map((bound, at) => `robust_serve_request_seconds_bucket{le="${bound}"} ${this.#within[at]}`),
      `robust_serve_request_seconds_bucket{le="+Inf"} ${this.requests}`,
      `robust_serve_request_seconds_sum ${this.#seconds}`,
      `robust_serve_request_seconds_count ${this.requests}`,
      '# EOF',
    ];
    return `${lines.join('\n')}\n`;
  }
}

const family = (name: string, type: string, help: string, unit?: string): string[] => [
  `# TYPE ${name} ${type}`,
  ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
  `# HELP ${name} ${help}`,
];
