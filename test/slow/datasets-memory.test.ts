import { closeSync, openSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDataset } from '../../datasets/index.js';
import { fileOf } from '../datasets/write.js';

const text = 'a good film with a rather long text, so that a row weighs about as much as a sentence of a review';
const MIB = 2 ** 20;

/** Peak resident memory while a file of n rows is opened and read, in bytes. */
async function peak(name: string, header: string, row: (at: number) => string, n: number): Promise<number> {
  const path = fileOf(name, header);
  const file = openSync(path, 'a');
  for (let start = 0; start < n; start += 1000) {
    writeSync(file, Array.from({ length: 1000 }, (_, at) => row(start + at)).join(''));
  }
  closeSync(file);
  let most = 0;
  let read = 0;
  for await (const _ of (await openDataset(path)).examples()) {
    if (++read % 1000 === 0) most = Math.max(most, process.memoryUsage().rss);
  }
  expect(read).toBe(n);
  return most;
}

test.each<[name: string, header: string, row: (at: number) => string]>([
  ['a.tsv', 'text\tlabel\n', (at) => `${text} ${at}\t${at % 2}\n`],
  ['a.csv', 'text,label\n', (at) => `"${text} ${at}",${at % 2}\n`],
  ['a.jsonl', '', (at) => `${JSON.stringify({ text: `${text} ${at}`, label: at % 2 })}\n`],
])(
  '%s: thirty times the rows (330 MB) take no more memory',
  async (name, header, row) => {
    const small = await peak(name, header, row, 100_000);
    const large = await peak(name, header, row, 3_000_000);
    expect((large - small) / MIB).toBeLessThan(80);
  },
  300_000,
);
