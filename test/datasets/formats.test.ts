import { describe, expect, test } from 'vitest';
import { refusal } from '../refusal.js';
import { opened, rowsOf } from './write.js';

type Rows = Readonly<Record<string, string>>;
const AB: Rows = { 'a, b': 'pos', c: 'neg' };

/** One line a case: name, content, and the rows it must give, label by text. */
const READS: [why: string, name: string, content: string | Uint8Array, rows: Rows][] = [
  ['tsv', 'a.tsv', 'text\tlabel\ngood film\t1\nbad film\t0\n', { 'good film': '1', 'bad film': '0' }],
  ['csv', 'a.csv', 'text,label\ngood film,1\n', { 'good film': '1' }],
  ['jsonl', 'a.jsonl', '{"text": "good film", "label": 1}\n', { 'good film': '1' }],
  ['no line end at the end', 'a.tsv', 'text\tlabel\ngood\t1', { good: '1' }],
  ['byte order mark', 'a.csv', '\uFEFFtext,label\ngood,1\n', { good: '1' }],
  ['CRLF', 'a.tsv', 'text\tlabel\r\ngood\t1\r\n', { good: '1' }],
  ['mixed line ends', 'a.csv', 'text,label\ngood,1\r\nbad,0\n', { good: '1', bad: '0' }],
  ['blank lines', 'a.tsv', 'text\tlabel\n\ngood\t1\n\n\nbad\t0\n\n', { good: '1', bad: '0' }],
  ['columns in any order, with others between', 'a.tsv', 'label\tid\tnote\ttext\n1\tx\ty\tgood\n', { good: '1' }],
  ['usual names in any case', 'a.csv', 'Idx,Sentence,Sentiment\n7,good,pos\n', { good: 'pos' }],
  ['names with hyphens', 'a.csv', 'coarse-label,Question\nHUM,who?\n', { 'who?': 'HUM' }],
  ['surrounding white space', 'a.tsv', 'text\tlabel\n  good film \t 1 \n', { 'good film': '1' }],
  ['empty text is data', 'a.tsv', 'text\tlabel\n\t1\nbad\t0\n', { '': '1', bad: '0' }],
  [
    'tsv: a quotation mark is text',
    'a.tsv',
    'text\tlabel\n"good" film\t1\na 9" disc\t0\n"\t0\n',
    { '"good" film': '1', 'a 9" disc': '0', '"': '0' },
  ],
  ['tsv: several quoted words are text', 'a.tsv', 'text\tlabel\n"good" film "bad"\t1\n', { '"good" film "bad"': '1' }],
  [
    'tsv: a properly quoted field',
    'a.tsv',
    'text\tlabel\n"say ""hi"" now"\t"1"\n""\t0\n',
    { 'say "hi" now': '1', '': '0' },
  ],
  [
    'csv: separators, marks and line breaks in quotes',
    'a.csv',
    'text,label\n"a, b",1\n"say ""hi""",0\n"two\nlines",1\n',
    { 'a, b': '1', 'say "hi"': '0', 'two\nlines': '1' },
  ],
  [
    'csv: marks inside an unquoted field',
    'a.csv',
    'text,label\na 9" disc,1\n"good" film,0\n',
    { 'a 9" disc': '1', '"good" film': '0' },
  ],
  ['csv: Excel names the separator', 'a.csv', 'sep=;\r\ntext;label\r\na, b;pos\r\nc;neg\r\n', AB],
  ['csv: Excel names the separator, quoted', 'a.csv', '"sep=|"\ntext|label\na, b|pos\nc|neg\n', AB],
  ['csv: a comma in the header of semicolons', 'a.csv', 'text;label;note,extra\na, b;pos;x\nc;neg;y\n', AB],
  ['csv: semicolons in quotes in the header', 'a.csv', '"a;b",text,label\n1,"a, b",pos\n2,c,neg\n', AB],
  ['csv: semicolons in texts', 'a.csv', 'text,label,"x"\n"a, b",pos,1;2\nc,neg,3;4\n', AB],
  ['csv: tabs', 'a.csv', 'text\tlabel, true\tlabel\na, b\t1\tpos\nc\t1\tneg\n', AB],
  ['csv: bars', 'a.csv', 'text|label\na, b|pos\nc|neg\n', AB],
  ['csv: carriage returns alone', 'a.csv', 'text,label\r"a, b",pos\rc,neg', AB],
  ['tsv: carriage returns alone', 'a.tsv', 'text\tlabel\ra, b\tpos\r\rc\tneg\r', AB],
  ['jsonl: carriage returns alone', 'a.jsonl', '{"text":"a, b","label":"pos"}\r{"text":"c","label":"neg"}\r', AB],
  ['csv: blanks around quoted fields', 'a.csv', 'text, label\n"a, b" ,pos\n c\t, "neg"\t\n', AB],
  [
    'tsv: quoted line breaks and tabs',
    'a.tsv',
    'text\tlabel\n"one\n\ntwo ""x"""\tpos\n"a\tb"\tneg\n"good\tpos\n"good" film\tneg\n',
    { 'one\n\ntwo "x"': 'pos', 'a\tb': 'neg', '"good': 'pos', '"good" film': 'neg' },
  ],
  [
    'tsv: a quoted line break at the end',
    'a.tsv',
    'label\ttext\npos\t"one\ntwo"\nneg\tc',
    { 'one\ntwo': 'pos', c: 'neg' },
  ],
  ['csv: semicolons', 'a.csv', 'text;label\n"good, really";1\n', { 'good, really': '1' }],
  [
    'jsonl: keys of later records, blanks, numbers',
    'a.jsonl',
    '{"label": true, "text": "x"}\n\n{"extra": [1], "text": "y", "label": false}\n',
    { x: 'true', y: 'false' },
  ],
  ['jsonl: U+2028 is no line end', 'a.jsonl', '{"text": "a\u2028b", "label": 1}\n', { 'a\u2028b': '1' }],
  [
    'jsonl: half surrogate pairs become U+FFFD',
    'a.jsonl',
    '{"text": "a \\ud83d b \\ude00 \\ud83d\\ude00", "label": 1}\n',
    { 'a \uFFFD b \uFFFD 😀': '1' },
  ],
  ['NUL', 'a.tsv', 'text\tlabel\na\0b\t1\n', { 'a\0b': '1' }],
  ['emoji with joiners', 'a.csv', 'text,label\n👩‍👩‍👧 loved it,1\n', { '👩‍👩‍👧 loved it': '1' }],
  ['right-to-left text', 'a.tsv', 'text\tlabel\nסרט נהדר \u202Bمثير\u202C\t1\n', { 'סרט נהדר \u202Bمثير\u202C': '1' }],
  ['only punctuation', 'a.tsv', 'text\tlabel\n?!...\t1\n', { '?!...': '1' }],
  ['no header: text first', 'a.tsv', 'good film\t1\nbad film\t0\n', { 'good film': '1', 'bad film': '0' }],
  ['no header: label first', 'a.csv', '0,bad film\n1,good film\n', { 'bad film': '0', 'good film': '1' }],
  [
    'TREC',
    'a.txt',
    Buffer.from('HUM:ind Who was caf\xe9 ?\nNUM:dist How far ?\n', 'latin1'),
    { 'Who was café ?': 'HUM', 'How far ?': 'NUM' },
  ],
  ['TREC in UTF-8', 'a.txt', 'HUM:ind Who was café ?\n', { 'Who was café ?': 'HUM' }],
];

