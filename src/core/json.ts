/** @file Parses untrusted JSON of bounded depth, so that no recursion over it can exhaust the stack. */

/** Scores, configurations and tokenizers have only a few levels. */
export const MAX_JSON_DEPTH = 64;

const OPENING = new Set(['[', '{'].map((each) => each.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((each) => each.charCodeAt(0)));
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws SyntaxError for text that is not JSON, and for JSON that is nested deeper than MAX_JSON_DEPTH. */
export function parseJson(text: string): unknown {
  checkDepth(text);
  return JSON.parse(text);
}

function checkDepth(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (CLOSING.has(code)) depth--;
    else if (OPENING.has(code) && ++depth > MAX_JSON_DEPTH) {
      throw new SyntaxError(`nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
  }
}

/** Index of the quote that closes the string opened at `at`, or beyond the text. */
function stringEnd(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end;
    if (code === BACKSLASH) end++;
  }
  return text.length;
}
