/** @file Profiles a run: the searching thread's activities and the workers' computations. Exports Chrome's Trace Event Format. */
import { performance } from 'node:perf_hooks';
import { getOrCompute } from './get-or-compute.js';

/** Activities of the searching thread that are measured separately; the rest of its work is the search. */
export type ProfiledPart = 'tokenizer' | 'language' | 'journal';

const PARTS: readonly ProfiledPart[] = ['tokenizer', 'language', 'journal'];

/** Milliseconds between two samples of the searching thread's activity. */
const SAMPLE_MS = 100;

interface TraceEvent {
  readonly name: string;
  readonly ph: 'X' | 'C' | 'b' | 'e' | 'M';
  /** Microseconds since the profile began. */
  readonly ts: number;
  readonly dur?: number;
  readonly pid: 1;
  readonly tid: number;
  readonly cat?: string;
  readonly id?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface ProfileFigures {
  /** Wall seconds. */
  readonly seconds: number;
  /** Seconds per activity of the searching thread; they add up to the total. */
  readonly thread: Readonly<Record<ProfiledPart | 'search' | 'waiting', number>>;
  /** Number of workers, and the wall seconds during which all of them computed. */
  readonly workers: number;
  readonly computing: number;
  /** Processor seconds of all threads of this process, without isolated workers. */
  readonly processor: number;
}

export class Profile {
  readonly #began = performance.now();
  readonly #loop = performance.eventLoopUtilization();
  readonly #used = process.cpuUsage();
  readonly #spent: Record<ProfiledPart, number> = { tokenizer: 0, language: 0, journal: 0 };
  readonly #lanes = new Map<object, number>();
  readonly #events: TraceEvent[] = [];
  #inside = false;
  #searches = 0;
  #computing = 0;
  #sampled: Record<string, number> = {};
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS).unref();
  }

  /** Runs `work` synchronously and adds its duration to a part. Nested calls count for the outer part. */
  spend<T>(part: ProfiledPart, work: () => T): T {
    if (this.#inside) return work();
    this.#inside = true;
    const began = performance.now();
    try {
      return work();
    } finally {
      this.#spent[part] += performance.now() - began;
      this.#inside = false;
    }
  }

  /** Records that a worker has just answered a request, and its computing time in seconds. */
  computed(worker: object, what: string, seconds: number): void {
    const tid = getOrCompute(this.#lanes, worker, () => this.#lanes.size + 2);
    this.#computing += seconds;
    const dur = seconds * 1e6;
    this.#events.push({ name: what, ph: 'X', ts: Math.max(0, this.#now() - dur), dur, pid: 1, tid });
  }

  /** Records the begin of a search; call the result at its end. */
  search(attack: string, example: string): () => void {
    const event = { name: attack, cat: 'search', id: this.#searches++, pid: 1, tid: 1 } as const;
    this.#events.push({ ...event, ph: 'b', ts: this.#now(), args: { example } });
    return () => void this.#events.push({ ...event, ph: 'e', ts: this.#now() });
  }

  figures(): ProfileFigures {
    const seconds = (performance.now() - this.#began) / 1000;
    const { idle } = performance.eventLoopUtilization(this.#loop);
    const { user, system } = process.cpuUsage(this.#used);
    const [tokenizer, language, journal] = PARTS.map((part) => this.#spent[part] / 1000) as [number, number, number];
    const waiting = Math.min(seconds, idle / 1000);
    return {
      seconds,
      thread: {
        search: Math.max(0, seconds - waiting - tokenizer - language - journal),
        language,
        tokenizer,
        journal,
        waiting,
      },
      workers: this.#lanes.size,
      computing: this.#computing,
      processor: (user + system) / 1e6,
    };
  }

  /** The trace so far, as JSON in the Trace Event Format: one lane per worker, and every search from begin to end. */
  trace(): string {
    clearInterval(this.#timer);
    const metadata = (tid: number, name: string): TraceEvent => ({
      name: 'thread_name',
      ph: 'M',
      ts: 0,
      pid: 1,
      tid,
      args: { name },
    });
    const lanes = Array.from(this.#lanes.values(), (tid) => metadata(tid, `worker ${tid - 1}`));
    return JSON.stringify({ traceEvents: [metadata(1, 'search'), ...lanes, ...this.#events], displayTimeUnit: 'ms' });
  }

  #now(): number {
    return (performance.now() - this.#began) * 1000;
  }

  /** Adds a sample: milliseconds per activity since the previous sample, stacked over time. */
  #sample(): void {
    const { thread } = this.figures();
    const args = Object.fromEntries(
      Object.entries(thread).map(([part, seconds]) => [
        part,
        Math.max(0, 1000 * (seconds - (this.#sampled[part] ?? 0))),
      ]),
    );
    this.#sampled = thread;
    this.#events.push({ name: 'searching thread (ms)', ph: 'C', ts: this.#now(), pid: 1, tid: 1, args });
  }
}