test.each(READS)('%s', async (_, name, content, rows) => {
  expect(await rowsOf(await opened(name, content))).toEqual(Object.entries(rows));
});

test.each([
  ['jsonl', '{"text":"good \\ud83d one","label":"pos"}\n{"text":"\\ude00","label":"neg"}\n{"text":"x","label":"neg"}'],
  ['json', '[{"text":"good \\ud83d one","label":"pos"},{"text":"\\ufdd0","label":"neg"}]'],
])('%s: what cannot be sent to a model is said', async (ending, content) => {
  const said: string[] = [];
  await opened(`a.${ending}`, content, { onWarning: (message) => said.push(message) });
  expect(said).toEqual([expect.stringMatching(/^2 texts have half a surrogate pair .*first in .*:1: U\+FFFD/)]);
});

/** One line a case: what is refused, and the code of the error. */
const REFUSED: [why: string, name: string, content: string | Uint8Array, code: string][] = [
  ['empty file', 'a.tsv', '', 'EXAMPLES_TOO_FEW'],
  ['empty jsonl', 'a.jsonl', '\n', 'EXAMPLES_TOO_FEW'],
  ['empty TREC', 'a.txt', '', 'EXAMPLES_TOO_FEW'],
  ['empty parquet', 'a.parquet', '', 'EXAMPLES_TOO_FEW'],
  ['header only', 'a.csv', 'text,label\n', 'EXAMPLES_TOO_FEW'],
  ['one column', 'a.tsv', 'text\ngood\n', 'COLUMN_NOT_FOUND'],
  ['csv in a .tsv', 'a.tsv', 'text,label\ngood,1\n', 'COLUMN_NOT_FOUND'],
  ['no text column', 'a.tsv', 'foo\tlabel\tbar\nx\t1\ty\n', 'COLUMN_NOT_FOUND'],
  ['no label column', 'a.tsv', 'text\tfoo\nx\t1\n', 'COLUMN_NOT_FOUND'],
  ['two columns of one name', 'a.csv', 'text,label,text\nx,1,y\n', 'COLUMN_INVALID'],
  ['no header, labels unknown', 'a.tsv', 'good film\tpositive\n', 'COLUMN_NOT_FOUND'],
  ['too few fields', 'a.tsv', 'text\tlabel\ngood\t1\nbad\n', 'DATA_DAMAGED'],
  ['too many fields', 'a.csv', 'text,label\ngood, really,1\n', 'DATA_DAMAGED'],
  ['csv: an open quote', 'a.csv', 'text,label\n"two\nlines",1\n"open,0\nmore,1\n', 'DATA_DAMAGED'],
  ['csv: a mark inside a quoted field', 'a.csv', 'text,label\n"one,1\n"two,0\n', 'DATA_DAMAGED'],
  ['tsv: an open quote', 'a.tsv', 'text\tlabel\n"one\t1\n"two\nthree\n', 'DATA_DAMAGED'],
  ['csv: line numbers after a quoted line break', 'a.csv', 'text,label\n"two\nlines",1\n\nbad\n', 'DATA_DAMAGED'],
  ['latin-1', 'a.tsv', Buffer.from('text\tlabel\nok\t1\ncr\xe8me br\xfbl\xe9e\t1\n', 'latin1'), 'DATA_DAMAGED'],
  ['latin-1 csv', 'a.csv', Buffer.from('text,label\nok,1\ncr\xe8me,1\n', 'latin1'), 'DATA_DAMAGED'],
  ['UTF-16', 'a.csv', Buffer.from('\uFEFFtext,label\n', 'utf16le'), 'DATA_DAMAGED'],
  [
    'a cut UTF-8 sequence at the end',
    'a.tsv',
    Buffer.from([...Buffer.from('text\tlabel\ngood\t1\nx'), 0xe2, 0x82]),
    'DATA_DAMAGED',
  ],
  ['jsonl: no JSON', 'a.jsonl', '{"text": "x", "label": 1}\n{"text": \n', 'DATA_DAMAGED'],
  ['jsonl: a list', 'a.jsonl', '[1, 2]\n', 'DATA_DAMAGED'],
  ['jsonl: a missing text', 'a.jsonl', '{"text": "x", "label": 1}\n{"txt": "y", "label": 1}\n', 'DATA_DAMAGED'],
  ['jsonl: a text that is a list', 'a.jsonl', '{"text": ["x"], "label": 1}\n', 'DATA_DAMAGED'],
  ['jsonl: a null label', 'a.jsonl', '{"text": "x", "label": null}\n', 'LABELS_DAMAGED'],
  ['an empty label', 'a.csv', 'text,label\nx,1\ny,\n', 'LABELS_DAMAGED'],
  ['TREC line without a class', 'a.txt', 'HUM:ind Who ?\nJust a text\n', 'DATA_DAMAGED'],
  ['text named parquet', 'a.parquet', 'text,label\ngood,1\n', 'DATA_DAMAGED'],
  [
    'a text column taken for labels',
    'a.tsv',
    `text\tlabel\n${Array.from({ length: 1001 }, (_, i) => `a\tlabel ${i}\n`).join('')}`,
    'LABELS_DAMAGED',
  ],
];

