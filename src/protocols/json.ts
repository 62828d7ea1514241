/** @file JSON that another program sent: parsing, paths into it, checks. */
import { parseJson } from '../core/json.js';

export { isObject, type JsonObject } from '../core/json.js';

/** The value's first characters, for messages. */
export function excerpt(value: unknown): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 120 ? `${json.slice(0, 120)}...` : json;
}

/** Like parseJson, but NaN and Infinity, which Python writes as numbers, become null. */
export function parseAnswer(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const plain = withoutNaN(text);
    if (plain === text) throw error;
    return parseJson(plain);
  }
}

/** Leaves strings alone. */
const withoutNaN = (text: string): string =>
  text.replace(/("(?:[^"\\]|\\.)*")|-?\b(?:NaN|Infinity)\b/g, (_, string: string | undefined) => string ?? 'null');

/** The values at a JSON Pointer (RFC 6901) in which `*` matches each element of a list or value of an object; undefined if a part of it is missing. */
export function valuesAt(document: unknown, pointer: string): unknown[] | undefined {
  let found: unknown[] = [document];
  for (const part of pointer.split('/').slice(1)) {
    const key = part === '*' ? undefined : part.replaceAll('~1', '/').replaceAll('~0', '~');
    const next = found.map((value) => valuesOf(value, key));
    if (next.includes(undefined)) return undefined;
    found = next.flatMap((values) => values ?? []);
  }
  return found;
}

/** The value of a key, or without a key all values. Undefined if the object lacks the key. */
function valuesOf(value: unknown, key: string | undefined): unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (key === undefined) return Object.values(value);
  const has = Array.isArray(value) ? /^\d+$/.test(key) && Number(key) < value.length : Object.hasOwn(value, key);
  return has ? [(value as Record<string, unknown>)[key]] : undefined;
}
