/** @file How what runs until somebody stops it comes to its end. */

export interface Stopping<T> {
  /** Settles as `end` does, once it was asked to stop. */
  readonly stopped: Promise<T>;
  /** Ends it, at most once. */
  close(): Promise<T>;
}

/** Calls `end` once, by `close` or when `signal` is aborted, whichever comes first. */
export function stopping<T>(signal: AbortSignal | undefined, end: () => Promise<T>): Stopping<T> {
  let settle = (_: Promise<T>): void => {};
  const stopped = new Promise<T>((resolve) => {
    settle = resolve;
  });
  // A caller that does not wait for the end must not get an unhandled rejection.
  stopped.catch(() => {});
  let closing = false;
  const close = (): Promise<T> => {
    signal?.removeEventListener('abort', close);
    if (!closing) settle(end());
    closing = true;
    return stopped;
  };
  signal?.addEventListener('abort', close);
  if (signal?.aborted) void close();
  return { stopped, close };
}
