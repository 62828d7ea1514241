/** @file Closes opened resources in reverse order, however the work ends. */

export interface Closable {
  close(): unknown;
}

/** Open resources, in opening order. */
export class ClosingStack {
  readonly #closers: (() => unknown)[] = [];

  /** Closes `opened` with the rest, and returns it. */
  add<T extends Closable | undefined>(opened: T): T {
    if (opened !== undefined) this.defer(() => opened.close());
    return opened;
  }

  /** Calls `close` with the rest. */
  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Closes everything once, the last opened first. Throws the first error after all are closed. */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (let next = this.#closers.pop(); next !== undefined; next = this.#closers.pop()) {
      try {
        await next();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** Does the work, then closes what it opened. An error of the work takes precedence over an error of closing. */
export async function closing<T>(work: (stack: ClosingStack) => Promise<T>): Promise<T> {
  const stack = new ClosingStack();
  const result = await closingOnError(stack, work);
  await stack.close();
  return result;
}

/** Does the work with `opened`, and closes it only if the work throws. */
export async function closingOnError<C extends Closable, T>(opened: C, work: (opened: C) => Promise<T>): Promise<T> {
  try {
    return await work(opened);
  } catch (error) {
    // The error of the work says more than one of closing.
    await (async () => opened.close())().catch(() => {});
    throw error;
  }
}