test.each(REFUSED)('refuses: %s', async (_, name, content, code) => {
  await refusal(opened(name, content), code);
});

describe('long lines', () => {
  test('1 MB on one line is one example', async () => {
    const text = 'good '.repeat(2 ** 18).trim();
    for (const [name, content] of [
      ['a.tsv', `text\tlabel\n${text}\t1\nbad\t0\n`],
      ['a.tsv', `text\tlabel\n"${text}"\t1\nbad\t0\n`],
      ['a.csv', `text,label\n"${text}",1\nbad,0\n`],
      ['a.jsonl', `${JSON.stringify({ text, label: 1 })}\n{"text":"bad","label":0}\n`],
    ]) {
      expect(await rowsOf(await opened(name, content)), name).toEqual([
        [text, '1'],
        ['bad', '0'],
      ]);
    }
  });

  const hostile: readonly (readonly [string, string | Buffer])[] = [
    ['a.json', '['.repeat(1e6)],
    ['a.json', `[${'{"text":'.repeat(70)}`],
    ['a.json', Buffer.concat([Buffer.from('[{"text":"'), Buffer.alloc(66 * 2 ** 20, 'x')])],
    ['a.jsonl', `{"text":${'['.repeat(1e6)}\n`],
  ];
  test.each(hostile)('%s without end is refused, not read into memory', async (name, content) => {
    await refusal(opened(name, content), 'DATA_DAMAGED');
  });

  test('a line past 64 MiB is refused, not read into memory', async () => {
    const content = Buffer.alloc(66 * 2 ** 20, 'x');
    await refusal(opened('a.tsv', content), 'DATA_DAMAGED');
    content.write('text,label\n"');
    for (let at = 100; at < content.length; at += 1000) content[at] = 0x0a;
    await refusal(opened('a.csv', content), 'DATA_DAMAGED');
  });
});
