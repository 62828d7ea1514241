/**
 * @file Which objects still say what their bytes say. The reader marks what it makes; an edit spreads it into a new, unmarked
 * object; the writer copies the bytes of marked ones. Marked objects are frozen, so that no write in place is lost.
 */

const bytesOf = new WeakMap<object, Uint8Array>();

export function pristine<T extends object>(value: T, bytes: Uint8Array): T {
  bytesOf.set(value, bytes);
  return Object.freeze(value);
}

/** The bytes to copy, or undefined where the object was made or edited. */
export function pristineBytes(value: object): Uint8Array | undefined {
  return bytesOf.get(value);
}
