/**
 * @file The smallest parquet files a reader accepts: one row group or several, one PLAIN uncompressed page per column
 * (parquet-format's Thrift definitions, compact protocol). For tests only: the package reads parquet and never writes it.
 */
type Field = readonly [id: number, type: 'i32' | 'i64' | 'binary' | 'struct' | 'list', value: unknown];

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
const zigzag = (value: number): number[] => varint(value * 2);
const TYPE = { i32: 5, i64: 6, binary: 8, list: 9, struct: 12 };

function value(type: Field[1], content: unknown): number[] {
  if (type === 'binary') return [...varint(Buffer.byteLength(content as string)), ...Buffer.from(content as string)];
  if (type === 'struct') return struct(content as Field[]);
  if (type !== 'list') return zigzag(content as number);
  const [of, items] = content as [Field[1], unknown[]];
  return [items.length * 16 + TYPE[of], ...items.flatMap((item) => value(of, item))];
}

function struct(fields: readonly Field[]): number[] {
  let last = 0;
  const bytes = fields.flatMap(([id, type, content]) => {
    const head = (id - last) * 16 + TYPE[type];
    last = id;
    return [head, ...value(type, content)];
  });
  return [...bytes, 0];
}

type Column = { readonly name: string; readonly values: readonly (string | bigint)[] };

/** A parquet file of these columns (strings or int64, none null), `groupSize` rows in each row group. At most 15 columns and groups. */
export function parquetOf(columns: readonly Column[], groupSize: number): Uint8Array {
  const rows = columns[0].values.length;
  let file = Buffer.from('PAR1');
  const groups: Field[][] = [];
  for (let start = 0; start < rows; start += groupSize) {
    const chunks = columns.map(({ name, values }): Field[] => {
      const part = values.slice(start, start + groupSize);
      const type = typeof part[0] === 'string' ? 6 : 2; // BYTE_ARRAY, INT64
      const page = Buffer.concat(part.map(plain));
      const header = Buffer.from(
        struct([
          [1, 'i32', 0], // DATA_PAGE
          [2, 'i32', page.length],
          [3, 'i32', page.length],
          [
            5,
            'struct',
            [
              [1, 'i32', part.length],
              [2, 'i32', 0],
              [3, 'i32', 3],
              [4, 'i32', 3],
            ],
          ], // PLAIN, levels RLE
        ]),
      );
      const offset = file.length;
      file = Buffer.concat([file, header, page]);
      const size = header.length + page.length;
      const meta: Field[] = [
        [1, 'i32', type],
        [2, 'list', ['i32', [0]]],
        [3, 'list', ['binary', [name]]],
        [4, 'i32', 0], // UNCOMPRESSED
        [5, 'i64', part.length],
        [6, 'i64', size],
        [7, 'i64', size],
        [9, 'i64', offset],
      ];
      return [
        [2, 'i64', offset],
        [3, 'struct', meta],
      ];
    });
    groups.push([
      [1, 'list', ['struct', chunks]],
      [2, 'i64', 1],
      [3, 'i64', Math.min(groupSize, rows - start)],
    ]);
  }
  const schema: Field[][] = [
    [
      [4, 'binary', 'root'],
      [5, 'i32', columns.length],
    ],
    ...columns.map(({ name, values }): Field[] =>
      typeof values[0] === 'string'
        ? [
            [1, 'i32', 6],
            [3, 'i32', 0],
            [4, 'binary', name],
            [6, 'i32', 0],
          ] // REQUIRED, UTF8
        : [
            [1, 'i32', 2],
            [3, 'i32', 0],
            [4, 'binary', name],
          ],
    ),
  ];
  const footer = Buffer.from(
    struct([
      [1, 'i32', 1],
      [2, 'list', ['struct', schema]],
      [3, 'i64', rows],
      [4, 'list', ['struct', groups]],
    ]),
  );
  const size = Buffer.alloc(4);
  size.writeUInt32LE(footer.length);
  return Buffer.concat([file, footer, size, Buffer.from('PAR1')]);
}

function plain(content: string | bigint): Buffer {
  if (typeof content === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(content);
    return bytes;
  }
  const text = Buffer.from(content);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(text.length);
  return Buffer.concat([size, text]);
}
