/** @file What a file without a telling name holds, judged by its beginning. */
import { bytesOf } from './bytes.js';

/** The formats that a beginning can tell. */
export type Sniffed = 'parquet' | 'json' | 'tsv' | 'trec' | 'csv';

/** Bytes looked at. */
const HEAD = 4096;

/** Undefined where it is none of them. Throws DatasetError where a packed file is broken. */
export async function sniffed(path: string): Promise<Sniffed | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of bytesOf(path)) {
    parts.push(part);
    size += part.length;
    if (size >= HEAD) break;
  }
  const head = Buffer.concat(parts)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (head.startsWith('PAR1')) return 'parquet';
  if (/^[[{]/.test(head)) return 'json';
  const [line = ''] = head.split('\n', 1);
  if (line.includes('\t')) return 'tsv';
  if (/^[A-Z]+:[a-z]+\s/.test(line)) return 'trec';
  return /[,;]/.test(line) ? 'csv' : undefined;
}
