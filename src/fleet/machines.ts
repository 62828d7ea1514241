/** @file The machines of a run: facts of each that may change the last bit of an answer, and how much it found. */
import { cpus, hostname } from 'node:os';
import { readFileSync } from '../files/read.js';
import type { MachineRecord } from '../run/index.js';
import type { Machine } from './messages.js';

/** Instruction sets by which onnxruntime's kernels choose their code (x86-64 and Arm), as the kernel names them. */
const TELLING = /^(sse4_2|avx|avx2|fma|f16c|avx512\w+|avx_vnni|amx_\w+|asimd|asimddp|i8mm|bf16|sve\w*|fphp)$/;

function instructions(): string[] {
  try {
    const line = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? '';
    return [...new Set(line.split(/\s+/).filter((flag) => TELLING.test(flag)))].sort().slice(0, 40);
  } catch {
    // Where there is no /proc the processor's name has to do.
    return [];
  }
}

export const thisMachine = (toolVersion: string, onnxruntime: string): Machine => ({
  host: hostname(),
  pid: process.pid,
  processor: cpus()[0]?.model.trim() ?? 'unknown processor',
  instructions: instructions(),
  platform: `${process.platform} ${process.arch}`,
  onnxruntime,
  toolVersion,
});

/** Equal for machines whose answers are expected to be equal to the last bit. */
const kindOf = ({ instructions, platform, processor, onnxruntime }: Omit<MachineRecord, 'host' | 'outcomes'>): string =>
  `${platform}, ${instructions.length > 0 ? instructions.join(' ') : processor}, onnxruntime ${onnxruntime}`;

export class Machines {
  /** Host and kind -> the machine, and its outcomes. */
  readonly #found = new Map<string, MachineRecord>();

  /** `earlier`: of the sessions before. */
  constructor(earlier: readonly MachineRecord[] = []) {
    for (const each of earlier) this.#found.set(`${each.host} ${kindOf(each)}`, each);
  }

  count({ host, processor, platform, instructions, onnxruntime }: Machine, outcomes: number): void {
    if (outcomes === 0) return;
    const one = { host, processor, platform, instructions, onnxruntime };
    const key = `${host} ${kindOf(one)}`;
    this.#found.set(key, { ...one, outcomes: outcomes + (this.#found.get(key)?.outcomes ?? 0) });
  }

  /** Those with the most outcomes first. */
  get records(): MachineRecord[] {
    return [...this.#found.values()].sort((a, b) => b.outcomes - a.outcomes);
  }

  /** A warning for readers of the figures; undefined if all machines are of one kind. */
  get mixed(): string | undefined {
    const kinds = new Map(this.records.map((machine) => [kindOf(machine), machine]));
    if (kinds.size < 2) return undefined;
    const names = [...kinds.values()].map(
      ({ host, processor, instructions }) => `${host} (${processor}; ${instructions.at(-1) ?? 'unknown instructions'})`,
    );
    return `workers with different instruction sets or versions of onnxruntime took part: ${names.join(', ')}; their answers may differ in the last bit, so that another run may not give the same bytes`;
  }
}
