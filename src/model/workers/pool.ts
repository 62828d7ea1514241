/**
 * @file Workers that run a model. onnxruntime's run() blocks the thread that calls it, so every session has a thread (or, isolated,
 * a process) of its own, and as many run side by side as there are cores. What they answer is up to the module they run: `inference.ts`
 * gives probabilities, `gradient/white-box/embedding-model.ts` gradients.
 */
import { ModelCrashedError, type ModelError } from '../../core/errors.js';
import { workerFile } from '../../core/package-root.js';
import { loadFailure, runFailure } from './failures.js';
import { type Host, startHost } from './host.js';
import { deserialiseError, type FromWorker, type ToWorker, transferable, type WorkerData } from './messages.js';

/** Requests a worker holds at once: the next one waits while it computes, which hides the hand-over. */
const REQUESTS_PER_WORKER = 2;

/** A request on its way, and what to do with its end. */
export interface Job<Request, Answer> {
  readonly request: Request;
  done(answer: Answer): void;
  failed(error: Error): void;
  /** The worker died before it began this request: nobody's fault, ask again. */
  again(): void;
}

interface OpenWorker<Request, Answer> {
  readonly host: Host<ToWorker>;
  /** In the order they were sent, which is the order they are answered in. */
  readonly jobs: Map<number, Job<Request, Answer>>;
}

export interface PoolOptions {
  /** Path below src, as compiled, of the module whose `serve` the workers call: see Served. */
  readonly module: string;
  /** Argument of the worker's function. */
  readonly plan: unknown;
  /** The model they run, for messages. */
  readonly model: string;
  /** Most workers. */
  readonly size: number;
  /** Each worker in a process of its own: where onnxruntime crashes, the pool ends with MODEL_CRASHED instead of this process. @default false */
  readonly isolate?: boolean;
  /** Throws ModelError where the model's files are no longer those the first worker loaded. @default nothing is checked */
  readonly check?: () => Promise<void>;
}

