/**
 * @file Reads Arrow's IPC formats batch by batch: streams, as `save_to_disk` of the Hub's `datasets` writes, and files, as Feather is. Label
 * names come from the metadata of `datasets`, in the file or in dataset_info.json beside it.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Batch, Column, Table } from '@uwdata/flechette';
import { must, RobustError } from '../src/core/errors.js';
import { type ArrowMessage, MAX_BATCH, messagesOf } from './arrow-messages.js';
import { bytesOf } from './bytes.js';
import { featureNames } from './features.js';
import { unpackLz4Frame } from './lz4-frame.js';
import { cellOf, isObject, noRows, type TableReader } from './table.js';

export const readArrow: TableReader = async (path) => {
  const tableOf = await decoder();
  const opened = await firstTable(path, tableOf);
  const info = opened.schema.metadata?.get('huggingface');
  const labelNames = namesIn(info, (value) => value.info) ?? (await namesBeside(path));
  const columns = opened.names;

  async function* rows(wanted: readonly string[], lists?: readonly string[]) {
    let line = 0;
    for await (const table of tables(path, tableOf)) {
      const [found, length] = damagedIfThrown(path, () => columnsOf(table, wanted));
      for (let row = 0; row < length; row++) {
        line++;
        const values = damagedIfThrown(path, () => found.map((column) => plain(column.at(row))));
        const where = `${path} row ${line}`;
        yield { path, line, cells: values.map((value, at) => cellOf(value, must(wanted[at]), where, lists)) };
      }
    }
  }
  return { columns, rows, labelNames };
};

/** The table that these messages make, the first of which is the schema. */
type Decode = (messages: readonly ArrowMessage[]) => Table;

/** Codecs are the library's own state; the limit is that of one call, which waits for nothing. */
async function decoder(): Promise<Decode> {
  const { CompressionType, setCompressionCodec, tableFromIPC } = await import('@uwdata/flechette');
  const { decompress } = await import('fzstd');
  let left = 0;
  const codec = (unpack: (bytes: Uint8Array, size: number) => Uint8Array) => ({
    decode(bytes: Uint8Array, size: number): Uint8Array {
      left -= size;
      if (!(size >= 0 && left >= 0)) throw new Error(`a batch that unpacks to more than ${MAX_BATCH} bytes`);
      return unpack(bytes, size);
    },
    encode: (bytes: Uint8Array): Uint8Array => bytes,
  });
  setCompressionCodec(CompressionType.LZ4_FRAME, codec(unpackLz4Frame));
  setCompressionCodec(
    CompressionType.ZSTD,
    codec((bytes, size) => decompress(bytes, new Uint8Array(size))),
  );
  return (messages) => {
    left = MAX_BATCH;
    return tableFromIPC(
      messages.map(({ bytes }) => bytes),
      { useBigInt: true },
    );
  };
}

/** Dictionaries hold the texts of categories; they stay in memory until the end. */
const MAX_DICTIONARIES = 1000;

/** A table for each batch; first one without rows, for the schema. */
async function* tables(path: string, tableOf: Decode): AsyncGenerator<Table> {
  const before: ArrowMessage[] = [];
  let held = 0;
  try {
    for await (const message of messagesOf(bytesOf(path))) {
      if (message.kind === 'batch') {
        if (before.length === 0) throw new Error('rows before the schema');
        yield tableOf([...before, message]);
        continue;
      }
      if (message.kind === 'schema' && before.length > 0) throw new Error('two schemas');
      if (message.kind === 'dictionary' && before.length === 0) throw new Error('a dictionary before the schema');
      before.push(message);
      held += message.bytes.length;
      if (before.length > MAX_DICTIONARIES || held > MAX_BATCH) throw new Error('too many dictionaries');
      if (message.kind !== 'schema') continue;
      const empty = tableOf(before);
      if (empty.names.some((name) => typeof name !== 'string')) throw new Error('a column without a name');
      yield empty;
    }
  } catch (cause) {
    if (cause instanceof RobustError || (cause as NodeJS.ErrnoException).syscall !== undefined) throw cause;
    throw damaged(path, cause as Error);
  }
}

async function firstTable(path: string, tableOf: Decode): Promise<Table> {
  for await (const table of tables(path, tableOf)) return table;
  throw noRows(path, 'an empty file');
}

function columnsOf(table: Table, wanted: readonly string[]): readonly [columns: Column<unknown>[], length: number] {
  const columns = wanted.map((name) => table.getChild(name) as Column<unknown>);
  for (const { data } of columns) data.forEach(checkBatch);
  const [length = 0, ...others] = columns.map((column) => column.length);
  if (others.some((other) => other !== length)) throw new Error('columns of different lengths in a batch');
  return [columns, length];
}

/** Bits; in the enumeration `Type` of Arrow's Schema.fbs. */
const BOOL = 6;

/** The library cuts texts that lie outside of their batch, and takes missing values for others. */
function checkBatch(batch: Batch<unknown>): void {
  const { length, nullCount, children, sizes } = batch;
  const [validity, values, offsets] = [batch.validity, batch.values, batch.offsets] as (
    | ArrayLike<number | bigint>
    | undefined
  )[];
  if (!(Number.isSafeInteger(length) && length >= 0)) throw new Error(`a batch of ${length} rows`);
  if (nullCount > 0 && validity !== undefined && validity.length * 8 < length) throw new Error('fewer marks than rows');
  if (offsets !== undefined && sizes === undefined && length > 0) {
    const held = children?.[0]?.length ?? values?.length ?? 0;
    if (offsets.length <= length) throw new Error('fewer offsets than rows');
    for (let at = 0, last = 0; at <= length; at++) {
      const next = Number(offsets[at]);
      if (next < last || next > held) throw new Error('values that lie outside of their batch');
      last = next;
    }
  } else if (values !== undefined && offsets === undefined) {
    const rows = batch.type.typeId === BOOL ? 8 * values.length : values.length;
    if (rows < length) throw new Error('fewer values than rows');
  }
  children?.forEach(checkBatch);
}

/** Lists of numbers are typed arrays of the library's. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number | bigint>);
  return value;
};

function damagedIfThrown<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw damaged(path, cause as Error);
  }
}

const damaged = (path: string, cause: Error): RobustError =>
  new RobustError(`${path}: expected an Arrow file, got one that cannot be read: ${cause.message}`, {
    code: 'DATA_DAMAGED',
    hint: 'It may be truncated: copy or write it again, or convert it: datasets.load_from_disk(folder).to_parquet("data.parquet").',
    cause,
  });

/** Metadata of `datasets`; anything else has no names. */
function namesIn(
  json: string | undefined,
  infoOf: (value: { readonly info?: unknown }) => unknown,
): ReadonlyMap<string, readonly string[]> | undefined {
  try {
    const info = infoOf(JSON.parse(json ?? '{}') as { info?: unknown });
    return isObject(info) ? featureNames(info.features) : undefined;
  } catch {
    return undefined;
  }
}

const MAX_INFO = 16 * 2 ** 20;

async function namesBeside(path: string): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const beside = join(dirname(path), 'dataset_info.json');
  if (!existsSync(beside)) return undefined;
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of bytesOf(beside)) {
    parts.push(part);
    size += part.length;
    if (size > MAX_INFO) return undefined;
  }
  return namesIn(Buffer.concat(parts).toString('utf8'), (value) => value);
}
