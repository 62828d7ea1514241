/** @file Data of fastText: each line is `__label__x text`, with one label or several before the text. Columns: text, label (a list of several). */
import { RobustError } from '../src/core/errors.js';
import { lines } from './lines.js';
import { noRows, type TableReader } from './table.js';

const LABELS = /^(?:__label__\S+\s+)+|^(?:__label__\S+\s*)+$/;

export const isFastText = (line: string): boolean => line.startsWith('__label__');

export const readFastText: TableReader = async (path) => {
  for await (const _ of lines(path)) return { columns: ['text', 'label'], rows };
  throw noRows(path, 'an empty file');

  async function* rows(wanted: readonly string[], lists?: readonly string[]) {
    for await (const { text: line, number } of lines(path)) {
      if (line.trim() === '') continue;
      const [head = ''] = LABELS.exec(line) ?? [];
      const labels = [...head.matchAll(/__label__(\S+)/g)].map(([, name = '']) => name);
      if (labels.length === 0 || (labels.length > 1 && !lists?.includes('label')))
        throw new RobustError(
          `${path}:${number}: expected "__label__x text", got ${JSON.stringify(line.slice(0, 40))}`,
          {
            code: 'DATA_DAMAGED',
            hint: 'A line begins with its label; lines with several labels need --task multi-label.',
          },
        );
      const label = lists?.includes('label') ? JSON.stringify(labels) : labels[0];
      const fields: Readonly<Record<string, string | undefined>> = { text: line.slice(head.length), label };
      yield { path, line: number, cells: wanted.map((column) => fields[column]) };
    }
  }
};
