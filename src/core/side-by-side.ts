/** @file Runs work on several items concurrently. */

/**
 * Works on all `items`, at most `most` at a time. After an error no new work starts, `failed` reports the error to running work, and the
 * first error is thrown when all work has ended.
 */
export async function sideBySide<T>(
  items: readonly T[],
  most: number,
  work: (item: T, hasFailed: () => boolean) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const errors: unknown[] = [];
  const failed = (): boolean => errors.length > 0;
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined && !failed(); item = waiting.shift()) {
      await work(item, failed).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  if (failed()) throw errors[0];
}
