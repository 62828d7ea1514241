/**
 * @file Follows a pickle of any protocol (docs.python.org/3/library/pickletools.html) without executing it: a pickle is a program that may
 * import and call anything. Values are tracked as far as names need them; calls are recorded, not made.
 */

/** A value on the stack of the pickle machine. */
type PickledValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'items'; readonly items: readonly PickledValue[] }
  | { readonly kind: 'mark' }
  | { readonly kind: 'other' };

export interface PickleImport {
  /** `module.name`; `?` for a part that is computed while the pickle is loaded. */
  readonly name: string;
  /** Whether the pickle calls it. */
  called: boolean;
  /** Texts among the arguments of its calls. */
  readonly texts: string[];
}

export interface PickleProgram {
  readonly imports: readonly PickleImport[];
  readonly instructions: number;
  /** Bytes that belong to the program. */
  readonly bytes: number;
  /** Why it could not be followed to its end. */
  readonly broken?: string;
}

const OTHER: PickledValue = { kind: 'other' };
const MARK: PickledValue = { kind: 'mark' };
/** A program that needs more is refused. */
const MAX_INSTRUCTIONS = 20_000_000;
const MAX_TEXTS = 8;

class BrokenPickle extends Error {}

class PickleMachine {
  readonly imports = new Map<string, PickleImport>();
  readonly stack: PickledValue[] = [];
  readonly memo = new Map<number, PickledValue>();
  at: number;
  done = false;

  constructor(
    readonly bytes: Buffer,
    start: number,
  ) {
    this.at = start;
  }

