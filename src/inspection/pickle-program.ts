/**
 * @file Follows a pickle of any protocol (docs.python.org/3/library/pickletools.html) without executing it: a pickle is a program that may
 * import and call anything. Values are tracked as far as names need them; calls are recorded, not made.
 */
import {
  type PickleArgument,
  PickleBytes,
  PickleError,
  PickleStack,
  stepsOf,
} from '../../packages/onnx/src/convert/checkpoint/pickle-codes.js';

/** A value on the stack of the pickle machine. */
type PickledValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'items'; readonly items: readonly PickledValue[] }
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
/** A program that needs more is refused. */
const MAX_INSTRUCTIONS = 20_000_000;
const MAX_TEXTS = 8;

class PickleMachine extends PickleStack<PickledValue> {
  readonly imports = new Map<string, PickleImport>();

  import(module: string, name: string): PickledValue {
    const full = `${module}.${name}`;
    if (!this.imports.has(full)) this.imports.set(full, { name: full, called: false, texts: [] });
    return { kind: 'name', name: full };
  }

  call(callee: PickledValue, args: readonly PickledValue[]): void {
    // The result of a call may be called in turn: such a callee has no name.
    if (callee.kind === 'other') this.import('?', '?');
    const found = callee.kind === 'name' ? this.imports.get(callee.name) : undefined;
    if (found !== undefined) {
      found.called = true;
      for (const text of textsIn(args)) if (found.texts.length < MAX_TEXTS) found.texts.push(text);
    }
    this.push(OTHER);
  }

  items(items: readonly PickledValue[]): void {
    this.push({ kind: 'items', items });
  }
}

function textsIn(values: readonly PickledValue[]): string[] {
  return values.flatMap((value) =>
    value.kind === 'text' ? [value.text] : value.kind === 'items' ? textsIn(value.items) : [],
  );
}

const textOf = (value: PickledValue): string => (value.kind === 'text' ? value.text : '?');
const itemsOf = (value: PickledValue): readonly PickledValue[] => (value.kind === 'items' ? value.items : [value]);

function call(machine: PickleMachine): void {
  const args = machine.pop();
  machine.call(machine.pop(), itemsOf(args));
}

type PickleStep = (machine: PickleMachine, argument: PickleArgument) => void;

/** Instructions -> their effect. */
const STEPS = stepsOf<PickleStep>([
  ['IJKLMFGBCNP]}\x88\x89\x8a\x8b\x8e\x8f\x96\x97', (m) => m.push(OTHER)],
  ['TUX\x8c\x8d', (m, said) => m.push({ kind: 'text', text: said as string })],
  ['SV', (m, said) => m.push({ kind: 'text', text: (said as string).replace(/^['"]|['"]$/g, '') })],
  ['(', (m) => m.mark()],
  ['dlt\x91', (m) => m.items(m.popMark())],
  ['1eu\x90', (m) => void m.popMark()],
  [')', (m) => m.items([])],
  ['\x85', (m) => m.items(m.popSome(1))],
  ['\x86', (m) => m.items(m.popSome(2))],
  ['\x87', (m) => m.items(m.popSome(3))],
  ['0ab', (m) => m.drop()],
  ['s', (m) => void m.popSome(2)],
  ['2', (m) => m.push(m.top())],
  ['ghj', (m, said) => m.push(m.memo.get(Number(said)) ?? OTHER)],
  ['pqr\x94', (m, said = m.memo.size) => void m.memo.set(Number(said), m.top())],
  // A number in the extension registry of copyreg stands for a name.
  ['\x82\x83\x84', (m, said) => m.push(m.import('copyreg-extension', String(said)))],
  ['c', (m, said) => m.push(m.import(...(said as readonly [string, string])))],
  ['\x93', (m) => m.push(m.import(...(m.popSome(2).map(textOf) as [string, string])))],
  ['R\x81', call],
  ['i', (m, said) => m.call(m.import(...(said as readonly [string, string])), m.popMark())],
  [
    'o',
    (m) => {
      const [callee = OTHER, ...args] = m.popMark();
      m.call(callee, args);
    },
  ],
  [
    '\x92',
    (m) => {
      m.drop();
      call(m);
    },
  ],
  // A persistent id leaves the object that it stands for.
  [
    'Q',
    (m) => {
      m.drop();
      m.push(OTHER);
    },
  ],
  ['.\x80\x95\x98', () => {}],
]);

/** Follows the program that begins at `start`. O(bytes). */
export function followPickle(bytes: Buffer, start = 0): PickleProgram {
  const machine = new PickleMachine();
  const reader = new PickleBytes(bytes, start);
  let instructions = 0;
  let broken: string | undefined;
  try {
    for (let code = ''; code !== '.'; ) {
      const { at } = reader;
      code = String.fromCharCode(reader.take(1)[0]!);
      const step = STEPS.get(code);
      if (step === undefined) throw new PickleError(`byte ${at} is no instruction`);
      if (++instructions > MAX_INSTRUCTIONS) throw new PickleError(`it has more than ${MAX_INSTRUCTIONS} instructions`);
      step(machine, reader.argument(code));
    }
  } catch (error) {
    if (!(error instanceof PickleError)) throw error;
    broken = error.message;
  }
  const program = { imports: [...machine.imports.values()], instructions, bytes: reader.at - start };
  return broken === undefined ? program : { ...program, broken };
}
