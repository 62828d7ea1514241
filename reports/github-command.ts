/**
 * @file Lines that a GitHub Actions runner obeys: `::error title=...::message` (GitHub docs, "Workflow commands for GitHub
 * Actions"). Whatever else a job prints may not become one: log-lines.ts.
 */
import { visible } from './visible.js';

export type Level = 'error' | 'warning' | 'notice';

/** Where an annotation points, and its headline; values are escaped. */
export interface Annotation {
  readonly title?: string;
  /** Path relative to the repository's root. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
}

/** A message: the runner decodes `%25`, `%0D` and `%0A` (actions/toolkit `command.ts`), so these and only these are encoded. */
const message = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => visible(line).replaceAll('%', '%25'))
    .join('%0A');

/** A property's value, which a comma or a colon would end. */
const property = (text: string): string =>
  visible(text).replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C');

/** One annotation as a line with its line break. Keeps line breaks in the message and shows invisible characters by their code points. */
export function githubCommand(level: Level, text: string, { title, file, line }: Annotation = {}): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    ...(title === undefined ? [] : [`title=${property(title)}`]),
  ].join(',');
  return `::${level}${properties && ` ${properties}`}::${message(text)}\n`;
}
