/** @file The lines below a result: the files written, where the run is kept, what to do next, the command that repeats the run. */
import type { Screen } from '../../../reports/layout.js';
import type { SuggestedCommand } from '../../results/report/document.js';

export interface Footer {
  /** Paths, each with a remark about it. */
  readonly written?: readonly string[];
  readonly run?: string | undefined;
  /** One command, or several with their purposes. */
  readonly next?: string | readonly SuggestedCommand[] | undefined;
  readonly replay?: string | undefined;
}

export function footer({ chalk }: Screen, { written = [], run, next = [], replay }: Footer): string {
  const steps = typeof next === 'string' ? [{ purpose: 'Next', command: next }] : next;
  const column = Math.max(7, ...steps.map(({ purpose }) => purpose.length)) + 2;
  const line = (name: string, text: string): string => `${name.padEnd(column)}${text}\n`;
  return [
    ...written.map((file) => line('Written', file)),
    ...(run === undefined ? [] : [line('Run', run)]),
    ...steps.map(({ purpose, command }) => line(purpose, chalk.bold(command))),
    ...(replay === undefined ? [] : [chalk.dim(line('Replay', replay).trimEnd()), '\n']),
  ].join('');
}
