/** @file A model of TF.js in a worker, with the inputs and outputs of a session. */
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import type { ModelError } from '../../core/errors.js';
import { messageOf } from '../../core/errors.js';
import { type OpenTfjs, openTfjs, settleBackend, trialFeeds } from '../../tfjs/open.js';
import type { NamedTensorMap, TF } from '../../tfjs/tf.js';
import type { OutputHead } from '../output/head.js';
import { runFailure } from './failures.js';
import type { Feeds, Ports, Results } from './session.js';

export class TfjsSession {
  readonly ports: Ports & { readonly heads: Readonly<Record<string, OutputHead | undefined>> };
  readonly #open: OpenTfjs;
  readonly #file: string;

  private constructor(file: string, open: OpenTfjs) {
    this.#file = file;
    this.#open = open;
    const { inputs, outputs } = open.model;
    const heads = Object.fromEntries(outputs.map(({ name }) => [name, open.model.head(name)]));
    this.ports = { inputs, outputs, heads };
  }

  /** Throws ModelError. */
  static async open(file: string): Promise<TfjsSession> {
    const open = await openTfjs(file);
    const session = new TfjsSession(file, open);
    await settleBackend(file, open, async () => {
      for (const { name } of open.model.outputs) await session.#answer(trialFeeds(open), name);
    });
    return session;
  }

  /** The wanted output. Throws ModelError. */
  async run(feeds: Feeds, [wanted = '']: readonly string[]): Promise<Results> {
    try {
      const { dims, data } = await this.#answer(tensorsOf(this.#open.tf, feeds), wanted);
      return new Map([[wanted, { type: 'float32', dims, data }]]);
    } catch (cause) {
      throw runFailure(this.#file, messageOf(cause), cause);
    }
  }

  /** The error for an invalid answer. */
  refuse(what: string): ModelError {
    return runFailure(this.#file, what);
  }

  async release(): Promise<void> {
    this.#open.model.dispose();
  }

  async #answer(feeds: NamedTensorMap, output: string): Promise<{ dims: number[]; data: Float32Array }> {
    const { tf, model } = this.#open;
    // As `tidy`, which takes no promise: a worker runs one batch at a time.
    tf.engine().startScope();
    try {
      const answer = await model.run(feeds, output);
      return { dims: answer.shape, data: Float32Array.from(answer.dataSync()) };
    } finally {
      tf.engine().endScope();
      tf.dispose(feeds);
    }
  }
}

/** What a run is fed, as tensors that the caller has to free. */
export const tensorsOf = (tf: TF, feeds: Feeds): NamedTensorMap =>
  Object.fromEntries(
    Array.from(feeds, ([name, feed]) => {
      if ('strings' in feed) return [name, tf.tensor([...feed.strings], [...feed.dims], 'string')];
      const whole = feed.type === DataType.int32;
      return [
        name,
        tf.tensor(
          whole ? Int32Array.from(feed.data as Int32Array) : Float32Array.from(feed.data, Number),
          [...feed.dims],
          whole ? 'int32' : 'float32',
        ),
      ];
    }),
  );
