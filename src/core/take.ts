/** @file Parts of a stream of items. */

/** The first `most` items; 0: all of them. Reads no further than it gives. */
export async function* take<T>(items: AsyncIterable<T>, most: number): AsyncGenerator<T> {
  let left = most;
  for await (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Lists of `size` items; the last one may be shorter. */
export async function* chunks<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const item of items) {
    if (chunk.push(item) < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
