/** @file The way into this room: examines the files of a model without running any of them. */
import type { ModelCheck } from '../results/backdoor/model-scan.js';
import { checkCode } from './code-check.js';
import { kindOf } from './file-kinds.js';
import { checkGraphs } from './graph-check.js';
import { listFiles } from './list-files.js';
import { checkPickles } from './pickle-check.js';
import { checkTokenizer } from './tokenizer-check.js';

export interface Inspection {
  readonly files: number;
  readonly bytes: number;
  readonly checks: readonly ModelCheck[];
}

/** Examines a folder. `homes`: folders that its links may point to; `left`: files that were not fetched, and why. */
export async function inspect(
  folder: string,
  { homes = [], left = [] }: { readonly homes?: readonly string[]; readonly left?: readonly string[] } = {},
): Promise<Inspection> {
  const { files, check } = listFiles(folder, homes, left);
  const kinds = files.map((file) => ({ ...file, kind: kindOf(file) }));
  const names = new Set(files.map(({ name }) => name));
  return {
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    checks: [
      check,
      checkPickles(kinds),
      checkCode(kinds),
      await checkGraphs(kinds),
      await checkTokenizer(folder, (name) => names.has(name)),
    ],
  };
}
