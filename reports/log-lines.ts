/**
 * @file Makes output safe for a terminal or the log of a CI job. Printed lines contain texts by strangers: file names, labels, attacked
 * texts, causes of errors. They must neither control the screen nor give commands to a runner.
 */
import { codePoint, INVISIBLE } from './visible.js';

/** The colours that we and the help print; not among them: what hides or blinks, moves the cursor, or sets a title. */
const COLOURS = String.raw`\u001B\[(?:0|1|2|4|22|24|3[0-7]|39|49|9[0-7]|4[0-7]|10[0-7]|[34]8;[25](?:;\d{1,3}){1,3})m`;
const COLOUR = new RegExp(COLOURS, 'g');

/**
 * Positions at which a runner would start to read a command: `::error::` after any blanks of a line (GitHub; a colon that ends `text` may
 * be the first of two), `##[error]`, `##vso[...]` and `##teamcity[...]` anywhere in it (GitHub's older form, Azure, TeamCity). GitLab's
 * section markers need an escape character, which has been replaced before.
 */
const COMMAND = new RegExp(`(?=::|:$(?!\\n))(?<=^(?:[^\\S\\n]|${COLOURS})*)|(?<=##(?:vso|teamcity)?)(?=\\[)`, 'gim');

/** Shows invisible and control characters by their code points. Keeps line breaks and tabs, and our colours on request. */
export function shownLines(text: string, colours: boolean): string {
  if (!colours) return showInvisible(text);
  const painted = text.match(COLOUR);
  if (painted === null) return showInvisible(text);
  return text
    .split(COLOUR)
    .map((part, at) => showInvisible(part) + (painted[at] ?? ''))
    .join('');
}

const showInvisible = (text: string): string =>
  // A line break of Windows is one; a lone return would overwrite the line.
  text
    .replaceAll('\r\n', '\n')
    .replace(/\r/g, '<U+000D>')
    .replace(INVISIBLE, (c) => `<${codePoint(c)}>`);

/** `text` such that no line of it is a command of a runner: a backslash, which a reader sees, breaks it. `begun`: the line it goes on. */
export const logLines = (text: string, begun = ''): string =>
  (begun + text).replace(COMMAND, (_, at: number) => (at < begun.length ? '' : '\\')).slice(begun.length);

/** The part of the last line of `text` that may start a command which later text completes: the next call's `begun`. */
export function unfinished(text: string): string {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  const bare = line.replace(COLOUR, '');
  return bare.trim() === '' ? bare.slice(0, 1) : `x${line.slice(-12)}`;
}
