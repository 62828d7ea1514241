/**
 * @file TREC question files (Li and Roth 2002): each line is `COARSE:fine question`, without a header, in Latin-1. A valid UTF-8 line is
 * read as UTF-8. Columns: text, label (the coarse class), fine (`COARSE:fine`, because fine names repeat).
 */
import { RobustError } from '../src/core/errors.js';
import { lines } from './lines.js';
import { noRows, type TableReader } from './table.js';

const QUESTION = /^(?<fine>(?<label>[A-Z]+):[a-z]+)\s+(?<text>.*)$/;

export const readTrec: TableReader = async (path) => {
  for await (const _ of lines(path, 'latin1-fallback')) return { columns: ['text', 'label', 'fine'], rows };
  throw noRows(path, 'an empty file');

  async function* rows(wanted: readonly string[]) {
    for await (const { text, number } of lines(path, 'latin1-fallback')) {
      if (text === '') continue;
      const fields = QUESTION.exec(text)?.groups;
      if (fields === undefined)
        throw new RobustError(
          `${path}:${number}: expected "LABEL:sub text" (TREC), got ${JSON.stringify(text.slice(0, 40))}`,
          {
            code: 'DATA_DAMAGED',
            hint: 'A .txt file is read as TREC questions; for other data use .tsv, .csv or .jsonl.',
          },
        );
      yield { path, line: number, cells: wanted.map((column) => fields[column]) };
    }
  }
};
