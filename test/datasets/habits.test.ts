/** Files as pandas, the Hub's `datasets`, doccano, spaCy, Presidio and fastText write them: read, or refused with the flag that helps. */
import { expect, test } from 'vitest';
import type { DatasetOptions } from '../../datasets/index.js';
import { refusal } from '../refusal.js';
import { opened, rowsOf } from './write.js';

const ROWS: [string, string][] = [
  ['a, b', 'pos'],
  ['c', 'neg'],
];
const objects = ROWS.map(([text, label]) => ({ text, label }));
const byIndex = (key: 'text' | 'label') => Object.fromEntries(objects.map((row, at) => [at, row[key]]));

/** Name of the file -> content of the same two rows. */
const READ: Readonly<Record<string, unknown>> = {
  'records.json': objects,
  'lines.json': objects.map((row) => JSON.stringify(row)).join('\n'),
  'one line.json': JSON.stringify(objects[0]),
  'columns.json': { text: byIndex('text'), label: byIndex('label') },
  'index.json': { ...objects },
  'split.json': { columns: ['text', 'label'], index: [0, 1], data: ROWS },
  'table.json': { schema: { fields: [{ name: 'text' }], pandas_version: '1.4.0' }, data: objects },
  'data.json': { version: '1', data: objects },
  'lists.json': { text: ['a, b', 'c'], label: ['pos', 'neg'] },
  'indented.json': JSON.stringify(objects, null, 2),
  'wrapped.json': JSON.stringify({ data: objects }, null, 2),
  'cats.json': [
    ['a, b', { cats: { pos: 1, neg: 0 } }],
    ['c', { cats: { pos: 0, neg: 1 } }],
  ],
  'a.train': '__label__pos a, b\n__label__neg c\n',
  'a.txt': '__label__pos a, b\n__label__neg c\n',
  'index.csv': ',text,label\n0,"a, b",pos\n1,c,neg\n',
};

test.each(Object.entries(READ))('%s', async (name, content) => {
  const rows = await rowsOf(await opened(name, typeof content === 'string' ? content : JSON.stringify(content)));
  expect(rows).toEqual(name === 'one line.json' ? ROWS.slice(0, 1) : ROWS);
});

const ANN = [[0, 3, 'PER']];
test.each([
  ['doccano.jsonl', '{"id":1,"text":"Ann 😀 left Bob","label":[[0,3,"PER"],[11,14,"PER"]]}'],
  ['spacy.json', JSON.stringify([['Ann 😀 left Bob', { entities: [...ANN, [11, 14, 'PER']] }]])],
  [
    'presidio.json',
    JSON.stringify([
      {
        full_text: 'Ann 😀 left Bob',
        masked: 'x',
        spans: [
          { entity_type: 'PER', start_position: 0, end_position: 3 },
          { entity_type: 'PER', start_position: 11, end_position: 14 },
        ],
      },
    ]),
  ],
  [
    'prodigy.jsonl',
    '{"text":"Ann 😀 left Bob","ents":[{"start":0,"end":3,"label":"PER"},{"start":11,"end":14,"label":"PER"}]}',
  ],
])('%s: spans', async (name, content) => {
  for await (const { text, entities = [] } of (await opened(name, content, { tags: true })).examples())
    expect(
      (entities as readonly { readonly start: number; readonly end: number }[]).map(({ start, end }) =>
        text.slice(start, end),
      ),
    ).toEqual(['Ann', 'Bob']);
});

test.each<[string, string, DatasetOptions]>([
  ['onehot.csv', 'text,toxic,insult\na,1,0\nb,0,1\n', {}],
  ['unlabelled.csv', 'text\na\nb\n', {}],
  ['values.json', '[["a","pos"],["b","neg"]]', {}],
  ['nested.json', '{"a":{"b":1},"c":{"d":2}}', {}],
  ['pairs.csv', 'premise,hypothesis,label\na,b,1\n', {}],
  ['lists.jsonl', '{"text":"a","label":["pos"]}', {}],
  ['doccano.jsonl', '{"text":"Ann left","label":[[0,3,"PER"]]}', {}],
  ['several.txt', '__label__a __label__b text\n', {}],
  ['utf16.jsonl', '{"text":"Hi 😀😀 Anna left","spans":[{"start":8,"end":12,"label":"PER"}]}', { tags: true }],
  ['end.jsonl', '{"text":"😀😀 Anna","spans":[{"start":5,"end":9,"label":"PER"}]}', { tags: true }],
  ['bytes.jsonl', '{"text":"Café ééé Anna left","spans":[{"start":13,"end":17,"label":"PER"}]}', { tags: true }],
  ['data.arrow', 'x', {}],
])('%s is refused: %j', async (name, content, options) => {
  await refusal(opened(name, content, options));
});

