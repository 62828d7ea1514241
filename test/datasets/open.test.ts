import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type DatasetOptions, openDataset } from '../../datasets/index.js';
import type { Example } from '../../src/plugin.js';
import { until } from '../model/processes.js';
import { refusal } from '../refusal.js';
import { fileOf, opened, rowsOf } from './write.js';

const SENTIMENT = ['NEGATIVE', 'POSITIVE'];

async function examplesOf(content: string, options?: DatasetOptions): Promise<Example[]> {
  const examples: Example[] = [];
  for await (const example of (await opened('a.tsv', content, options)).examples()) examples.push(example);
  return examples;
}

describe('labels', () => {
  test.each<[written: string, index: number]>([
    ['NEGATIVE', 0],
    ['positive', 1],
    ['Positive', 1],
    ['0', 0],
    ['1', 1],
    ['1.0', 1],
  ])('%s is label %i of the model', async (written, index) => {
    expect(await examplesOf(`text\tlabel\nx\t${written}\n`, { labels: SENTIMENT })).toEqual([
      { id: '1', text: 'x', label: index },
    ]);
  });

  test('a name is a name before it is an index', async () => {
    const labels = ['3', '2', '1'];
    expect((await examplesOf('text\tlabel\nx\t1\ny\t3\n', { labels })).map((one) => one.label)).toEqual([2, 0]);
  });

  test('without a model: names sorted, integers by value', async () => {
    expect((await opened('a.tsv', 'text\tlabel\nx\tspam\ny\tham\n')).labels).toEqual(['ham', 'spam']);
    expect((await opened('a.tsv', 'text\tlabel\nx\t10\ny\t9\nz\t9.0\n')).labels).toEqual(['9', '10']);
  });

  test('those outside the model are listed with their lines', async () => {
    const content = 'text\tlabel\nx\t1\ny\tneutral\nz\tmixed\nz\tneutral\n';
    await refusal(opened('a.tsv', content, { labels: SENTIMENT }), 'LABELS_DAMAGED');
    await refusal(opened('a.tsv', 'text\tlabel\nx\t2\n', { labels: SENTIMENT }));
    await refusal(opened('a.tsv', 'text\tlabel\nx\t-1\n', { labels: SENTIMENT }));
  });

  test('booleans of JSON are labels', async () => {
    const rows = '{"text":"x","label":true}\n{"text":"y","label":false}\n';
    const dataset = await opened('a.jsonl', rows, { labels: ['SAFE', 'INJECTION'] });
    const found: number[] = [];
    for await (const { label } of dataset.examples()) found.push(label);
    expect(found).toEqual([1, 0]);
    expect((await opened('a.jsonl', rows)).labels).toEqual(['false', 'true']);
  });

  test('a map renames them, by name or index, on either side', async () => {
    const content = 'text\tlabel\na\tpos\nb\tNEG\nc\t1\n';
    const labelMap = { Pos: 'positive', neg: '0', '1': 'NEGATIVE' };
    expect((await examplesOf(content, { labels: SENTIMENT, labelMap })).map((one) => one.label)).toEqual([1, 0, 0]);
    expect((await opened('a.tsv', content, { labelMap: { neg: 'bad', '1': 'bad' } })).labels).toEqual(['bad', 'pos']);
  });

  test('a map to no label of the model is a usage error', async () => {
    await refusal(
      opened('a.tsv', 'text\tlabel\na\tpos\n', { labels: SENTIMENT, labelMap: { pos: 'posi' } }),
      'LABEL_NOT_FOUND',
    );
  });

  test("without a header the model's label names identify their column", async () => {
    expect(await examplesOf('a film\tnegative\nb film\tpositive\n', { labels: SENTIMENT })).toEqual([
      { id: '1', text: 'a film', label: 0 },
      { id: '2', text: 'b film', label: 1 },
    ]);
  });
});

