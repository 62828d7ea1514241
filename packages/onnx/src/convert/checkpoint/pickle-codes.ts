/**
 * @file Python's pickle format (docs.python.org/3/library/pickletools.html): the instructions of all protocols, what stands behind each of
 * them, and the stack of values. What an instruction does is its reader's business: nothing is called here.
 */

/** A defect of a pickle, for the error with its file name. */
export class PickleError extends Error {}

/** What stands behind an instruction: a number, a text, bytes, or a module and a name of it. */
export type PickleArgument = number | string | Buffer | readonly [module: string, name: string] | undefined;

const number = (width: number) => (machine: PickleBytes) => machine.take(width).readUIntLE(0, width);
const bytes = (width: 1 | 4 | 8) => (machine: PickleBytes) => machine.take(machine.length(width));
const text = (width: 1 | 4 | 8) => (machine: PickleBytes) => machine.take(machine.length(width)).toString('utf8');
const line = (machine: PickleBytes) => machine.line();

/** Instructions as pickletools has them, by what stands behind them. */
const ARGUMENTS: ReadonlyMap<string, (machine: PickleBytes) => PickleArgument> = new Map(
  (
    [
      ['.(012NQRab]}delostu)\x81\x85\x86\x87\x88\x89\x8f\x90\x91\x92\x93\x94\x97\x98', () => undefined],
      ['FILPSVgp', line],
      ['ci', (machine) => [machine.line(), machine.line()]],
      ['Khq\x80\x82', number(1)],
      ['M\x83', number(2)],
      ['jr\x84', number(4)],
      ['J', (machine) => machine.take(4).readInt32LE()],
      ['G', (machine) => machine.take(8).readDoubleBE()],
      ['\x95', (machine) => machine.take(8)],
      ['U\x8c', text(1)],
      ['TX', text(4)],
      ['\x8d', text(8)],
      ['C\x8a', bytes(1)],
      ['B\x8b', bytes(4)],
      ['\x8e\x96', bytes(8)],
    ] as const satisfies readonly (readonly [string, (machine: PickleBytes) => PickleArgument])[]
  ).flatMap(([codes, read]) => Array.from(codes, (code) => [code, read] as const)),
);

/** Steps of a machine by the instructions that take them. */
export const stepsOf = <Step>(table: readonly (readonly [codes: string, step: Step])[]): ReadonlyMap<string, Step> =>
  new Map(table.flatMap(([codes, step]) => Array.from(codes, (code) => [code, step] as const)));

/** The bytes of a pickle, read from `at` on. Throws PickleError. */
export class PickleBytes {
  constructor(
    readonly bytes: Buffer,
    public at = 0,
  ) {}

  take(length: number): Buffer {
    const end = this.at + length;
    if (end > this.bytes.length) throw new PickleError('a pickle that breaks off');
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  line(): string {
    const end = this.bytes.indexOf(0x0a, this.at);
    if (end === -1) throw new PickleError('a pickle that breaks off');
    const text = this.take(end - this.at).toString('utf8');
    this.at++;
    return text;
  }

  /** A length of 1, 4 or 8 bytes. */
  length(width: 1 | 4 | 8): number {
    const taken = this.take(width);
    return width === 8 ? Number(taken.readBigUInt64LE()) : taken.readUIntLE(0, width);
  }

  argument(code: string): PickleArgument {
    return ARGUMENTS.get(code)!(this);
  }
}

const MARK = Symbol('mark');

/** The values that a pickle has made, and those that it has numbered. Throws PickleError. */
export class PickleStack<Value> {
  readonly #values: (Value | typeof MARK)[] = [];
  readonly memo = new Map<number, Value>();

  get size(): number {
    return this.#values.length;
  }

  push(value: Value): void {
    this.#values.push(value);
  }

  pop(): Value {
    const value = this.top();
    this.#values.pop();
    return value;
  }

  top(): Value {
    const value = this.#values.at(-1);
    if (value === undefined || value === MARK) throw new PickleError('a pickle that takes what it never made');
    return value;
  }

  /** Pops as many values. */
  popSome(count: number): Value[] {
    return Array.from({ length: count }, () => this.pop()).reverse();
  }

  mark(): void {
    this.#values.push(MARK);
  }

  /** Pops everything down to the last mark, including the mark. */
  popMark(): Value[] {
    const mark = this.#values.lastIndexOf(MARK);
    if (mark === -1) throw new PickleError('a pickle that lacks a mark');
    return this.#values.splice(mark).slice(1) as Value[];
  }

  /** POP: a value, or a mark with nothing on it. */
  drop(): void {
    if (this.#values.pop() === undefined) throw new PickleError('a pickle that takes what it never made');
  }
}
