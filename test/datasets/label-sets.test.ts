/** Texts with any number of labels, and pairs of texts, as files write them. */
import { describe, expect, test } from 'vitest';
import type { DatasetOptions } from '../../datasets/index.js';
import type { Example } from '../../src/plugin.js';
import { refusal } from '../refusal.js';
import { opened } from './write.js';

const LABELS = ['insult', 'threat', 'profane/obscene'];

async function examplesOf(name: string, content: string, options?: DatasetOptions): Promise<Example[]> {
  const examples: Example[] = [];
  for await (const example of (await opened(name, content, options)).examples()) examples.push(example);
  return examples;
}

const sets = async (name: string, content: string, options: DatasetOptions = {}): Promise<unknown> =>
  (await examplesOf(name, content, { labels: LABELS, labelSets: true, ...options })).map(({ labels }) => labels);

describe('numbers', () => {
  test('are read from the usual columns, as files write them', async () => {
    const read = async (content: string, options: DatasetOptions = {}) =>
      (await examplesOf('a.tsv', content, { labels: ['score'], numbers: true, ...options })).map(({ value }) => value);
    expect(await read('text\tscore\nx\t4.25\ny\t-1\nz\t1e-2\nv\t.5\n')).toEqual([4.25, -1, 0.01, 0.5]);
    expect(await read('text\tmark\tlabel\nx\t2\t1\n', { labelColumn: 'mark' })).toEqual([2]);
    const many = Array.from({ length: 1500 }, (_, at) => `x\t${at / 7}`).join('\n');
    expect(await read(`text\tscore\n${many}\n`)).toHaveLength(1500);
  });

  test.each([['many'], ['NaN'], ['Infinity'], ['1,5'], ['0x10'], ['']])('%j is not one', async (cell) => {
    await refusal(opened('a.tsv', `text\tscore\nx\t1\ny\t${cell}\n`, { numbers: true }), 'LABELS_DAMAGED');
  });
});

