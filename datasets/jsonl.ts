/** @file One JSON object per line. The first object determines the columns; later ones may have more. */
import { RobustError } from '../src/core/errors.js';
import { parseJson } from '../src/core/json.js';
import { lines, type TextLine } from './lines.js';
import { cellOf, keepDecimals, noRows, type TableReader } from './table.js';

export const readJsonl: TableReader = async (path) => {
  for await (const line of lines(path)) {
    if (line.text.trim() === '') continue;
    return { columns: [...record(path, line).keys()], rows };
  }
  throw noRows(path, 'an empty file');

  async function* rows(wanted: readonly string[], lists?: readonly string[]) {
    for await (const line of lines(path)) {
      if (line.text.trim() === '') continue;
      const values = record(path, lists?.length ? { ...line, text: keepDecimals(line.text) } : line);
      const where = `${path}:${line.number}`;
      yield {
        path,
        line: line.number,
        cells: wanted.map((column) => cellOf(values.get(column), column, where, lists)),
      };
    }
  }
};

function record(path: string, { text, number }: TextLine): Map<string, unknown> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new RobustError(`${path}:${number}: expected a JSON object, got ${show(text)}`, {
      code: 'DATA_DAMAGED',
      hint: HINT,
      cause,
    });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return new Map(Object.entries(value));
  throw new RobustError(`${path}:${number}: expected a JSON object, got ${show(text)}`, {
    code: 'DATA_DAMAGED',
    hint: HINT,
  });
}

const HINT =
  'Write one object per line, such as {"text": "good film", "label": "positive"}, or a list of such objects; from pandas: df.to_json(path, orient="records", lines=True).';

const show = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
