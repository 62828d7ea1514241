/** @file Progress as `--log json` writes it: a line every ten seconds, with the figures apart from the words. */
import { logLine } from '../../app/log-line.js';
import { inWords, titleOf } from '../../app/progress.js';
import { type ProgressLine, pauses } from './progress-line.js';

export function jsonProgress(stream: NodeJS.WriteStream): ProgressLine {
  const due = pauses();
  return {
    show: (progress) =>
      void (due(progress) && stream.write(logLine('info', `${titleOf(progress)}: ${inWords(progress)}`, { progress }))),
    count: () => {},
    write: (text) => stream.write(logLine('info', text)),
    stop: () => {},
  };
}
