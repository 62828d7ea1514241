/**
 * @file Python's pickle format (docs.python.org/3/library/pickletools.html), as much of it as tensors and fitted estimators take. A
 * pickle is a program that may call anything; here nothing is called. Opcodes outside the list below and names that the reader does
 * not list are refused, and what a name stands for is decided by that reader.
 */

/** A name that the pickle mentions, `module.name`. */
interface PickledName {
  readonly global: string;
}

/** The call of a named function or class, not made. */
export interface PickledCall {
  readonly call: string;
  readonly args: readonly PickleValue[];
  /** Attributes, set after the object was made. */
  state?: PickleValue;
  /** Content behind it in the file: the bytes of an array of joblib, or the pickle of an array of objects. */
  data?: Uint8Array | PickleValue;
}

/** A reference to an object outside the pickle. */
interface PickledReference {
  readonly persistent: PickleValue;
}

export type PickleValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | PickledName
  | PickledCall
  | PickledReference
  | PickleValue[]
  | Map<PickleValue, PickleValue>;

/** A defect of a pickle, for the error with its file name. */
export class PickleError extends Error {}

const MARK = Symbol('mark');
type Slot = PickleValue | typeof MARK;

/** Names and objects that a pickle may have besides plain data. */
export interface PickleNames {
  readonly names: ReadonlySet<string>;
  /** The content that needs no other name: "weights". */
  readonly of: string;
  /** Content behind an object in the file: bytes, perhaps after padding that a first byte counts, or a pickle of its own. With it, objects may have attributes. */
  readonly behind?: (
    object: PickledCall,
  ) => { readonly bytes: number; readonly padded: boolean } | 'pickle' | undefined;
}

/** The names that a dictionary of tensors mentions. */
const STORAGES = ['Float', 'Half', 'BFloat16', 'Double', 'Long', 'Int', 'Short', 'Char', 'Byte', 'Bool'];
const TENSORS: PickleNames = {
  names: new Set([
    'collections.OrderedDict',
    'torch._utils._rebuild_tensor_v2',
    'torch._utils._rebuild_parameter',
    ...STORAGES.map((type) => `torch.${type}Storage`),
  ]),
  of: 'weights',
};

/** The value that the pickle describes. Throws PickleError where it is damaged or says more than data. */
export function readPickle(bytes: Uint8Array, names: PickleNames = TENSORS): PickleValue {
  return new Unpickler(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), names).value();
}

class Unpickler {
  readonly #bytes: Buffer;
  #at: number;
  readonly #stack: Slot[] = [];
  readonly #memo = new Map<number, PickleValue>();
  readonly names: PickleNames;

  constructor(bytes: Buffer, names: PickleNames, start = 0) {
    this.#bytes = bytes;
    this.#at = start;
    this.names = names;
  }

  /** A name that may be mentioned. */
  named(module: string, name: string): PickledName {
    const global = `${module}.${name}`;
    if (!this.names.names.has(global))
      throw new PickleError(`the name "${global.slice(0, 200)}", which no ${this.names.of} need`);
    return { global };
  }

