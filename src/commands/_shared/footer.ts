/** @file The lines below a result: the files written, where the run is kept, what may be done next, the command that does the same again. */
import type { Screen } from '../../../reports/layout.js';

export interface Footer {
  /** Paths, each with what else is to be said of it. */
  readonly written?: readonly string[];
  readonly run?: string | undefined;
  readonly next?: string;
  readonly replay?: string;
}

export const footer = ({ chalk }: Screen, { written = [], run, next, replay }: Footer): string =>
  [
    ...written.map((file) => `Written  ${file}\n`),
    ...(run === undefined ? [] : [`Run      ${run}\n`]),
    ...(next === undefined ? [] : [`Next     ${chalk.bold(next)}\n`]),
    ...(replay === undefined ? [] : [`${chalk.dim(`Replay   ${replay}`)}\n`]),
  ].join('');
