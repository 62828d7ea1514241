/** @file What `--log json` writes to stderr: an object a line, for those who collect the words of many machines. */
import { hostname } from 'node:os';
import type { Progress } from '../../app/progress.js';
import { inWords, type ProgressLine, pauses, titleOf } from './progress-line.js';

export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

export const logLine = (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): string =>
  `${JSON.stringify({ time: new Date().toISOString(), level, host: hostname(), pid: process.pid, message, ...fields })}\n`;

/** A line every ten seconds, with the figures apart from the words. */
export function jsonProgress(stream: NodeJS.WriteStream): ProgressLine {
  const due = pauses();
  return {
    show(progress: Progress) {
      if (due(progress)) stream.write(logLine('info', `${titleOf(progress)}: ${inWords(progress)}`, { progress }));
    },
    write: (text) => stream.write(logLine('info', text)),
    stop: () => {},
  };
}
