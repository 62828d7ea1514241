/** @file Detects the format of a file without an extension by its first bytes. */
import { bytesOf } from './bytes.js';
import { isFastText } from './fasttext.js';

/** Formats that can be detected. */
export type SniffedFormat = 'fasttext' | 'parquet' | 'arrow' | 'json' | 'tsv' | 'trec' | 'csv';

/** Number of bytes to read. */
const HEAD = 4096;

/** Undefined for other formats. Throws RobustError if a compressed file is damaged. */
export async function sniffFormat(path: string): Promise<SniffedFormat | undefined> {
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
  if (head.startsWith('ARROW1')) return 'arrow';
  if (/^[[{]/.test(head)) return 'json';
  const [line = ''] = head.split('\n', 1);
  if (isFastText(line)) return 'fasttext';
  if (line.includes('\t')) return 'tsv';
  if (/^[A-Z]+:[a-z]+\s/.test(line)) return 'trec';
  return /[,;]/.test(line) ? 'csv' : undefined;
}
