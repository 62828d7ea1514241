/** @file JSON from strangers: of bounded depth, with paths into it. */

/** An answer of scores is a few levels deep; what is deeper is an attack on whoever reads it. */
const MAX_DEPTH = 64;

const OPENING = new Set(['[', '{'].map((each) => each.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((each) => each.charCodeAt(0)));
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Throws SyntaxError for what is no JSON, and for what is nested deeper than MAX_DEPTH. Numbers that are none (NaN, Infinity, as Python writes them) become null. */
export function parseJson(text: string): unknown {
  checkDepth(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    const plain = withoutNaN(text);
    if (plain === text) throw error;
    return JSON.parse(plain);
  }
}

function checkDepth(text: string): void {
  let depth = 0;
  let inside = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inside) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inside = false;
    } else if (code === QUOTE) inside = true;
    else if (OPENING.has(code)) {
      if (++depth > MAX_DEPTH) throw new SyntaxError(`nested deeper than ${MAX_DEPTH} levels`);
    } else if (CLOSING.has(code)) depth--;
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
