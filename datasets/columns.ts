/** @file Chooses the columns of text and label. */
import { must, RobustError } from '../src/core/errors.js';
import { didYouMean } from '../src/core/suggest.js';

/** Names of text columns, the most reliable first; compared without case, blanks, hyphens and underscores. */
const TEXT =
  'text sentence review content message comment tweet question body utterance query prompt sms post document headline input fulltext commenttext'.split(
    ' ',
  );
const LABEL =
  'label labels sentiment class category target polarity intent coarselabel labelcoarse gold answer output'.split(' ');
/** Names of the two columns of pairs, in the usual order of models. */
const PAIRS = [
  ['premise', 'hypothesis'],
  ['sentence1', 'sentence2'],
  ['question1', 'question2'],
  ['question', 'answer'],
  ['question', 'sentence'],
  ['text1', 'text2'],
  ['texta', 'textb'],
  ['query', 'document'],
  ['query', 'passage'],
  ['claim', 'evidence'],
] as const;

/** The columns of a pair by their usual names. */
const usualPair = (columns: readonly string[]): readonly string[] | undefined =>
  PAIRS.map((pair) => pair.flatMap((name) => columns.find((column) => plain(column) === name) ?? [])).find(
    (found) => found.length === 2,
  );

/** Names of columns with spans, or with a tag for each token. */
const TAGS = 'spans entities ents tags nertags ner'.split(' ');
const TOKENS = ['tokens', 'words'];
/** Names of columns with a number. */
const NUMBER = 'score similarity rating stars grade value'.split(' ');

const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

export interface ColumnNames {
  readonly textColumn?: string | undefined;
  readonly labelColumn?: string | undefined;
  readonly idColumn?: string | undefined;
  /** The two columns of pairs, in the order in which a model reads them. */
  readonly textColumns?: readonly string[] | undefined;
  /** The attacked one of the two. @default the second */
  readonly attackColumn?: string | undefined;
  /** Each text has any number of labels: a column of lists, or several comma-separated columns of 0 and 1. */
  readonly labelSets?: boolean | undefined;
  /** Each text has a number. */
  readonly numbers?: boolean | undefined;
  /** Each text has spans, or a tag for each token. */
  readonly tags?: boolean | undefined;
  /** Column names of the training data, from the model's folder; explicit names take precedence. */
  readonly known?: KnownColumns | undefined;
}

interface KnownColumns {
  /** Preferred if the data have it. */
  readonly text?: string | undefined;
  /** Both texts of a pair, in the order in which the model reads them. The data must have them. */
  readonly texts?: readonly [string, string] | undefined;
  /** Preferred if the data have it, or all of several comma-separated columns. */
  readonly label?: string | undefined;
}

/** Indices of the columns to read. */
export interface RowLayout {
  readonly columns: readonly string[];
  readonly text: number;
  /** The other text of a pair. */
  readonly other?: number;
  /** The first of the two texts is attacked. */
  readonly first?: true;
  /** The label column, or several that each contain one label as 0 or 1. */
  readonly labels: readonly number[];
  readonly id?: number;
}

/**
 * Chooses the named columns, otherwise the first match in a list of usual names. Ids are never guessed. Throws RobustError with the
 * available columns.
 */
export function chooseColumns(columns: readonly string[], given: ColumnNames, where: string): RowLayout {
  const names = withKnown(given, columns, where);
  if (columns.length === 1 && TEXT.includes(plain(must(columns[0]))))
    throw new RobustError(`${where}: expected a label column, got texts without labels ("${columns[0]}")`, {
      code: 'COLUMN_NOT_FOUND',
      hint: 'The true labels are what predictions are compared with: add a column "label", or name it with --columns label=NAME. In a .tsv columns are separated by tabs, in a .csv by commas.',
    });
  if (columns.length === 1)
    throw new RobustError(`${where}: expected a text and a label column, got one column, "${columns[0]}"`, {
      code: 'COLUMN_NOT_FOUND',
      hint: 'Separate columns by tabs in a .tsv and by commas in a .csv, with their names in the first line.',
    });
  const text = textColumns(columns, names, where);
  const labels = labelColumns(columns, names, where);
  const id = names.idColumn === undefined ? [] : [choose('id', '--columns id', names.idColumn, [], columns, where)];
  const chosen = [...text.columns, ...labels, ...id];
  const first = text.columns.length;
  return {
    columns: chosen,
    text: text.attacked,
    ...(first === 2 && { other: 1 - text.attacked, ...(text.attacked === 0 && { first: true }) }),
    labels: labels.map((_, at) => first + at),
    ...(id.length > 0 && { id: chosen.length - 1 }),
  };
}

/** Completes the given names by those that the model knows if the data have them. Throws RobustError if a pair is missing. */
function withKnown({ known = {}, ...names }: ColumnNames, columns: readonly string[], where: string): ColumnNames {
  const has = (name: string): boolean => columns.some((column) => plain(column) === plain(name));
  const { text, label } = known;
  const texts = known.texts?.every(has) ? known.texts : ((known.texts && usualPair(columns)) ?? known.texts);
  const explicit = names.textColumn !== undefined || names.textColumns !== undefined;
  if (!explicit && texts !== undefined && !texts.every(has))
    throw new RobustError(
      `${where}: expected the columns ${texts.join(' and ')}, the pairs that this model was trained on, got columns ${columns.map((name) => `"${name}"`).join(', ')}`,
      {
        code: 'COLUMN_NOT_FOUND',
        hint: 'Name both columns, in the order in which the model reads them: --columns pair=premise,hypothesis.',
      },
    );
  const labelled = label !== undefined && (has(label) || (names.labelSets && label.split(',').every(has)));
  return {
    ...names,
    ...(!explicit && texts && { textColumns: texts }),
    ...(!explicit && text !== undefined && has(text) && { textColumn: text }),
    ...(names.labelColumn === undefined && labelled && { labelColumn: label }),
  };
}

