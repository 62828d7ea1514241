/**
 * @file The messages of Arrow's IPC formats one by one (https://arrow.apache.org/docs/format/Columnar.html): a stream, or a file, which is a
 * stream between marks. What a message claims of its parts is checked against its size before anyone believes it. Throws an Error for damaged
 * bytes.
 */

type MessageKind = 'schema' | 'dictionary' | 'batch';

export interface ArrowMessage {
  readonly kind: MessageKind;
  /** The whole message, which decoders can read alone. */
  readonly bytes: Uint8Array;
}

/** Rows are written in batches of thousands; a batch is held in memory. */
export const MAX_BATCH = 512 * 2 ** 20;
const MAX_HEAD = 16 * 2 ** 20;
const MAX_FIELDS = 10_000;
const MAX_DEPTH = 64;

const KINDS: readonly (MessageKind | undefined)[] = [undefined, 'schema', 'dictionary', 'batch'];
/** A file begins with "ARROW1" and two zeros. */
const MARK = 'ARROW1';

export async function* messagesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ArrowMessage> {
  const source = new ByteSource(bytes);
  const first = await source.take(8);
  const mark = Buffer.from(first).toString('latin1');
  if (mark.startsWith('FEA1')) throw new Error('version 1 of Feather, which libraries wrote until 2020');
  const isFile = mark.startsWith(MARK);
  if (first.length === 0) return;
  if (!isFile) source.putBack(first);
  for (;;) {
    const prefix = await source.take(8);
    // The format lets a stream end without its mark, but every writer of files sets it: without it the file was cut, maybe between batches.
    if (prefix.length < 8) throw new Error('a cut message');
    const view = new DataView(prefix.buffer, prefix.byteOffset, 8);
    if (view.getInt32(0, true) !== -1) throw new Error('bytes that begin no message');
    const length = view.getInt32(4, true);
    if (length === 0) return;
    if (length < 0 || length > MAX_HEAD) throw new Error(`a message whose head has ${length} bytes`);
    const head = await source.take(length);
    if (head.length < length) throw new Error('a cut message');
    const { kind, body } = checkHead(head);
    const whole = await source.take(body);
    if (whole.length < body) throw new Error('a cut message');
    // In a buffer of its own: numbers must lie at multiples of their size.
    const message = new Uint8Array(8 + length + body);
    message.set(prefix);
    message.set(head, 8);
    message.set(whole, 8 + length);
    yield { kind, bytes: message };
  }
}

/** Bytes of a stream by number. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  /** So many bytes; fewer where the stream ends. */
  async take(count: number): Promise<Uint8Array> {
    const parts = [this.#rest];
    let size = this.#rest.length;
    while (size < count) {
      const next = await this.#chunks.next();
      if (next.done) break;
      parts.push(next.value);
      size += next.value.length;
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    this.#rest = all.subarray(count);
    return all.subarray(0, count);
  }

  putBack(bytes: Uint8Array): void {
    this.#rest = Buffer.concat([bytes, this.#rest]);
  }
}

/** Kind and length of the body of a message, by its FlatBuffer; all vectors in it lie within it. */
function checkHead(head: Uint8Array): { readonly kind: MessageKind; readonly body: number } {
  const buffer = new FlatBuffer(head);
  const message = buffer.root();
  const kindAt = buffer.field(message, 1);
  const headerAt = buffer.field(message, 2);
  const bodyAt = buffer.field(message, 3);
  const kind = KINDS[kindAt === 0 ? 0 : head[kindAt]!];
  if (kind === undefined || headerAt === 0) throw new Error('a message that is no schema and no batch');
  const body = bodyAt === 0 ? 0 : buffer.long(bodyAt);
  if (body < 0 || body > MAX_BATCH) throw new Error(`a batch of ${body} bytes`);
  const header = buffer.follow(headerAt);
  if (kind === 'schema') checkFields(buffer, header, 1, { left: MAX_FIELDS }, 0);
  else {
    const dataAt = kind === 'batch' ? 0 : buffer.field(header, 1);
    if (kind === 'dictionary' && dataAt === 0) throw new Error('a dictionary without data');
    checkBatch(buffer, kind === 'batch' ? header : buffer.follow(dataAt));
  }
  return { kind, body };
}

/** Nodes, buffers and counts of a record batch, by their sizes in bytes. */
function checkBatch(buffer: FlatBuffer, batch: number): void {
  for (const [slot, size] of [
    [1, 16],
    [2, 16],
    [4, 8],
  ] as const)
    buffer.vector(batch, slot, size);
}

/** The fields of a schema, or the children of a field: a tree of bounded size, whatever points where. */
function checkFields(buffer: FlatBuffer, table: number, slot: number, fields: { left: number }, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error(`columns nested deeper than ${MAX_DEPTH} levels`);
  buffer.vector(table, depth === 0 ? 2 : 6, 4); // Metadata.
  const { start, length } = buffer.vector(table, slot, 4);
  for (let at = 0; at < length; at++) {
    if (fields.left-- === 0) throw new Error(`more than ${MAX_FIELDS} columns`);
    const field = buffer.follow(start + 4 * at);
    if (buffer.byte(field, 2) === UNION) throw new Error('a column of several types (union)');
    checkFields(buffer, field, 5, fields, depth + 1);
  }
}

/** In the enumeration `Type` of Arrow's Schema.fbs. */
const UNION = 14;

/** Tables and vectors by their positions (https://flatbuffers.dev/internals). Reading outside of it throws. */
class FlatBuffer {
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  root(): number {
    return this.follow(0);
  }

  follow(at: number): number {
    return at + this.#view.getInt32(at, true);
  }

  /** Position of a table's field, or 0 if it is absent. */
  field(table: number, slot: number): number {
    const vtable = table - this.#view.getInt32(table, true);
    const at = 4 + 2 * slot;
    if (at >= this.#view.getInt16(vtable, true)) return 0;
    const offset = this.#view.getInt16(vtable + at, true);
    return offset === 0 ? 0 : table + offset;
  }

  byte(table: number, slot: number): number {
    const at = this.field(table, slot);
    return at === 0 ? 0 : this.#view.getUint8(at);
  }

  long(at: number): number {
    return Number(this.#view.getBigInt64(at, true));
  }

  vector(table: number, slot: number, size: number): { readonly start: number; readonly length: number } {
    const at = this.field(table, slot);
    if (at === 0) return { start: 0, length: 0 };
    const vector = this.follow(at);
    const length = this.#view.getInt32(vector, true);
    if (length < 0 || vector + 4 + length * size > this.#view.byteLength)
      throw new Error('a list longer than its message');
    return { start: vector + 4, length };
  }
}
