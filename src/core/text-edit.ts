/** @file An edit of a text. */

/** The characters from `start` to `end` (UTF-16 code units, end exclusive) become `text`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with these edits, which must not overlap and are in ascending order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let made = '';
  let from = 0;
  for (const { start, end, text: put } of edits) {
    made += text.slice(from, start) + put;
    from = end;
  }
  return made + text.slice(from);
}
