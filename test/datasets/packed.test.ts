/** Packed files, files without an ending, lists in JSON, and several files as one. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDataset } from '../../datasets/index.js';
import { refusal } from '../refusal.js';
import { fileOf, opened, rowsOf } from './write.js';

const TSV = 'text\tlabel\ngood film\tpos\nbad film\tneg\n';
const ROWS = [
  ['good film', 'pos'],
  ['bad film', 'neg'],
];

/** A frame of RFC 8878 that packs nothing: raw blocks alone, each of at most `block` bytes. */
function zstdFrame(content: Buffer, block: number) {
  // No content size, no checksum, a window of 8 MiB (section 3.1.1.1.2: 2^(10 + 13)).
  const parts: Buffer[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3])];
  for (let at = 0; at < content.length || at === 0; at += block) {
    const part = content.subarray(at, at + block);
    const head = Buffer.alloc(3);
    head.writeUIntLE((part.length << 3) | (at + block >= content.length ? 1 : 0), 0, 3);
    parts.push(head, part);
  }
  return Buffer.concat(parts);
}

/** TSV as `zstd -19` packs it: a compressed block and a checksum. */
const ZSTD = Buffer.from('KLUv/SQmMQEAdGV4dAlsYWJlbApnb29kIGZpbG0JcG9zCmJhZCBmaWxtCW5lZwqIowK0', 'base64');

test.each<[name: string, content: Buffer]>([
  ['a.tsv.gz', gzipSync(TSV)],
  ['a.tsv', gzipSync(TSV)],
  ['a.tsv.gz', Buffer.concat([gzipSync(TSV.slice(0, 20)), gzipSync(TSV.slice(20))])],
  ['a.tsv.zst', ZSTD],
  [
    'a.tsv.zst',
    Buffer.concat([zstdFrame(Buffer.from(TSV.slice(0, 20)), 7), zstdFrame(Buffer.from(TSV.slice(20)), 100)]),
  ],
  ['a', Buffer.from(TSV)],
  ['a', gzipSync(TSV)],
  ['a', Buffer.from('text,label\n"good film",pos\nbad film,neg\n')],
  ['a', Buffer.from('{"text":"good film","label":"pos"}\n{"text":"bad film","label":"neg"}\n')],
  [
    'a.json',
    Buffer.from('\uFEFF [{"text":"good film","label":"pos"},\n{"label":"neg","text":"bad film","more":{"a":[1]}}]\n'),
  ],
  ['a.json', Buffer.from('{"text":"good film","label":"pos"}\n{"text":"bad film","label":"neg"}\n')],
  ['a.json.gz', gzipSync('[{"text":"good film","label":"pos"},{"text":"bad film","label":"neg"}]')],
])('%s is read', async (name, content) => expect(await rowsOf(await opened(name, content))).toEqual(ROWS));

test('TREC questions without an ending', async () => {
  expect(await rowsOf(await opened('a', 'HUM:ind Who ?\nDESC:def What ?\n'))).toEqual([
    ['Who ?', 'HUM'],
    ['What ?', 'DESC'],
  ]);
});

test('what is packed gives what it gives unpacked, however it is cut into blocks', async () => {
  const text = fc.stringMatching(/^[a-zäß ]{1,40}$/).filter((each) => each.trim() !== '');
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 50 }),
      async (texts, block) => {
        const content = Buffer.from(
          texts.map((each, at) => `${JSON.stringify({ text: each, label: at % 2 })}\n`).join(''),
        );
        const plain = await rowsOf(await opened('a.jsonl', content));
        expect(await rowsOf(await opened('a.jsonl.gz', gzipSync(content)))).toEqual(plain);
        expect(await rowsOf(await opened('a.jsonl.zst', zstdFrame(content, block)))).toEqual(plain);
        const list = `[${content.toString('utf8').trim().split('\n').join(',')}]`;
        expect(await rowsOf(await opened('a.json', list))).toEqual(plain);
      },
    ),
    { numRuns: 20 },
  );
});

test.each<[name: string, content: Buffer | string]>([
  ['a.tsv.gz', gzipSync(TSV).subarray(0, 30)],
  ['a.tsv.zst', ZSTD.subarray(0, 30)],
  ['a.parquet.gz', gzipSync('PAR1')],
  ['a', 'good film'],
  ['a.json', '[{"text":"x","label":1}, 7]'],
  ['a.json', '[{"text":"x","label":1},'],
  ['a.json', '[{"text":"x" "label":1}]'],
  ['a.json', '[]'],
  ['a.json', Buffer.from('[{"text":"caf\xe9","label":1}]', 'latin1')],
])('%s is refused where it is broken', async (name, content) => {
  await refusal(opened(name, content));
});

/** The folder of several files, and a pattern for them. */
function several(files: Readonly<Record<string, string>>): string {
  const folder = dirname(fileOf('none', ''));
  mkdirSync(join(folder, 'data'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, 'data', name), content);
  return join(folder, 'data');
}

test('a pattern is its files as one, sorted by name, with rows numbered over all', async () => {
  const folder = several({
    'b-2.csv': 'label,text\nneg,bad film\n',
    'b-1.tsv': 'text\tlabel\ngood film\tpos\n',
    'c.tsv': 'x',
  });
  const data = await openDataset(`${folder}/b-*.{tsv,csv}`);
  expect(await rowsOf(data)).toEqual(ROWS);
  expect(data).toMatchObject({ name: 'b-*.{tsv,csv}', size: 2 });
  const ids: string[] = [];
  for await (const { id } of data.examples()) ids.push(id);
  expect(ids).toEqual(['1', '2']);
  writeFileSync(join(folder, 'b-2.csv'), 'label,text\nneg,worse film\n');
  await expect(rowsOf(data)).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
  expect((await openDataset(`${folder}/b-*.{tsv,csv}`)).source.sha256).not.toBe(data.source.sha256);
});

test('its errors name the file, and a file of other columns is not part of it', async () => {
  const folder = several({ '1.tsv': TSV, '2.tsv': 'text\tlabel\nx\tmixed\n', '3.csv': 'text,stars\nx,1\n' });
  await refusal(openDataset(`${folder}/[12].tsv`, { labels: ['neg', 'pos'] }));
  await refusal(openDataset(`${folder}/{1.tsv,3.csv}`));
  await expect(openDataset(`${folder}/*.parquet`)).rejects.toMatchObject({ code: 'DATA_NOT_FOUND' });
});

test('a file whose name looks like a pattern is that file', async () => {
  const folder = several({ '[a].tsv': TSV, 'a.tsv': 'text\tlabel\nother\tpos\n' });
  expect(await rowsOf(await openDataset(`${folder}/[a].tsv`))).toEqual(ROWS);
});

test('zstd as its own program writes it (skipped where there is none)', async (context) => {
  try {
    execFileSync('zstd', ['--version'], { stdio: 'ignore' });
  } catch {
    return context.skip('no zstd here');
  }
  // More than a window of 128 KiB, and more than one block.
  const content = `text\tlabel\n${Array.from({ length: 30_000 }, (_, at) => `film ${(at * 7919) % 30_011}\t${at % 2}\n`).join('')}`;
  const path = fileOf('a.tsv', content);
  execFileSync('zstd', ['-q', path]);
  expect(await rowsOf(await openDataset(`${path}.zst`))).toEqual(await rowsOf(await openDataset(path)));
  return undefined;
});