  /** Attributes of an object, and the bytes that follow it. */
  build(): void {
    const state = this.pop();
    const object = this.top();
    if (object instanceof Map) return;
    const { behind } = this.names;
    if (behind === undefined || !isCall(object)) throw new PickleError('an object other than a dictionary');
    object.state = state;
    const next = behind(object);
    if (next === 'pickle') {
      // Nothing comes behind an object of it: joblib writes its arrays whole.
      const within = new Unpickler(this.#bytes, { ...this.names, behind: () => undefined }, this.#at);
      object.data = within.value();
      this.#at = within.#at;
    } else if (next !== undefined) {
      if (next.padded) this.#take(this.byte());
      object.data = this.bytes(next.bytes);
    }
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from(this.#take(length));
  }

  value(): PickleValue {
    for (;;) {
      const at = this.#at;
      const opcode = this.#take(1)[0]!;
      if (opcode === 0x2e) break; // STOP
      const step = OPCODES.get(opcode);
      if (step === undefined) {
        throw new PickleError(
          `the opcode 0x${opcode.toString(16).padStart(2, '0')} at byte ${at}, which is not allowed`,
        );
      }
      step(this);
    }
    const value = this.pop();
    if (this.#stack.length > 0) throw new PickleError('a pickle that ends in the middle of a value');
    return value;
  }

  push(value: Slot): void {
    this.#stack.push(value);
  }

  pop(): PickleValue {
    const value = this.#stack.pop();
    if (value === undefined || value === MARK) throw new PickleError('a pickle that takes what it never made');
    return value;
  }

  top(): PickleValue {
    const value = this.#stack.at(-1);
    if (value === undefined || value === MARK) throw new PickleError('a pickle that takes what it never made');
    return value;
  }

  /** Pops everything down to the last mark, including the mark. */
  popMark(): PickleValue[] {
    const mark = this.#stack.lastIndexOf(MARK);
    if (mark === -1) throw new PickleError('a pickle that lacks a mark');
    const values = this.#stack.splice(mark) as PickleValue[];
    return values.slice(1);
  }

  mark(): void {
    this.#stack.push(MARK);
  }

  keep(index = this.#memo.size): void {
    this.#memo.set(index, this.top());
  }

  recall(index: number): PickleValue {
    const value = this.#memo.get(index);
    if (value === undefined) throw new PickleError(`a pickle that recalls number ${index}, which it never kept`);
    return value;
  }

  byte(): number {
    return this.#take(1)[0]!;
  }

  uint16(): number {
    return this.#take(2).readUInt16LE();
  }

  uint32(): number {
    return this.#take(4).readUInt32LE();
  }

  int32(): number {
    return this.#take(4).readInt32LE();
  }

  float64(): number {
    return this.#take(8).readDoubleBE();
  }

  uint64(): number {
    const value = Number(this.#take(8).readBigUInt64LE());
    if (!Number.isSafeInteger(value)) throw new PickleError(`a pickle that claims ${value} bytes`);
    return value;
  }

  /** A signed little-endian integer of this many bytes. */
  long(length: number): number {
    const bytes = this.#take(length);
    let value = 0n;
    for (let at = length - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes[at]!);
    const signed = Number(BigInt.asIntN(8 * length, value));
    if (!Number.isSafeInteger(signed)) throw new PickleError('a number beyond 2^53');
    return signed;
  }

  text(length: number): string {
    return this.#take(length).toString('utf8');
  }

  line(): string {
    const end = this.#bytes.indexOf(0x0a, this.#at);
    if (end === -1) throw new PickleError('a pickle that breaks off');
    const text = this.#take(end - this.#at).toString('utf8');
    this.#at++;
    return text;
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new PickleError('a pickle that breaks off');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

export const isCall = (value: PickleValue | undefined): value is PickledCall =>
  typeof value === 'object' && value !== null && 'call' in value;

function textOf(value: PickleValue): string {
  if (typeof value === 'string') return value;
  throw new PickleError('a name that is not a text');
}

/** Longest number a counter or a shape takes. */
const MAX_LONG_BYTES = 8;

const tuple = (machine: Unpickler, size: number): void => {
  const items = Array.from({ length: size }, () => machine.pop()).reverse();
  machine.push(items);
};

function setItems(into: PickleValue, items: readonly PickleValue[]): void {
  if (!(into instanceof Map) || items.length % 2 !== 0) throw new PickleError('an invalid dictionary');
  for (let at = 0; at < items.length; at += 2) into.set(items[at] as PickleValue, items[at + 1] as PickleValue);
}

function append(into: PickleValue, items: readonly PickleValue[]): void {
  if (!Array.isArray(into)) throw new PickleError('an invalid list');
  for (const item of items) into.push(item);
}

function reduce(machine: Unpickler): void {
  const args = machine.pop();
  const callee = machine.pop();
  if (!Array.isArray(args) || callee === null || typeof callee !== 'object' || !('global' in callee)) {
    throw new PickleError('a call of what is no function');
  }
  if (callee.global === 'collections.OrderedDict') {
    if (args.length > 0) throw new PickleError('a dictionary made in an unusual way');
    machine.push(new Map());
  } else machine.push({ call: callee.global, args });
}

/** Opcode -> what it does. */
const OPCODES: ReadonlyMap<number, (machine: Unpickler) => void> = new Map([
  [0x80, (m) => void m.byte()], // PROTO
  [0x95, (m) => void m.uint64()], // FRAME
  [0x28, (m) => m.mark()], // MARK
  [0x4e, (m) => m.push(null)], // NONE
  [0x88, (m) => m.push(true)], // NEWTRUE
  [0x89, (m) => m.push(false)], // NEWFALSE
  [0x4a, (m) => m.push(m.int32())], // BININT
  [0x4b, (m) => m.push(m.byte())], // BININT1
  [0x4d, (m) => m.push(m.uint16())], // BININT2
  [0x47, (m) => m.push(m.float64())], // BINFLOAT
  [
    0x8a, // LONG1
    (m) => {
      const length = m.byte();
      if (length > MAX_LONG_BYTES) throw new PickleError('a number beyond 2^53');
      m.push(m.long(length));
    },
  ],
  [0x58, (m) => m.push(m.text(m.uint32()))], // BINUNICODE
  [0x8c, (m) => m.push(m.text(m.byte()))], // SHORT_BINUNICODE
  [0x7d, (m) => m.push(new Map())], // EMPTY_DICT
  [0x5d, (m) => m.push([])], // EMPTY_LIST
  [0x29, (m) => m.push([])], // EMPTY_TUPLE
  [0x85, (m) => tuple(m, 1)], // TUPLE1
  [0x86, (m) => tuple(m, 2)], // TUPLE2
  [0x87, (m) => tuple(m, 3)], // TUPLE3
  [0x74, (m) => m.push(m.popMark())], // TUPLE
  [0x71, (m) => m.keep(m.byte())], // BINPUT
  [0x72, (m) => m.keep(m.uint32())], // LONG_BINPUT
  [0x94, (m) => m.keep()], // MEMOIZE
  [0x68, (m) => m.push(m.recall(m.byte()))], // BINGET
  [0x6a, (m) => m.push(m.recall(m.uint32()))], // LONG_BINGET
  [0x63, (m) => m.push(m.named(m.line(), m.line()))], // GLOBAL
  [
    0x93, // STACK_GLOBAL
    (m) => {
      const name = textOf(m.pop());
      m.push(m.named(textOf(m.pop()), name));
    },
  ],
  [0x51, (m) => m.push({ persistent: m.pop() })], // BINPERSID
  [0x52, reduce], // REDUCE
  [0x81, reduce], // NEWOBJ
  [0x62, (m) => m.build()], // BUILD
  [0x43, (m) => m.push(m.bytes(m.byte()))], // SHORT_BINBYTES
  [0x42, (m) => m.push(m.bytes(m.uint32()))], // BINBYTES
  [
    0x73, // SETITEM
    (m) => {
      const value = m.pop();
      const key = m.pop();
      setItems(m.top(), [key, value]);
    },
  ],
  [
    0x75, // SETITEMS
    (m) => {
      const items = m.popMark();
      setItems(m.top(), items);
    },
  ],
  [
    0x61, // APPEND
    (m) => {
      const item = m.pop();
      append(m.top(), [item]);
    },
  ],
  [
    0x65, // APPENDS
    (m) => {
      const items = m.popMark();
      append(m.top(), items);
    },
  ],
] as const satisfies readonly (readonly [number, (machine: Unpickler) => void])[]);
