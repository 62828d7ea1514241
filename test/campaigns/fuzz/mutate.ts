/** @file Files made worse: by bytes, by rows, by the tree of a JSON text, by the fields of a protobuf message. Seeded. */
import type { Random } from '../../../src/plugin.js';

/** One to four changes anywhere: bytes flipped, cut out, doubled, put in, or the end missing. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  let out = Buffer.from(bytes);
  for (let times = 1 + random.int(4); times > 0; times--) {
    const at = random.int(out.length + 1);
    const some = 1 + random.int(random.int(4) === 0 ? 64 : 4);
    switch (random.int(6)) {
      case 0:
        out = out.subarray(0, at);
        break;
      case 1:
        out = Buffer.concat([out.subarray(0, at), out.subarray(at + some)]);
        break;
      case 2:
        out = Buffer.concat([out.subarray(0, at), out.subarray(Math.max(0, at - some), at), out.subarray(at)]);
        break;
      case 3:
        out = Buffer.concat([out.subarray(0, at), Buffer.from(random.pick(PIECES), 'latin1'), out.subarray(at)]);
        break;
      default:
        if (at < out.length) out[at] = random.int(256);
    }
  }
  return out;
}

const PIECES = [
  '\0',
  '\xff',
  '\xef\xbb\xbf',
  '\xed\xa0\x80',
  '"',
  '\n',
  '\r',
  '\t',
  ',',
  '{',
  '[[[[',
  '\\u',
  '__proto__',
  '1e999',
  '-1',
  '\x1b[2J',
];

/** Lines dropped, doubled, swapped, joined, emptied; cells dropped, doubled, replaced. */
export function mutateRows(text: string, random: Random, separator: string): string {
  const lines = text.split('\n');
  for (let times = 1 + random.int(3); times > 0; times--) {
    const at = random.int(lines.length);
    const cells = (lines[at] as string).split(separator);
    const cell = random.int(cells.length);
    switch (random.int(8)) {
      case 0:
        lines.splice(at, 1);
        break;
      case 1:
        lines.splice(at, 0, lines[at] as string);
        break;
      case 2:
        lines.splice(
          at,
          2,
          lines
            .slice(at, at + 2)
            .reverse()
            .join('\n'),
        );
        break;
      case 3:
        lines.splice(at, 2, lines.slice(at, at + 2).join(''));
        break;
      case 4:
        cells.splice(cell, 1);
        lines[at] = cells.join(separator);
        break;
      case 5:
        cells.splice(cell, 0, cells[cell] as string);
        lines[at] = cells.join(separator);
        break;
      default:
        cells[cell] = String(random.pick(JUNK));
        lines[at] = cells.join(separator);
    }
    if (lines.length === 0) lines.push('');
  }
  return lines.join('\n');
}

const JUNK: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53,
  2 ** 64,
  '',
  'x',
  '\0',
  '\ud800',
  '../../etc/passwd',
  '/dev/zero',
  '(a+)+$',
  '[',
  '𝒳',
  'x'.repeat(5000),
  [],
  {},
  [[]],
  [null],
  { type: 'Sequence' },
  { length: -1 },
  ['a', 1, {}],
  NaN,
];

