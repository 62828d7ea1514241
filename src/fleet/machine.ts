/** @file Facts of a machine that may change the last bit of an answer. */
import { cpus, hostname } from 'node:os';
import { readFileSync } from '../files/read.js';
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
export const kindOf = ({ instructions, platform, processor, onnxruntime }: Machine): string =>
  `${platform}, ${instructions.length > 0 ? instructions.join(' ') : processor}, onnxruntime ${onnxruntime}`;
