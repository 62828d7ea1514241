/** @file Lines of a text file as a stream: only one block is in memory, however large the file is. */
import { isUtf8 } from 'node:buffer';
import { RobustError } from '../src/core/errors.js';
import { lineBlocks } from '../src/files/line-blocks.js';
import { bytesOf } from './bytes.js';

/** Longest line (CSV: record) in bytes. A file with longer lines is not line-based text, and would fill the memory. */
export const MAX_LINE_BYTES = 64 * 2 ** 20;

export interface TextLine {
  readonly text: string;
  /** 1-based. */
  readonly number: number;
}

/** Treatment of bytes that are not UTF-8: an error with the line, or that line read as ISO 8859-1. */
export type Decoding = 'utf8' | 'latin1-fallback';

/** Lines without their end (\n, \r\n, or \r in a file that has no other) and without a byte order mark. Other Unicode line separators are part of the text. */
export async function* lines(path: string, decoding: Decoding = 'utf8'): AsyncGenerator<TextLine> {
  for await (const block of blocks(path, decoding)) {
    let number = block.line;
    const parts = block.text.split('\n');
    if (parts.at(-1) === '') parts.pop(); // The block ended at the end of a line.
    for (const part of parts) yield { text: part.endsWith('\r') ? part.slice(0, -1) : part, number: number++ };
  }
}

/** Decoded text in blocks of whole lines; `line` is the number of a block's first line. */
export async function* blocks(
  path: string,
  decoding: Decoding = 'utf8',
): AsyncGenerator<{ text: string; line: number }> {
  let line = 1;
  for await (const block of lineBlocks(path, MAX_LINE_BYTES, () => tooLong(path, line), withLineFeeds(path))) {
    const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
    const text = isUtf8(bytes) ? bytes.toString('utf8') : decodeByLine(bytes, path, line, decoding);
    yield { text: line === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text, line };
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) line++;
  }
}

const LF = 0x0a;
const CR = 0x0d;

/** The bytes of a file; one whose lines end with a carriage return alone, as old Macs and some exports write them, gets line feeds. */
async function* withLineFeeds(path: string): AsyncGenerator<Buffer> {
  let old: boolean | undefined;
  for await (const chunk of bytesOf(path)) {
    old ??= chunk.includes(CR) && !chunk.includes(LF);
    yield old ? Buffer.from(chunk.map((byte) => (byte === CR ? LF : byte))) : chunk;
  }
}

/** Only for blocks with invalid bytes: a line end byte is never part of a longer UTF-8 sequence, so lines can be decoded separately. */
function decodeByLine(bytes: Buffer, path: string, first: number, decoding: Decoding): string {
  let text = '';
  let line = first;
  for (let start = 0; start < bytes.length; line++) {
    const lf = bytes.indexOf(LF, start);
    const end = lf < 0 ? bytes.length : lf + 1;
    const one = bytes.subarray(start, end);
    if (isUtf8(one)) text += one.toString('utf8');
    else if (decoding === 'latin1-fallback') text += one.toString('latin1');
    else throw badEncoding(one, `${path}:${line}`);
    start = end;
  }
  return text;
}

function badEncoding(line: Buffer, where: string): RobustError {
  const utf16 = (line[0] === 0xff && line[1] === 0xfe) || (line[0] === 0xfe && line[1] === 0xff);
  const seen = line.toString('utf8');
  const at = seen.indexOf('\uFFFD');
  const near = JSON.stringify(seen.slice(Math.max(0, at - 20), at + 20).trim());
  return new RobustError(`${where}: expected UTF-8, got ${utf16 ? 'UTF-16' : `other bytes in ${near}`}`, {
    code: 'DATA_DAMAGED',
    hint: utf16
      ? 'Save the file as UTF-8, for example with: iconv -f UTF-16 -t UTF-8.'
      : 'Save the file as UTF-8; if it is Latin-1, with: iconv -f ISO-8859-1 -t UTF-8.',
  });
}

/** The error for a line or record longer than `MAX_LINE_BYTES`. */
export function tooLong(path: string, line: number): RobustError {
  return new RobustError(
    `${path}:${line}: expected lines of at most ${MAX_LINE_BYTES / 2 ** 20} MiB, got a longer one`,
    {
      code: 'DATA_DAMAGED',
      hint: 'Is this a text file with one example per line? In a .csv, a quote that is never closed also does this.',
    },
  );
}
