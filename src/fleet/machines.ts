/** @file The machine of each outcome, for messages about different outcomes and different processors. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { LONGEST_TEXT, readFileSync } from '../files/read.js';
import { appendWhole, writeWhole } from '../files/write.js';
import type { MachineRecord } from '../run/index.js';
import { kindOf } from './machine.js';
import { type Machine, machineName, machineSchema } from './messages.js';

const count = z.int().min(0);
const lineSchema = z.union([
  z.strictObject({ machine: machineSchema }),
  z.strictObject({ start: count, at: count, outcomes: count }),
]);

const WHAT = 'which machine found what';

/** The machines of a run, and the bytes of the journal at which the outcomes of each begin; kept beside the journal. */
export class Machines {
  readonly #path: string;
  readonly #known: { readonly machine: Machine; outcomes: number }[] = [];
  /** Ascending starts in the journal, and the machine of what stands from there on. */
  readonly #starts: number[] = [];
  readonly #whose: number[] = [];

  constructor(path: string) {
    this.#path = path;
    if (!existsSync(path)) return;
    let whole = '';
    for (const line of readFileSync(path, 'utf8', LONGEST_TEXT).split('\n')) {
      try {
        const entry = lineSchema.parse(JSON.parse(line));
        if ('machine' in entry) this.#known.push({ machine: entry.machine, outcomes: 0 });
        else this.#note(entry.start, entry.at, entry.outcomes);
        whole += `${line}\n`;
      } catch {
        break; // torn by a kill: later lines are written again
      }
    }
    writeWhole(path, whole, WHAT);
  }

  #note(start: number, at: number, outcomes: number): void {
    const known = this.#known[at];
    if (known === undefined) throw new RangeError('no such machine');
    known.outcomes += outcomes;
    if (this.#whose.at(-1) === at) return;
    this.#starts.push(start);
    this.#whose.push(at);
  }

  /** Outcomes of this machine were appended to the journal from this byte on. Throws OutputError. */
  recordFound(machine: Machine, start: number, outcomes: number): void {
    let at = this.#known.findIndex((known) => machineName(known.machine) === machineName(machine));
    let lines = '';
    if (at < 0) {
      at = this.#known.push({ machine, outcomes: 0 }) - 1;
      lines = `${JSON.stringify({ machine })}\n`;
    }
    this.#note(start, at, outcomes);
    appendWhole(this.#path, `${lines}${JSON.stringify({ start, at, outcomes })}\n`, WHAT);
  }

  /** The machine of the outcome at this byte of the journal. */
  at(start: number): string {
    const after = this.#starts.findIndex((each) => each > start);
    const machine = this.#known[this.#whose[(after < 0 ? this.#starts.length : after) - 1] ?? -1]?.machine;
    return machine === undefined ? 'a machine of an earlier session' : machineName(machine);
  }

  /** By machine, those with the most outcomes first. */
  get records(): MachineRecord[] {
    const records = new Map<string, MachineRecord>();
    for (const { machine, outcomes } of this.#known) {
      const { host, processor, platform, instructions, onnxruntime } = machine;
      const key = `${host} ${kindOf(machine)}`;
      const earlier = records.get(key)?.outcomes ?? 0;
      records.set(key, { host, processor, platform, instructions, onnxruntime, outcomes: earlier + outcomes });
    }
    return [...records.values()].sort((a, b) => b.outcomes - a.outcomes);
  }

  /** A warning for readers of the figures; undefined if all machines are of one kind. */
  get mixed(): string | undefined {
    const kinds = new Map(
      this.#known.filter(({ outcomes }) => outcomes > 0).map(({ machine }) => [kindOf(machine), machine]),
    );
    if (kinds.size < 2) return undefined;
    const names = [...kinds.values()].map(
      ({ host, processor, instructions }) => `${host} (${processor}; ${instructions.at(-1) ?? 'unknown instructions'})`,
    );
    return `workers with different instruction sets or versions of onnxruntime took part: ${names.join(', ')}; their answers may differ in the last bit, so that another run may not give the same bytes`;
  }
}