/** A text of JSON with a part of its tree replaced, removed, doubled, renamed or nested. */
export function mutateJson(text: string, random: Random): string {
  let tree = JSON.parse(text) as unknown;
  for (let times = 1 + random.int(3); times > 0; times--) tree = changed(tree, random);
  const out = JSON.stringify(tree) ?? 'null';
  if (random.int(50) === 0) return out.replace(/[[{]/, (open) => `${'['.repeat(50_000)}${open}`);
  if (random.int(20) === 0) return out.replace(/"(\w+)":/, '"__proto__":');
  return out;
}

function changed(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.int(12) === 0) return random.pick(JUNK);
  const keys = Object.keys(value);
  if (keys.length === 0) return random.pick(JUNK);
  const key = random.pick(keys);
  if (Array.isArray(value)) {
    const copy: unknown[] = [...value];
    const at = Number(key);
    const act = random.int(8);
    if (act === 0) copy.splice(at, 1);
    else if (act === 1) copy.splice(at, 0, copy[at]);
    else if (act === 2) copy.reverse();
    else copy[at] = changed(copy[at], random);
    return copy;
  }
  const copy = { ...value } as Record<string, unknown>;
  const act = random.int(10);
  if (act === 0) delete copy[key];
  else if (act === 1) {
    copy[random.pick(['', 'x', 'length', 'constructor', random.pick(keys)])] = copy[key];
    if (random.int(2) === 0) delete copy[key];
  } else if (act === 2) copy[key] = copy[random.pick(keys)];
  else copy[key] = changed(copy[key], random);
  return copy;
}

interface Field {
  readonly number: number;
  readonly wire: number;
  /** The value for wire type 0, else the bytes. */
  readonly value: bigint | Uint8Array;
}

/** A protobuf message with a field dropped, doubled, moved, renumbered or changed, at any depth; still well-formed. */
export function mutateMessage(bytes: Uint8Array, random: Random, depth = 0): Uint8Array {
  const fields = parse(bytes);
  if (fields === undefined || fields.length === 0)
    return depth === 0 ? mutateBytes(bytes, random) : leaf(bytes, random);
  const at = random.int(fields.length);
  const field = fields[at] as Field;
  const act = random.int(14);
  if (act === 0) fields.splice(at, 1);
  else if (act === 1) fields.splice(at, 0, field);
  else if (act === 2) fields.push(...fields.splice(at, 1));
  else if (act === 3) fields[at] = { ...field, number: 1 + random.int(20) };
  else if (typeof field.value === 'bigint') fields[at] = { ...field, value: random.pick(NUMBERS) };
  else if (field.wire === 2) fields[at] = { ...field, value: mutateMessage(field.value, random, depth + 1) };
  else fields[at] = { ...field, value: Buffer.from(field.value).fill(random.pick([0, 0x7f, 0xff])) };
  return write(fields);
}

const NUMBERS = [
  0n,
  1n,
  2n,
  3n,
  7n,
  10n,
  11n,
  16n,
  255n,
  65536n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 40n,
  2n ** 62n,
  2n ** 63n,
  2n ** 64n - 1n,
  2n ** 64n - 2n,
];

const OPERATORS = [
  ...[
    'Add',
    'Sub',
    'MatMul',
    'Gemm',
    'Gather',
    'Reshape',
    'Transpose',
    'Slice',
    'Concat',
    'Expand',
    'Tile',
    'Resize',
    'Loop',
    'If',
    'Scan',
  ],
  ...[
    'Conv',
    'LSTM',
    'Softmax',
    'LayerNormalization',
    'Einsum',
    'ConstantOfShape',
    'Range',
    'TopK',
    'ScatterND',
    'NonZero',
    'Cast',
    'Pad',
  ],
  ...[
    'ReduceMean',
    'Squeeze',
    'Unsqueeze',
    'StringNormalizer',
    'TfIdfVectorizer',
    'Unique',
    'Where',
    'OneHot',
    'CumSum',
    'Pow',
    'Dropout',
  ],
];

/** Replaces a string by another one, and raw data by mutated bytes. */
function leaf(bytes: Uint8Array, random: Random): Uint8Array {
  if (random.int(3) === 0) return Buffer.from(random.pick(OPERATORS));
  return mutateBytes(bytes, random);
}

function parse(bytes: Uint8Array): Field[] | undefined {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint | undefined => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    return undefined;
  };
  while (at < bytes.length) {
    const tag = varint();
    if (tag === undefined || tag < 8n || tag > 2n ** 20n) return undefined;
    const [number, wire] = [Number(tag >> 3n), Number(tag & 7n)];
    const size = wire === 1 ? 8n : wire === 5 ? 4n : wire === 2 || wire === 0 ? varint() : undefined;
    if (size === undefined) return undefined;
    if (wire === 0) fields.push({ number, wire, value: size });
    else {
      if (BigInt(at) + size > BigInt(bytes.length)) return undefined;
      fields.push({ number, wire, value: bytes.subarray(at, at + Number(size)) });
      at += Number(size);
    }
  }
  return fields;
}

function write(fields: readonly Field[]): Uint8Array {
  const varint = (value: bigint): number[] => {
    const out: number[] = [];
    for (let rest = value & (2n ** 64n - 1n); ; rest >>= 7n) {
      out.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
      if (rest <= 127n) return out;
    }
  };
  return Buffer.concat(
    fields.flatMap(({ number, wire, value }) => {
      const tag = Buffer.from(varint((BigInt(number) << 3n) | BigInt(wire)));
      if (typeof value === 'bigint') return [tag, Buffer.from(varint(value))];
      return wire === 2 ? [tag, Buffer.from(varint(BigInt(value.length))), value] : [tag, value];
    }),
  );
}
