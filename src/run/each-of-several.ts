import { RunningSearches } from './metered-victim.js';

/**
 * Does `work` on every item, `width` at a time, taking the next item as soon as one is done. The signal ends the searches of the work, and so
 * does the first failure; then no further item is taken. Resolves once the work under way has ended: to false where the signal ended it before
 * all was done. Throws the first failure.
 *
 * One loop takes the items. Several takers, or a race of the promises under way, would chain each item to the next for
 * the time that one is slow, and longer, until the garbage collector frees old objects.
 */
export async function eachOfSeveral<T>(
  items: AsyncIterable<T>,
  width: number,
  signal: AbortSignal | undefined,
  work: (item: T, searches: RunningSearches) => Promise<void>,
): Promise<boolean> {
  const searches = new RunningSearches();
  const end = () => searches.end();
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    end();
  };
  let running = 0;
  let freed = () => {};
  const slot = () => new Promise<void>((resolve) => (freed = resolve));
  const start = async (item: T) => {
    running++;
    await work(item, searches).catch(fail);
    running--;
    freed();
  };

  try {
    for await (const item of items) {
      if (searches.ended) break;
      void start(item);
      while (running >= width) await slot();
      if (searches.ended) break;
    }
  } catch (error) {
    fail(error);
  }
  while (running > 0) await slot();
  signal?.removeEventListener('abort', end);
  if (failures.length > 0) throw failures[0];
  return !searches.ended;
}
