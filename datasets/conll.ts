/**
 * @file CoNLL: a token and its tag on each line, separated by tabs or spaces, and an empty line between texts. The first column is the token,
 * the last one its tag; -DOCSTART- lines and `# id ...` comments are left out. Columns: tokens, tags (lists).
 */
import { RobustError } from '../src/core/errors.js';
import { lines } from './lines.js';
import { noRows, type TableReader, type TableRow } from './table.js';

interface TaggedTokens {
  readonly line: number;
  readonly tokens: string[];
  readonly tags: string[];
}

export const readConll: TableReader = async (path) => {
  for await (const _ of texts(path)) return { columns: ['tokens', 'tags'], rows };
  throw noRows(path, 'a file without tokens');

  async function* rows(wanted: readonly string[]): AsyncGenerator<TableRow> {
    for await (const { line, ...columns } of texts(path)) {
      yield {
        path,
        line,
        cells: wanted.map((name) => (name in columns ? JSON.stringify(columns[name as 'tokens' | 'tags']) : undefined)),
      };
    }
  }
};

async function* texts(path: string): AsyncGenerator<TaggedTokens> {
  let text: TaggedTokens | undefined;
  for await (const { text: line, number } of lines(path)) {
    const fields = line.includes('\t') ? line.split('\t') : line.trim().split(/\s+/);
    const [token = '', ...others] = fields.map((field) => field.trim());
    if (line.trim() === '' || token === '-DOCSTART-' || line.startsWith('# id ')) {
      if (text !== undefined) yield text;
      text = undefined;
      continue;
    }
    const tag = others.at(-1);
    if (token === '' || tag === undefined || tag === '')
      throw new RobustError(
        `${path}:${number}: expected a token and its tag, got ${JSON.stringify(line.slice(0, 40))}`,
        {
          code: 'DATA_DAMAGED',
          hint: 'A .conll file has a token and its tag on each line, separated by a tab or spaces, and an empty line between texts.',
        },
      );
    text ??= { line: number, tokens: [], tags: [] };
    text.tokens.push(token);
    text.tags.push(tag);
  }
  if (text !== undefined) yield text;
}
