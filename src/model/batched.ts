/** @file Texts asked one by one, answered in batches: for classifiers that are not ours to schedule. */

import { ModelGone } from '../core/errors.js';

/** Texts per call of the inner classifier. */
const LARGEST = 64;

/**
 * Collects what is asked in one tick and hands it on in batches. A batch that fails is asked again text by text, so that
 * only the culprit's asker sees the error, whatever company it came in.
 */
export class Batched {
  readonly #classify: (texts: readonly string[]) => Promise<readonly Float32Array[]>;
  #waiting: QueuedText[] = [];
  #computed = 0;
  #batches = 0;
  #seconds = 0;

  constructor(classify: (texts: readonly string[]) => Promise<readonly Float32Array[]>) {
    this.#classify = classify;
  }

  get figures() {
    return {
      computed: this.#computed,
      batches: this.#batches,
      meanBatch: this.#batches === 0 ? 0 : this.#computed / this.#batches,
      paddingWaste: 0,
      secondsBusy: this.#seconds,
      truncated: 0,
    };
  }

  ask(text: string): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < all.length; at += LARGEST) void this.#run(all.slice(at, at + LARGEST));
  }

  async #run(batch: readonly QueuedText[]): Promise<void> {
    const begun = performance.now();
    try {
      const rows = await this.#classify(batch.map(({ text }) => text));
      this.#computed += batch.length;
      this.#batches++;
      batch.forEach(({ resolve }, at) => {
        resolve(rows[at] as Float32Array);
      });
    } catch (error) {
      if (batch.length === 1 || error instanceof ModelGone) for (const { reject } of batch) reject(error);
      else for (const one of batch) await this.#run([one]);
    } finally {
      if (batch.length > 0) this.#seconds += (performance.now() - begun) / 1000;
    }
  }
}

interface QueuedText {
  readonly text: string;
  resolve(row: Float32Array): void;
  reject(error: unknown): void;
}