test('a pair is found by its usual names where the model knows others', async () => {
  const options = { known: { texts: ['premise', 'hypothesis'] as const } };
  const data = await opened('a.csv', 'sentence1,sentence2,label\na,b,1\n', options as never);
  for await (const example of data.examples()) expect(example).toMatchObject({ text: 'b', text2: 'a' });
});

/** Texts that a dialect has to quote, or keep as they are. */
const TEXTS = ['a plain text', 'with, a comma', 'with "quotes"', 'two\nlines', 'a; semicolon', "it's déjà vu 😀"];
const DIALECTS: Readonly<
  Record<string, (rows: readonly (readonly string[])[]) => readonly [ending: string, content: string]>
> = {
  'pandas to_csv': (rows) => ['csv', delimited(rows, ',')],
  'pandas to_csv with an index': (rows) => [
    'csv',
    delimited(
      rows.map((row, at) => [at === 0 ? '' : String(at - 1), ...row]),
      ',',
    ),
  ],
  'pandas to_csv, sep ;': (rows) => ['csv', delimited(rows, ';')],
  'pandas to_csv, sep \\t': (rows) => ['tsv', delimited(rows, '\t')],
  'everything quoted, CRLF': (rows) => ['csv', delimited(rows, ',', true).replaceAll(/(?<!\n)\n(?=")/g, '\r\n')],
  'Excel: a mark of byte order and ;': (rows) => ['csv', `\uFEFF${delimited(rows, ';', true)}`],
  'datasets to_json': ([head, ...rows]) => [
    'jsonl',
    rows.map((row) => JSON.stringify(objectOf(head!, row))).join('\n'),
  ],
  'pandas to_json, records': ([head, ...rows]) => ['json', JSON.stringify(rows.map((row) => objectOf(head!, row)))],
};
const NAMES = [
  ['text', 'label'],
  ['sentence', 'label'],
  ['review', 'sentiment'],
  ['comment_text', 'sentiment'],
  ['Rezension', 'Urteil'],
  ['content', 'category'],
  ['tweet', 'class'],
] as const;
const LABELS: Readonly<Record<string, (at: number) => string>> = {
  words: (at) => (at % 2 ? 'positive' : 'negative'),
  indices: (at) => String(at % 2),
  stars: (at) => String(1 + (at % 3)),
  'words with blanks': (at) => (at % 2 ? 'not spam' : 'spam, really'),
  truths: (at) => (at % 2 ? 'True' : 'False'),
};

const objectOf = (head: readonly string[], row: readonly string[]) =>
  Object.fromEntries(head.map((name, at) => [name, row[at]]));

function delimited(rows: readonly (readonly string[])[], separator: string, always = false): string {
  const cell = (value: string) =>
    always || /["\n\r]/.test(value) || value.includes(separator) ? `"${value.replaceAll('"', '""')}"` : value;
  return `${rows.map((row) => row.map(cell).join(separator)).join('\n')}\n`;
}

test.each(
  Object.entries(DIALECTS).flatMap(([dialect, write]) =>
    NAMES.flatMap((names) => Object.entries(LABELS).map(([kind, label]) => ({ dialect, names, kind, write, label }))),
  ),
)('$dialect, $names, $kind: read, or refused with the flag that names the columns', async ({ names, write, label }) => {
  const rows = TEXTS.map((text, at): [string, string] => [text, label(at)]);
  const [ending, content] = write([names, ...rows]);
  const name = `a.${ending}`;
  const read = await opened(name, content).then(rowsOf, (error: unknown) => error);
  if (Array.isArray(read)) return expect(read).toEqual(rows);
  await refusal(opened(name, content, {}));
  // What it asks for is enough.
  const [textColumn, labelColumn] = names;
  expect(await rowsOf(await opened(name, content, { textColumn, labelColumn } as never))).toEqual(rows);
});
