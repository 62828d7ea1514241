/** @file Which column holds the text, which the label. */
import { DatasetError, didYouMean } from '../src/plugin.js';

/** Names that mean "the text", most telling first; compared without case, blanks, hyphens and underscores. */
const TEXT =
  'text sentence review content message comment tweet question body utterance query sms post document headline input'.split(
    ' ',
  );
const LABEL =
  'label labels sentiment class category target polarity intent coarselabel labelcoarse gold answer output'.split(' ');

const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

export interface ColumnNames {
  readonly textColumn?: string | undefined;
  readonly labelColumn?: string | undefined;
  readonly idColumn?: string | undefined;
}

/**
 * The columns to read, as [text, label] or [text, label, id]: those named, else the first that a list of usual names finds.
 * Ids are never guessed. Throws DatasetError that names what there is.
 */
export function chooseColumns(columns: readonly string[], names: ColumnNames, where: string): string[] {
  if (columns.length === 1) {
    throw new DatasetError(`${where}: expected a text and a label column, got one column, "${columns[0]}"`, {
      code: 'DATA_COLUMNS',
      hint: 'Separate columns by tabs in a .tsv and by commas in a .csv, with their names in the first line.',
    });
  }
  const chosen = [
    choose('text', '--text-column', names.textColumn, TEXT, columns, where),
    choose('label', '--label-column', names.labelColumn, LABEL, columns, where),
  ];
  if (names.idColumn !== undefined) chosen.push(choose('id', '--id-column', names.idColumn, [], columns, where));
  return chosen;
}

function choose(
  role: string,
  flag: string,
  named: string | undefined,
  usual: readonly string[],
  columns: readonly string[],
  where: string,
): string {
  const wanted = named === undefined ? usual : [plain(named)];
  const found = wanted.flatMap((name) => columns.filter((column) => plain(column) === name));
  // An exact name wins over one that differs in case; the same name twice cannot be told apart.
  const column = columns.find((name) => name === named) ?? found[0];
  if (column !== undefined && columns.indexOf(column) === columns.lastIndexOf(column)) return column;
  const saw = columns.map((name) => `"${name}"`).join(', ');
  if (column !== undefined) {
    throw new DatasetError(`${where}: expected one column "${column}", got two of that name among ${saw}`, {
      code: 'DATA_COLUMNS',
      hint: `Rename one, or choose another with ${flag}.`,
    });
  }
  throw new DatasetError(
    `${where}: expected ${named === undefined ? `a ${role} column` : `the column "${named}"`}, got columns ${saw}`,
    {
      code: 'DATA_COLUMNS',
      hint:
        named === undefined
          ? `Name it with ${flag}. A file of more than two columns, or with labels of unknown names, needs a header line.`
          : didYouMean(named, columns),
    },
  );
}

/**
 * Column names for a file whose first line is no header but an example, or undefined where it is a header. Unmistakable means:
 * two fields, neither of them a usual column name, and exactly one of them can be a label (a name or index of the model's
 * labels; without a model, an integer).
 */
export function headerless(first: readonly string[], isLabel: (value: string) => boolean): string[] | undefined {
  if (first.length !== 2 || first.some((field) => TEXT.includes(plain(field)) || LABEL.includes(plain(field))))
    return undefined;
  const [left, right] = first.map((field) => isLabel(field.trim()));
  if (left === right) return undefined;
  return left ? ['label', 'text'] : ['text', 'label'];
}