/** The columns of text and label by their names, else by what they hold: the longest texts, the fewest values. `tagged`: of entities. */
export function guessColumns(
  columns: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
): { readonly text?: string | undefined; readonly label?: string | undefined; readonly tagged: boolean } {
  const usual = (names: readonly string[]) =>
    names.flatMap((name) => columns.filter((column) => plain(column) === name))[0];
  const cells = columns.map((name, at) => ({ name, values: rows.flatMap((row) => row[at] ?? []) }));
  const length = (values: readonly string[]): number => values.reduce((sum, { length: one }) => sum + one, 0);
  const [longest] = [...cells].sort((a, b) => length(b.values) - length(a.values));
  const text = usual(TEXT) ?? longest?.name;
  const [fewest] = cells
    .map(({ name, values }) => ({ name, n: new Set(values).size, all: values.length }))
    .filter(({ name, n, all }) => name !== text && n > 1 && (2 * n <= all || all < 10))
    .sort((a, b) => a.n - b.n);
  return {
    text,
    label: usual(LABEL.filter((name) => name !== text)) ?? fewest?.name,
    tagged: usual(TAGS) !== undefined,
  };
}

/** The text column, or both columns of pairs and the attacked one. */
function textColumns(
  columns: readonly string[],
  { textColumn, textColumns: pair, attackColumn, tags }: ColumnNames,
  where: string,
): { columns: string[]; attacked: number } {
  if (pair === undefined) {
    const usual = tags ? [...TEXT, ...TOKENS] : TEXT;
    return { columns: [choose('text', '--columns text', textColumn, usual, columns, where)], attacked: 0 };
  }
  if (pair.length !== 2 || plain(must(pair[0])) === plain(must(pair[1])))
    throw new RobustError(`--columns pair: expected two columns, got ${pair.join(', ') || 'none'}`, {
      code: 'COLUMN_INVALID',
      hint: 'A pair is two texts: --columns pair=premise,hypothesis. For one text give --columns text=NAME.',
    });
  const chosen = pair.map((name) => choose('text', '--columns pair', name, [], columns, where));
  const attacked =
    attackColumn === undefined
      ? 1
      : chosen.indexOf(choose('attacked', '--columns attack', attackColumn, [], chosen, where));
  return { columns: chosen, attacked };
}

/** The label column, or several with one label each. */
function labelColumns(
  columns: readonly string[],
  { labelColumn, labelSets, numbers, tags }: ColumnNames,
  where: string,
): string[] {
  if (tags) return [choose('tag', '--columns label', labelColumn, [...TAGS, ...LABEL], columns, where)];
  if (numbers) return [choose('number', '--columns label', labelColumn, [...NUMBER, ...LABEL], columns, where)];
  const several =
    labelSets && labelColumn?.includes(',') && !columns.some((name) => plain(name) === plain(labelColumn));
  if (!several || labelColumn === undefined)
    return [choose('label', '--columns label', labelColumn, LABEL, columns, where)];
  return labelColumn.split(',').map((name) => choose('label', '--columns label', name.trim(), [], columns, where));
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
  // An exact name precedes one that differs in case; a duplicate name is ambiguous.
  const column = columns.find((name) => name === named) ?? found[0];
  if (column !== undefined && columns.indexOf(column) === columns.lastIndexOf(column)) return column;
  const saw = columns.map((name) => `"${name}"`).join(', ');
  if (column !== undefined)
    throw new RobustError(`${where}: expected one column "${column}", got two of that name among ${saw}`, {
      code: 'COLUMN_INVALID',
      hint: `Rename one, or choose another with ${flag}.`,
    });
  throw new RobustError(
    `${where}: expected ${named === undefined ? `a ${role} column` : `the column "${named}"`}, got columns ${saw}`,
    {
      code: 'COLUMN_NOT_FOUND',
      hint: named === undefined ? nameHint(role, flag, columns) : didYouMean(named, columns),
    },
  );
}

function nameHint(role: string, flag: string, columns: readonly string[]): string {
  const tagged = role === 'label' ? columns.find((name) => TAGS.includes(plain(name))) : undefined;
  const pair = role === 'text' ? usualPair(columns) : undefined;
  if (pair !== undefined)
    return `"${pair.join('" and "')}" look like pairs, for a model that reads two texts: --columns pair=${pair.join(',')}; for one text name it with ${flag}.`;
  if (tagged !== undefined)
    return `Column "${tagged}" looks like entities: add --task tags, or name another column with ${flag}.`;
  return `Name it with ${flag}. A file of more than two columns, or with labels of unknown names, needs a header line.`;
}

/**
 * Column names of a file whose first line is unmistakably an example instead of a header; otherwise undefined. Unmistakable means two
 * fields, neither of them a usual column name, and exactly one of them a possible label (a name or index of the model's labels; without a
 * model, an integer).
 */
export function headerless(first: readonly string[], isLabel: (value: string) => boolean): string[] | undefined {
  if (first.length !== 2 || first.some((field) => TEXT.includes(plain(field)) || LABEL.includes(plain(field))))
    return undefined;
  const [left, right] = first.map((field) => isLabel(field.trim()));
  if (left === right) return undefined;
  return left ? ['label', 'text'] : ['text', 'label'];
}
