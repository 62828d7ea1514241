/**
 * @file Python's pickle format (docs.python.org/3/library/pickletools.html), as much of it as tensors and fitted estimators take. A
 * pickle is a program that may call anything; here nothing is called. Opcodes outside the list below and names that the reader does
 * not list are refused, and what a name stands for is decided by that reader.
 */
import { type PickleArgument, PickleBytes, PickleError, PickleStack, stepsOf } from './pickle-codes.js';

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
  return new Unpickler(new PickleBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)), names).value();
}

class Unpickler extends PickleStack<PickleValue> {
  readonly #bytes: PickleBytes;
  readonly #names: PickleNames;

  constructor(bytes: PickleBytes, names: PickleNames) {
    super();
    this.#bytes = bytes;
    this.#names = names;
  }

  /** A name that may be mentioned. */
  named(module: PickleValue, name: PickleValue): void {
    if (typeof module !== 'string' || typeof name !== 'string') throw new PickleError('a name that is not a text');
    const global = `${module}.${name}`;
    if (!this.#names.names.has(global))
      throw new PickleError(`the name "${global.slice(0, 200)}", which no ${this.#names.of} need`);
    this.push({ global });
  }

  /** Attributes of an object, and the bytes that follow it. */
  build(): void {
    const state = this.pop();
    const object = this.top();
    if (object instanceof Map) return;
    const { behind } = this.#names;
    if (behind === undefined || !isCall(object)) throw new PickleError('an object other than a dictionary');
    object.state = state;
    const next = behind(object);
    if (next === 'pickle') {
      // Nothing comes behind an object of it: joblib writes its arrays whole.
      object.data = new Unpickler(this.#bytes, { ...this.#names, behind: () => undefined }).value();
    } else if (next !== undefined) {
      if (next.padded) this.#bytes.take(this.#bytes.length(1));
      object.data = Uint8Array.from(this.#bytes.take(next.bytes));
    }
  }

  value(): PickleValue {
    for (;;) {
      const { at } = this.#bytes;
      const code = this.#bytes.take(1)[0]!;
      const opcode = String.fromCharCode(code);
      if (opcode === '.') break; // STOP
      const step = OPCODES.get(opcode);
      if (step === undefined)
        throw new PickleError(`the opcode 0x${code.toString(16).padStart(2, '0')} at byte ${at}, which is not allowed`);
      step(this, this.#bytes.argument(opcode));
    }
    const value = this.pop();
    if (this.size > 0) throw new PickleError('a pickle that ends in the middle of a value');
    return value;
  }

  keep(index = this.memo.size): void {
    this.memo.set(index, this.top());
  }

  recall(index: number): void {
    const value = this.memo.get(index);
    if (value === undefined) throw new PickleError(`a pickle that recalls number ${index}, which it never kept`);
    this.push(value);
  }
}

export const isCall = (value: PickleValue | undefined): value is PickledCall =>
  typeof value === 'object' && value !== null && 'call' in value;

/** A signed little-endian integer. */
function longOf(bytes: Buffer): number {
  if (bytes.length > MAX_LONG_BYTES) throw new PickleError('a number beyond 2^53');
  const value = bytes.toReversed().reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const signed = Number(BigInt.asIntN(8 * bytes.length, value));
  if (!Number.isSafeInteger(signed)) throw new PickleError('a number beyond 2^53');
  return signed;
}

/** Longest number a counter or a shape takes. */
const MAX_LONG_BYTES = 8;

function setItems(machine: Unpickler, items: readonly PickleValue[]): void {
  const into = machine.top();
  if (!(into instanceof Map) || items.length % 2 !== 0) throw new PickleError('an invalid dictionary');
  for (let at = 0; at < items.length; at += 2) into.set(items[at] as PickleValue, items[at + 1] as PickleValue);
}

function append(machine: Unpickler, items: readonly PickleValue[]): void {
  const into = machine.top();
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

type Step = (machine: Unpickler, argument: PickleArgument) => void;

/** Instructions -> what they do. */
const OPCODES = stepsOf<Step>([
  ['\x80\x95', () => {}], // PROTO, FRAME
  ['(', (m) => m.mark()], // MARK
  ['N', (m) => m.push(null)], // NONE
  ['\x88', (m) => m.push(true)], // NEWTRUE
  ['\x89', (m) => m.push(false)], // NEWFALSE
  ['JKMGX\x8c', (m, said) => m.push(said as number | string)], // BININT, BININT1, BININT2, BINFLOAT, BINUNICODE, SHORT_BINUNICODE
  ['CB', (m, said) => m.push(Uint8Array.from(said as Buffer))], // SHORT_BINBYTES, BINBYTES
  ['\x8a', (m, said) => m.push(longOf(said as Buffer))], // LONG1
  ['}', (m) => m.push(new Map())], // EMPTY_DICT
  ['])', (m) => m.push([])], // EMPTY_LIST, EMPTY_TUPLE
  ['\x85', (m) => m.push(m.popSome(1))], // TUPLE1
  ['\x86', (m) => m.push(m.popSome(2))], // TUPLE2
  ['\x87', (m) => m.push(m.popSome(3))], // TUPLE3
  ['t', (m) => m.push(m.popMark())], // TUPLE
  ['qr\x94', (m, said) => m.keep(said as number | undefined)], // BINPUT, LONG_BINPUT, MEMOIZE
  ['hj', (m, said) => m.recall(said as number)], // BINGET, LONG_BINGET
  ['c', (m, said) => m.named(...(said as readonly [string, string]))], // GLOBAL
  ['\x93', (m) => m.named(...(m.popSome(2) as [PickleValue, PickleValue]))], // STACK_GLOBAL
  ['Q', (m) => m.push({ persistent: m.pop() })], // BINPERSID
  ['R\x81', reduce], // REDUCE, NEWOBJ
  ['b', (m) => m.build()], // BUILD
  ['s', (m) => setItems(m, m.popSome(2))], // SETITEM
  ['u', (m) => setItems(m, m.popMark())], // SETITEMS
  ['a', (m) => append(m, m.popSome(1))], // APPEND
  ['e', (m) => append(m, m.popMark())], // APPENDS
]);