export class WorkerPool<Ready, Request extends object, Answer> {
  readonly #options: PoolOptions;
  readonly #workers = new Set<OpenWorker<Request, Answer>>();
  /** All that live, those still opening too. */
  readonly #hosts = new Set<Host<ToWorker>>();
  #setting: ToWorker | undefined;
  #opening = 0;
  #sent = 0;
  #closed = false;
  /** Why the last worker could not be opened, or what took one down. */
  #broken: ModelError | undefined;
  /** Called whenever a worker could take another request, or none ever will. */
  onFree: () => void = () => {};
  /** Wall seconds the workers have spent computing, all together. */
  busy = 0;
  /** Processor seconds; undefined if the system does not report them. */
  processor: number | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Opens one more worker, of another plan than the rest if one is given. Throws ModelError where the model cannot be loaded. */
  async open(plan: unknown = this.#options.plan): Promise<Ready> {
    const { module, model, isolate = false, check } = this.#options;
    let ready = (_: Ready): void => {};
    let refuse = (_: Error): void => {};
    const loaded = new Promise<Ready>((resolve, reject) => {
      ready = resolve;
      refuse = reject;
    });
    let worker: OpenWorker<Request, Answer> | undefined;
    const data: WorkerData = { module: workerFile(module), plan };
    const host = startHost<ToWorker, FromWorker>({
      file: 'model/workers/worker.js',
      data,
      isolate,
      model,
      onMessage: (message) => {
        if ('ready' in message) ready(message.ready as Ready);
        else if ('id' in message) this.#answer(worker, message);
        else refuse(deserialiseError(message.failed));
      },
    });
    const failure = (cause: Error): ModelError =>
      cause instanceof ModelCrashedError ? cause : loadFailure(model, cause.message, cause);
    void host.ended.then((cause) => {
      this.#hosts.delete(host);
      refuse(failure(cause));
      if (worker) this.#lose(worker, cause);
    });
    this.#hosts.add(host);
    this.#opening++;
    try {
      const answer = await loaded;
      await check?.();
      if (this.#closed || this.#broken instanceof ModelCrashedError) throw this.goneError();
      // It may have died meanwhile.
      if (!this.#hosts.has(host)) throw failure(await host.ended);
      worker = { host, jobs: new Map() };
      this.#workers.add(worker);
      if (this.#setting) host.post(this.#setting);
      // An idle worker must not keep the process alive.
      host.unref();
      return answer;
    } catch (error) {
      void host.close();
      throw error;
    } finally {
      this.#opening--;
    }
  }

  /** Open workers. */
  get workers(): number {
    return this.#workers.size;
  }

  /** Open workers that have nothing to do. */
  get idle(): number {
    let idle = 0;
    for (const { jobs } of this.#workers) if (jobs.size === 0) idle++;
    return idle;
  }

  /** Can another request be sent now? */
  get free(): boolean {
    const worker = this.#least();
    return worker !== undefined && worker.jobs.size < REQUESTS_PER_WORKER;
  }

  /** How all requests from now on are answered: see Served. */
  configure(setting: unknown): void {
    this.#setting = { setting };
    for (const { host } of this.#workers) host.post(this.#setting);
  }

  /** Opens up to `wanted` more workers, as far as the pool's size allows and the model can still be loaded. */
  grow(wanted: number): void {
    const room = this.#options.size - this.#workers.size - this.#opening;
    const more = this.#closed || this.#broken ? 0 : Math.min(room, wanted - this.#opening);
    for (let count = 0; count < more; count++) {
      this.open().then(
        () => this.onFree(),
        (error: ModelError) => {
          if (error instanceof ModelCrashedError) this.#crash(error, [...this.#workers]);
          else this.#broken ??= error;
          this.onFree();
        },
      );
    }
  }

  /** None is there and none is coming. */
  get dead(): boolean {
    return this.#workers.size === 0 && this.#opening === 0;
  }

  /** Why nothing runs any more, once `dead`. */
  goneError(): ModelError {
    return this.#broken ?? runFailure(this.#options.model, this.#closed ? 'it was closed' : 'no worker is left');
  }

  /** Large arrays of the request are moved to the worker. */
  send(job: Job<Request, Answer>): void {
    const worker = this.#least();
    if (worker === undefined) {
      job.failed(this.goneError());
      return;
    }
    const id = this.#sent++;
    if (worker.jobs.size === 0) worker.host.ref();
    worker.jobs.set(id, job);
    worker.host.post({ id, request: job.request }, transferable(job.request));
  }

  /** One request, beside all queues. */
  ask(request: Request): Promise<Answer> {
    return new Promise((done, failed) => {
      this.send({ request, done, failed, again: () => failed(this.goneError()) });
    });
  }

  /** Ends the workers: threads after the request they are at, processes at once. */
  async close(): Promise<void> {
    this.#closed = true;
    const workers = [...this.#workers];
    this.#workers.clear();
    for (const { jobs } of workers) for (const job of jobs.values()) job.failed(this.goneError());
    await Promise.all([...this.#hosts].map((host) => host.close()));
  }

  #least(): OpenWorker<Request, Answer> | undefined {
    let least: OpenWorker<Request, Answer> | undefined;
    for (const worker of this.#workers) if (least === undefined || worker.jobs.size < least.jobs.size) least = worker;
    return least;
  }

  #answer(worker: OpenWorker<Request, Answer> | undefined, message: Extract<FromWorker, { id: number }>): void {
    const job = worker?.jobs.get(message.id);
    worker?.jobs.delete(message.id);
    // While closing, the end of the thread is waited for.
    if (worker?.jobs.size === 0 && !this.#closed) worker.host.unref();
    if (job === undefined) return;
    if ('failed' in message) job.failed(deserialiseError(message.failed));
    else {
      this.busy += message.seconds;
      if (message.processor !== undefined) this.processor = (this.processor ?? 0) + message.processor;
      job.done(message.answer as Answer);
    }
    this.onFree();
  }

  /**
   * An error that ends a thread costs its current request; waiting requests are sent to another worker. After a process crash, this model's
   * answers cannot be trusted, and all waiting callers get the error.
   */
  #lose(worker: OpenWorker<Request, Answer>, cause: Error): void {
    if (!this.#workers.delete(worker)) return;
    if (cause instanceof ModelCrashedError) this.#crash(cause, [worker, ...this.#workers]);
    else {
      const [running, ...waiting] = worker.jobs.values();
      worker.jobs.clear();
      running?.failed(runFailure(this.#options.model, `its worker crashed: ${cause.message}`));
      for (const job of waiting) job.again();
    }
    this.onFree();
  }

  #crash(cause: ModelCrashedError, workers: readonly OpenWorker<Request, Answer>[]): void {
    if (!(this.#broken instanceof ModelCrashedError)) this.#broken = cause;
    this.#workers.clear();
    for (const host of this.#hosts) void host.close();
    for (const { jobs } of workers) {
      for (const job of jobs.values()) job.failed(cause);
      jobs.clear();
    }
  }
}
