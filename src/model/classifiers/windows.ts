/** @file Long documents: a text that a model cannot read at once is read in windows, and answered by the highest or the mean of their answers. */
import { ModelError, RobustError } from '../../core/errors.js';
import type { Encoded, Encoder } from '../tokens/encoder.js';

export interface WindowsChoice {
  /** Combines the windows' scores, label by label. */
  readonly by: 'max' | 'mean';
  /** Tokens from the start of a window to that of the next. @default half of a window */
  readonly stride?: number | undefined;
}

/** More windows of a text are not read: the rest of it is cut off. */
export const MOST_WINDOWS = 100;

/**
 * Where the windows of a text of `length` tokens begin, ascending; each is `room` tokens. The last one ends where the text does, so that none is
 * shorter than the others. `cut`: there would be more windows than may be.
 */
export function windowStarts(length: number, room: number, stride: number): { starts: number[]; cut: boolean } {
  const last = Math.max(0, length - room);
  const count = Math.ceil(last / stride) + 1;
  const starts = Array.from({ length: Math.min(count, MOST_WINDOWS) }, (_, at) => Math.min(at * stride, last));
  return { starts, cut: count > MOST_WINDOWS };
}

/** One row of several: label by label the highest, or the mean. `share`: divide what no longer sums to 1 by its sum. */
export function combined(rows: readonly Float32Array[], by: WindowsChoice['by'], share: boolean): Float32Array {
  const [first] = rows as [Float32Array];
  if (rows.length === 1) return first;
  const row = Float32Array.from(first, (_, label) => {
    const scores = rows.map((each) => each[label]!);
    return by === 'max' ? Math.max(...scores) : scores.reduce((sum, score) => sum + score, 0) / rows.length;
  });
  const sum = row.reduce((total, score) => total + score, 0);
  return by === 'max' && share && sum > 0 ? row.map((score) => score / sum) : row;
}

/** How long texts are read in windows. Throws ModelError (WINDOWS_UNSUPPORTED), RobustError for gaps between them. */
export function windowsReader(choice: WindowsChoice, { kind, maximum, windows }: Encoder, name: string) {
  if (windows === undefined) throw noWindows(name, `its input is "${kind}"`);
  if (!Number.isFinite(windows.room)) throw noWindows(name, 'it takes texts of any length');
  const { by } = choice;
  const { room } = windows;
  const stride = strideOf(choice, room);
  const place = (length: number) => windowStarts(length, room, stride);
  return {
    by,
    reading: { by, tokens: maximum, stride },
    remark: `${name}: texts longer than ${maximum} tokens were read in windows of that length, one every ${stride}; their answer is the ${by} of the windows', label by label`,
    read(text: string): { pieces: Encoded[]; cut: boolean } {
      let cut = false;
      const pieces = windows.encode(text, (length) => {
        const found = place(length);
        cut = found.cut;
        return found.starts;
      });
      return { pieces, cut };
    },
    /** The tokens of the text, and the windows of them. */
    tokens: (text: string) => windows.tokens(text, (length) => place(length).starts),
  };
}

/** Tokens from one window to the next. Throws RobustError for gaps between windows. */
export function strideOf({ stride }: WindowsChoice, room: number): number {
  if (stride === undefined) return Math.max(1, Math.floor(room / 2));
  if (stride <= room) return stride;
  throw new RobustError(`--task stride: expected at most the ${room} tokens of a window, got ${stride}`, {
    code: 'OPTION_INVALID',
    hint: 'Between the windows some of the text would not be read. Without stride a window begins every half of one.',
  });
}

export const noWindows = (name: string, what: string): ModelError =>
  new ModelError(
    `--task windows: expected a model with a tokenizer and a most number of tokens, got ${name}: ${what}`,
    { code: 'WINDOWS_UNSUPPORTED', hint: 'Leave windows out.' },
  );
