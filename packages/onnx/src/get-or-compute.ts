/** A map, or a cache that forgets. */
interface Entries<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of a key, computed and stored at its first use. */
export function getOrCompute<K, V>(entries: Entries<K, V>, key: K, compute: (key: K) => V): V {
  let value = entries.get(key);
  if (value === undefined) {
    value = compute(key);
    entries.set(key, value);
  }
  return value;
}
