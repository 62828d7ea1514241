/** @file A BERT with random weights, for texts that cost or answer what they would with a trained one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dataset } from '../../src/core/dataset.js';
import { startFresh } from '../../src/train/start.js';

/** Writes it into a new folder. With `tags` it has a head for tokens. */
export async function writeFreshBert(
  path: string,
  dataset: Dataset,
  of: { readonly layers: number; readonly dim: number; readonly heads: number; readonly feedForward: number },
  tags?: readonly string[],
): Promise<void> {
  mkdirSync(path);
  const start = {
    kind: 'fresh',
    architecture: 'bert',
    size: { vocabulary: 3000, maxTokens: 128, ...of },
    half: false,
  } as const;
  const { file, fileName } = await startFresh(start, dataset, path, { seed: 42, tags });
  writeFileSync(join(path, fileName), file.bytes(new Map()));
}
