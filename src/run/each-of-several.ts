/**
 * Does `work` on every item, `width` at a time, taking the next item as soon as one is done. The first failure ends
 * `leash`; once that has ended no item is taken. Ends, or throws that failure, when the work under way has ended.
 *
 * One loop takes the items. Several takers, or a race of the promises under way, would chain each item to the next for
 * as long as one is slow, and for as long again as the garbage collector takes them for old.
 */
export async function eachOfSeveral<T>(
  items: AsyncIterable<T>,
  width: number,
  leash: { readonly ended: boolean; end(): void },
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    leash.end();
  };
  let running = 0;
  let freed = () => {};
  const slot = () => new Promise<void>((resolve) => (freed = resolve));
  const start = async (item: T) => {
    running++;
    await work(item).catch(fail);
    running--;
    freed();
  };

  try {
    for await (const item of items) {
      if (leash.ended) break;
      void start(item);
      while (running >= width) await slot();
      if (leash.ended) break;
    }
  } catch (error) {
    fail(error);
  }
  while (running > 0) await slot();
  if (failures.length > 0) throw failures[0];
}
