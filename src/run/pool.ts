/**
 * Does `work` on every item, `width` at a time, taking the next item as soon as one is done. The first failure ends
 * `leash`; once that has ended no item is taken. Ends, or throws that failure, when the work under way has ended.
 *
 * Workers share one iterator rather than racing promises: a race keeps a reaction on every promise that is still
 * pending, which one slow item would turn into a leak.
 */
export async function pool<T>(
  items: AsyncGenerator<T>,
  width: number,
  leash: { readonly ended: boolean; end(): void },
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const worker = async () => {
    try {
      while (!leash.ended) {
        const { value, done } = await items.next();
        if (done) return;
        await work(value);
      }
    } catch (error) {
      failures.push(error);
      leash.end();
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  await items.return(undefined);
  if (failures.length > 0) throw failures[0];
}