describe('columns and ids', () => {
  const content = 'key\tfirst\tsecond\ttruth\na\tx\ty\t0\nb\tz\tw\t1\n';

  test('named columns are taken, in any case', async () => {
    expect(await examplesOf(content, { textColumn: 'second', labelColumn: 'Truth', idColumn: 'key' })).toEqual([
      { id: 'a', text: 'y', label: 0 },
      { id: 'b', text: 'w', label: 1 },
    ]);
  });

  test('a mistyped one is named with what there is', async () => {
    await refusal(opened('a.tsv', content, { textColumn: 'secnd', labelColumn: 'truth' }), 'COLUMN_NOT_FOUND');
  });

  test('ids must be there and distinct', async () => {
    const options = { textColumn: 'first', labelColumn: 'truth', idColumn: 'key' };
    await refusal(opened('a.tsv', `${content}a\tz\tw\t1\n`, options), 'DATA_DAMAGED');
    await refusal(opened('a.tsv', `${content}\tz\tw\t1\n`, options), 'DATA_DAMAGED');
  });

  test("TREC's fine classes can be the labels", async () => {
    const data = await opened('a.txt', 'HUM:desc Who ?\nDESC:desc What ?\n', { labelColumn: 'fine' });
    expect(data.labels).toEqual(['DESC:desc', 'HUM:desc']);
  });
});

describe('files', () => {
  test('name, size, hash and source; examples can be read again', async () => {
    const path = fileOf('a.tsv', 'text\tlabel\nx\t1\ny\t0\n');
    const data = await openDataset(path);
    expect(data).toMatchObject({ name: 'a.tsv', size: 2, source: { url: `file://${path}`, license: 'unknown' } });
    expect(data.source.sha256).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
    expect(await rowsOf(data)).toEqual(await rowsOf(data));
  });

  test('a file that changes after it was opened is refused', async () => {
    const path = fileOf('a.tsv', 'text\tlabel\nx\t1\n');
    const data = await openDataset(path);
    writeFileSync(path, 'text\tlabel\nx\t1\ny\t0\n');
    await expect(rowsOf(data)).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
  });

  test('a name that is nothing, with the nearest name', async () => {
    await refusal(openDataset('review'), 'DATA_NOT_FOUND');
    const path = fileOf('train.tsv', 'text\tlabel\nx\t1\n');
    await expect(openDataset(path.replace('train', 'trian'))).rejects.toMatchObject({
      hint: `Did you mean "${path}"?`,
    });
    await expect(openDataset('no/such/file.tsv')).rejects.toMatchObject({ code: 'DATA_NOT_FOUND' });
    await expect(openDataset('x'.repeat(5000))).rejects.toMatchObject({ code: 'DATA_NOT_FOUND' });
  });

  test('other formats, folders and devices', async () => {
    await refusal(opened('a.xlsx', 'PK'), 'DATA_DAMAGED');
    await refusal(openDataset('bin'));
    await refusal(openDataset('/dev/null'));
  });

  test.skipIf(!existsSync('/proc/self/fd'))('leaving the examples early closes the file', async () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const data = await opened('a.csv', `text,label\n${'good film,1\n'.repeat(50_000)}`);
    const before = open();
    for (let i = 0; i < 10; i++) for await (const { id } of data.examples()) if (id === '3') break;
    await until(() => open() <= before);
  });
});

/** Sizes as data/README.md of the shared folder states them. */
const SHARED: [path: string, rows: number, labels: string[]][] = [
  ['sst2/train.tsv', 67_349, ['0', '1']],
  ['sst2/dev.tsv', 872, ['0', '1']],
  ['sst2/test.tsv', 1821, ['0', '1']],
  ['sms-spam/sms.tsv', 5574, ['ham', 'spam']],
  ['trec/train.txt', 5452, ['ABBR', 'DESC', 'ENTY', 'HUM', 'LOC', 'NUM']],
  ['imdb/reviews200.tsv', 200, ['0', '1']],
];

describe.skipIf(!existsSync('../shared/data'))('public data sets (skipped where ../shared/data is absent)', () => {
  test.each(SHARED)('%s', async (path, rows, labels) => {
    const data = await openDataset(`../shared/data/${path}`);
    expect(data).toMatchObject({ name: basename(path), size: rows, labels });
  });
});