  take(length: number): Buffer {
    const end = this.at + length;
    if (!Number.isSafeInteger(length) || length < 0 || end > this.bytes.length) throw new BrokenPickle('it breaks off');
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  line(): string {
    const end = this.bytes.indexOf(0x0a, this.at);
    if (end === -1) throw new BrokenPickle('it breaks off');
    const text = this.take(end - this.at).toString('utf8');
    this.at++;
    return text;
  }

  /** A length of 1, 4 or 8 bytes. */
  length(width: 1 | 4 | 8): number {
    const bytes = this.take(width);
    return width === 8 ? Number(bytes.readBigUInt64LE()) : bytes.readUIntLE(0, width);
  }

  push(value: PickledValue): void {
    this.stack.push(value);
  }

  pop(): PickledValue {
    const value = this.stack.pop();
    if (value === undefined) throw new BrokenPickle('it takes a value that it never made');
    return value;
  }

  /** Everything down to the last mark, which is removed too. */
  popMark(): PickledValue[] {
    const mark = this.stack.lastIndexOf(MARK);
    if (mark === -1) throw new BrokenPickle('it lacks a mark');
    return this.stack.splice(mark).slice(1);
  }

  drop(count: number): void {
    for (let n = 0; n < count; n++) this.pop();
  }

  import(module: string, name: string): PickledValue {
    const full = `${module}.${name}`;
    if (!this.imports.has(full)) this.imports.set(full, { name: full, called: false, texts: [] });
    return { kind: 'name', name: full };
  }

  call(callee: PickledValue, args: readonly PickledValue[]): void {
    // The result of a call may be called in turn: such a callee has no name.
    if (callee.kind !== 'name') {
      if (callee.kind === 'other') this.import('?', '?');
      this.push(OTHER);
      return;
    }
    const found = this.imports.get(callee.name);
    if (found !== undefined) {
      found.called = true;
      for (const text of textsIn(args)) if (found.texts.length < MAX_TEXTS) found.texts.push(text);
    }
    this.push(OTHER);
  }
}

function textsIn(values: readonly PickledValue[]): string[] {
  return values.flatMap((value) =>
    value.kind === 'text' ? [value.text] : value.kind === 'items' ? textsIn(value.items) : [],
  );
}

const textOf = (value: PickledValue): string => (value.kind === 'text' ? value.text : '?');
const itemsOf = (value: PickledValue): readonly PickledValue[] => (value.kind === 'items' ? value.items : [value]);

type PickleStep = (machine: PickleMachine) => void;

const pushes =
  (skip: (machine: PickleMachine) => void): PickleStep =>
  (machine) => {
    skip(machine);
    machine.push(OTHER);
  };
const texts =
  (width: 1 | 4 | 8): PickleStep =>
  (machine) =>
    machine.push({ kind: 'text', text: machine.take(machine.length(width)).toString('utf8') });
const blob = (width: 1 | 4 | 8): PickleStep => pushes((machine) => machine.take(machine.length(width)));
const fixed = (bytes: number): PickleStep => pushes((machine) => machine.take(bytes));
const line: PickleStep = pushes((machine) => machine.line());
const nothing: PickleStep = () => {};
const marked: PickleStep = (machine) => machine.push({ kind: 'items', items: machine.popMark() });
const dropMark: PickleStep = (machine) => void machine.popMark();
const drops =
  (count: number): PickleStep =>
  (machine) =>
    machine.drop(count);
const tuple =
  (count: number): PickleStep =>
  (machine) =>
    machine.push({ kind: 'items', items: Array.from({ length: count }, () => machine.pop()).reverse() });
const recall =
  (index: (machine: PickleMachine) => number): PickleStep =>
  (machine) =>
    machine.push(machine.memo.get(index(machine)) ?? OTHER);
const keep =
  (index: (machine: PickleMachine) => number): PickleStep =>
  (machine) =>
    void machine.memo.set(index(machine), machine.stack.at(-1) ?? OTHER);
/** A number in the extension registry of copyreg stands for a name. */
const extension =
  (width: 1 | 2 | 4): PickleStep =>
  (machine) =>
    machine.push(machine.import('copyreg-extension', String(machine.take(width).readUIntLE(0, width))));
const quoted: PickleStep = (machine) =>
  machine.push({ kind: 'text', text: machine.line().replace(/^['"]|['"]$/g, '') });

function call(machine: PickleMachine): void {
  const args = machine.pop();
  machine.call(machine.pop(), itemsOf(args));
}

function instantiate(machine: PickleMachine): void {
  const [callee = OTHER, ...args] = machine.popMark();
  machine.call(callee, args);
}

/** Opcode -> its effect. Characters and numbers as in pickletools. */
const INSTRUCTIONS: readonly (readonly [string | number, PickleStep])[] = [
  ['I', line],
  ['J', fixed(4)],
  ['K', fixed(1)],
  ['M', fixed(2)],
  ['L', line],
  [0x8a, blob(1)],
  [0x8b, blob(4)],
  ['S', quoted],
  ['T', texts(4)],
  ['U', texts(1)],
  ['B', blob(4)],
  ['C', blob(1)],
  [0x8e, blob(8)],
  [0x96, blob(8)],
  [0x97, pushes(nothing)],
  [0x98, nothing],
  ['N', pushes(nothing)],
  [0x88, pushes(nothing)],
  [0x89, pushes(nothing)],
  ['V', quoted],
  [0x8c, texts(1)],
  ['X', texts(4)],
  [0x8d, texts(8)],
  ['F', line],
  ['G', fixed(8)],
  [']', pushes(nothing)],
  ['a', drops(1)],
  ['e', dropMark],
  ['l', marked],
  [')', tuple(0)],
  ['t', marked],
  [0x85, tuple(1)],
  [0x86, tuple(2)],
  [0x87, tuple(3)],
  ['}', pushes(nothing)],
  ['d', marked],
  ['s', drops(2)],
  ['u', dropMark],
  [0x8f, pushes(nothing)],
  [0x90, dropMark],
  [0x91, marked],
  ['0', drops(1)],
  ['2', (m) => m.push(m.stack.at(-1) ?? OTHER)],
  ['(', (m) => m.push(MARK)],
  ['1', dropMark],
  ['g', recall((m) => Number(m.line()))],
  ['h', recall((m) => m.length(1))],
  ['j', recall((m) => m.length(4))],
  ['p', keep((m) => Number(m.line()))],
  ['q', keep((m) => m.length(1))],
  ['r', keep((m) => m.length(4))],
  [0x94, keep((m) => m.memo.size)],
  [0x82, extension(1)],
  [0x83, extension(2)],
  [0x84, extension(4)],
  ['c', (m) => m.push(m.import(m.line(), m.line()))],
  [
    0x93,
    (m) => {
      const name = textOf(m.pop());
      m.push(m.import(textOf(m.pop()), name));
    },
  ],
  ['R', call],
  ['b', drops(1)],
  [
    'i',
    (m) => {
      const callee = m.import(m.line(), m.line());
      m.call(callee, m.popMark());
    },
  ],
  ['o', instantiate],
  [0x81, call],
  [
    0x92,
    (m) => {
      m.drop(1);
      call(m);
    },
  ],
  [0x80, (m) => void m.take(1)],
  [0x95, (m) => void m.take(8)],
  ['P', line],
  ['Q', (m) => m.drop(1)],
  [
    '.',
    (m) => {
      m.done = true;
    },
  ],
];

const STEPS: ReadonlyMap<number, PickleStep> = new Map(
  INSTRUCTIONS.map(([code, step]) => [typeof code === 'string' ? code.charCodeAt(0) : code, step]),
);

/** Follows the program that begins at `start`. O(bytes). */
export function followPickle(bytes: Buffer, start = 0): PickleProgram {
  const machine = new PickleMachine(bytes, start);
  let instructions = 0;
  let broken: string | undefined;
  try {
    while (!machine.done) {
      const at = machine.at;
      const code = machine.take(1)[0]!;
      const step = STEPS.get(code);
      if (step === undefined) throw new BrokenPickle(`byte ${at} is no instruction`);
      if (++instructions > MAX_INSTRUCTIONS)
        throw new BrokenPickle(`it has more than ${MAX_INSTRUCTIONS} instructions`);
      step(machine);
      // A persistent id leaves the object that it stands for.
      if (code === 0x51) machine.push(OTHER);
    }
  } catch (error) {
    if (!(error instanceof BrokenPickle)) throw error;
    broken = error.message;
  }
  const program = { imports: [...machine.imports.values()], instructions, bytes: machine.at - start };
  return broken === undefined ? program : { ...program, broken };
}
