/** @file JSON that an endpoint answers, with paths into it. */
import { parseJson } from '../core/json.js';

/** As parseJson; NaN and Infinity, which Python writes as numbers, become null. */
export function parseAnswer(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const plain = withoutNaN(text);
    if (plain === text) throw error;
    return parseJson(plain);
  }
}

/** Outside strings. */
const withoutNaN = (text: string): string =>
  text.replace(/("(?:[^"\\]|\\.)*")|-?\b(?:NaN|Infinity)\b/g, (_, string: string | undefined) => string ?? 'null');

/** The values at a JSON Pointer (RFC 6901) in which `*` stands for each element of a list or value of an object; undefined where a part of it is missing. */
export function valuesAt(document: unknown, pointer: string): unknown[] | undefined {
  let found: unknown[] = [document];
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const next: unknown[] = [];
    for (const value of found) {
      if (typeof value !== 'object' || value === null) return undefined;
      if (part === '*') next.push(...Object.values(value));
      else if (Array.isArray(value) ? /^\d+$/.test(key) && Number(key) < value.length : Object.hasOwn(value, key)) {
        next.push((value as Record<string, unknown>)[key]);
      } else return undefined;
    }
    found = next;
  }
  return found;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value in a message: its first characters. */
export const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 120);