describe('label sets', () => {
  test.each([
    ['a.tsv', 'text\tlabels\nx\tinsult,threat\ny\t\nz\tProfane/Obscene\nv\tprofane/obscene,insult\n'],
    ['a.tsv', 'text\tlabels\nx\tinsult|threat\ny\t[]\nz\tprofane/obscene\nv\tinsult|profane/obscene\n'],
    ['a.csv', 'text,labels\nx,insult;threat\ny,\nz,2\nv,2;0\n'],
    ['a.tsv', "text\tlabels\nx\t['insult', 'threat']\ny\t[]\nz\t[2]\nv\t[0, 2]\n"],
    [
      'a.jsonl',
      '{"text":"x","labels":["insult","threat"]}\n{"text":"y","labels":[]}\n{"text":"z","labels":[2]}\n{"text":"v","labels":["profane/obscene","insult","insult"]}\n',
    ],
    ['a.tsv', 'text\tinsult\tthreat\tprofane/obscene\nx\t1\t1\t0\ny\t0\t0\t0\nz\t0.33\t0\t0.67\nv\t1.0\t0\ttrue\n'],
  ])('%s: %j', async (name, content) => {
    const labelColumn = content.includes('\tinsult\t') ? 'insult,threat,profane/obscene' : undefined;
    expect(await sets(name, content, { labelColumn })).toEqual([[0, 1], [], [2], [0, 2]]);
  });

  const [A, B, C] = ['toxic', 'insult', 'threat'];
  test.each([
    ['decimal points', [A, B, C], ['[1.0,1.0,0.0]', '[0.0,0.0,1.0]'], [[0, 1], [2]]],
    ['booleans', [A, B], ['[true,true]', '[false,true]'], [[0, 1], [1]]],
    ['a number twice', [A, B, C], ['[1,1,0]', '[0,1,0]'], [[0, 1], [1]]],
    ['as long as there are labels', [A, B], ['[0,1]', '[1,0]'], [[1], [0]]],
    ['shares of raters', [A, B], ['[0.2,0.7]', '[0.5,0]'], [[1], [0]]],
    ['one label', [A], ['[1]', '[0]'], [[0], []]],
    ['unknown labels', undefined, ['[1.0,0.0,1.0]', '[0.0,0.0,0.0]'], [[0, 2], []]],
    ['unknown labels, one of two', undefined, ['[0,1]', '[1,0]'], [[1], [0]]],
    ['positions', [A, B, C], ['[0,1]', '[2]'], [[0, 1], [2]]],
    [
      'positions, of lists of one length',
      [A, B, C],
      ['[0,2]', '[0,1]'],
      [
        [0, 2],
        [0, 1],
      ],
    ],
  ])(
    'lists of numbers are rows of columns or positions, and which is said once: %s',
    async (why, labels, lists, expected) => {
      const files: [string, string][] = [
        ['a.jsonl', lists.map((list) => `{"text":"costs [1.5]","labels":${list}}`).join('\n')],
        ['a.json', JSON.stringify(lists.map((list) => ({ text: 'x', labels: JSON.parse(list) })))],
        ['a.tsv', `text\tlabels\n${lists.map((list) => `x\t${list.replace('true', 'True')}`).join('\n')}`],
        ['numpy.tsv', `text\tlabels\n${lists.map((list) => `x\t${list.replaceAll(',', ' ')}`).join('\n')}`],
      ];
      for (const [name, content] of files) {
        const said: string[] = [];
        const onWarning = (message: string): unknown => said.push(message);
        const options = { labels, labelSets: true, onWarning };
        expect(
          (await examplesOf(name, content, options)).map((example) => example.labels),
          name,
        ).toEqual(expected);
        expect(said, name).toEqual([
          expect.stringContaining(why.startsWith('positions') ? 'positions of labels' : 'a value for each label'),
        ]);
      }
    },
  );

  test('a label is the first of the true ones, or none', async () => {
    const examples = await examplesOf('a.tsv', 'text\tlabels\nx\tthreat,insult\ny\t\n', {
      labels: LABELS,
      labelSets: true,
    });
    expect(examples.map(({ label }) => label)).toEqual([0, -1]);
  });

  test('without a model the labels are those of the file', async () => {
    expect((await opened('a.tsv', 'text\tlabels\nx\tb,a\ny\tc\nz\t\n', { labelSets: true })).labels).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  test('labels can be renamed', async () => {
    expect(await sets('a.tsv', 'text\tlabels\nx\trude,threat\n', { labelMap: { rude: 'insult' } })).toEqual([[0, 1]]);
  });

  test.each([
    ['a row of columns that is too short', 'text\tlabels\nx\t[1.0, 0.0]\ny\t[1.0]\n', { labels: ['a', 'b', 'c'] }],
    ['positions of which one stands twice', 'text\tlabels\nx\t[1, 1]\ny\t[0, 1, 2]\n', {}],
    ['a list with an unknown label', 'text\tlabels\nx\tinsult,insolt\n', {}],
    ['a column that is no yes or no', 'text\tinsult\tthreat\nx\t1\t7\n', { labelColumn: 'insult,threat' }],
    ['a column that is missing', 'text\tinsult\nx\t1\n', { labelColumn: 'insult,threat' }],
  ])('%s is refused', async (_, content, options) => {
    await refusal(opened('a.tsv', content, { labels: LABELS, labelSets: true, ...options }));
  });

  test('a list where one label is meant is refused as before', async () => {
    await refusal(opened('a.jsonl', '{"text":"x","label":["a"]}\n'));
  });
});

describe('pairs', () => {
  const FILE = 'id\tpremise\thypothesis\tlabel\n1\tA man sleeps.\tNobody sleeps.\t0\n';
  const pair = ['premise', 'hypothesis'];

  test('the second text is attacked unless the first is named', async () => {
    const options = { labels: ['no', 'yes'], textColumns: pair };
    expect(await examplesOf('a.tsv', FILE, options)).toEqual([
      { id: '1', text: 'Nobody sleeps.', text2: 'A man sleeps.', label: 0 },
    ]);
    expect(await examplesOf('a.tsv', FILE, { ...options, attackColumn: 'premise' })).toEqual([
      { id: '1', text: 'A man sleeps.', text2: 'Nobody sleeps.', attacked: 'first', label: 0 },
    ]);
  });

  test.each([
    ['three columns', { textColumns: ['id', ...pair] }],
    ['one column twice', { textColumns: ['premise', 'Premise'] }],
    ['a column that is missing', { textColumns: ['premise', 'claim'] }],
    ['an attacked column that is none of the two', { textColumns: pair, attackColumn: 'id' }],
  ])('%s is refused', async (_, options) => {
    await refusal(opened('a.tsv', FILE, options));
  });

  test('one empty text of two is refused, with its line', async () => {
    await refusal(opened('a.tsv', 'premise\thypothesis\tlabel\na\tb\t0\na\t\t1\n', { textColumns: pair }));
  });

  test('no text may contain the separator of pairs', async () => {
    const [example] = await examplesOf('a.tsv', 'text\tlabel\na\uFDD0b\t0\n');
    expect(example?.text).toBe('a\uFFFDb');
  });
});
