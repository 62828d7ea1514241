/** @file Data files for one test, in a folder that goes away with it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CheckedDataset, type DatasetOptions, openDataset } from '../../datasets/index.js';

/** The path of a new file with that content. */
export function fileOf(name: string, content: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'robust-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

export const opened = (name: string, content: string | Uint8Array, options?: DatasetOptions): Promise<CheckedDataset> =>
  openDataset(fileOf(name, content), options);

/** Its rows as [text, label name]. */
export async function rowsOf(data: CheckedDataset): Promise<[string, string][]> {
  const rows: [string, string][] = [];
  for await (const { text, label } of data.examples()) rows.push([text, data.labels[label]]);
  return rows;
}
