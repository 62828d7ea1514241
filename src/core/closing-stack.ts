/** @file Closes what was opened, in reverse order, however the work ends. */

export interface Closable {
  close(): unknown;
}

/** What is open, in the order in which it was opened. */
export class ClosingStack {
  readonly #closers: (() => unknown)[] = [];

  /** Closes `opened` with the rest. Returns it. */
  add<T extends Closable | undefined>(opened: T): T {
    if (opened !== undefined) this.defer(() => opened.close());
    return opened;
  }

  /** Calls `close` with the rest. */
  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Closes everything once, the last opened first. Throws the first error, after all were closed. */
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

/** Does the work and closes what it opened. An error of the work is thrown even where closing fails too. */
export async function closing<T>(work: (stack: ClosingStack) => Promise<T>): Promise<T> {
  const stack = new ClosingStack();
  const result = await closingOnError(stack, work);
  await stack.close();
  return result;
}

/** Does the work with what is open, and closes that only where the work throws. */
export async function closingOnError<C extends Closable, T>(opened: C, work: (opened: C) => Promise<T>): Promise<T> {
  try {
    return await work(opened);
  } catch (error) {
    // The error of the work says more than one of closing.
    await (async () => opened.close())().catch(() => {});
    throw error;
  }
}
