/** @file The table that a model looks token ids up in: read from its file, and written back with other rows. */
import { join } from 'node:path';
import { ModelError, must } from '../core/errors.js';
import { rowNorm } from '../core/row-norm.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { writeWhole } from '../files/write.js';
import type { ExistingStart } from '../train/index.js';
import { startExisting } from '../train/start.js';

export interface EmbeddingTable {
  readonly width: number;
  /** Row-major [vocabulary, width]. */
  readonly values: Float32Array;
}

/** The table of a model. Throws ModelError where it has none, or several. */
export async function embeddingTable(model: string, load?: ExistingStart['load']): Promise<EmbeddingTable> {
  const folder = temporaryFolder('table');
  try {
    return await withTable(model, folder.path, () => false, load);
  } finally {
    await folder.remove();
  }
}

/**
 * Copies a model into `output`, with what `change` made of its table (in place) where it says that it did. Throws ModelError, OutputError.
 */
export async function withTable(
  model: string,
  output: string,
  change: (table: EmbeddingTable) => boolean,
  load?: ExistingStart['load'],
): Promise<EmbeddingTable> {
  const start: ExistingStart = { kind: 'existing', model, part: { rows: [] }, load };
  const { trainable, file, fileName } = await startExisting(start, output, {});
  const [parameter, other] = trainable.parameters;
  if (parameter === undefined || other !== undefined)
    throw new ModelError(
      `${model}: expected one table that token ids are looked up in, got ${parameter === undefined ? 'none' : 'several'}`,
      { code: 'EMBEDDINGS_UNSUPPORTED', hint: 'Choose a poisoner that trains the whole model: badnets, insertsent.' },
    );
  const { name, values, dims } = parameter;
  const table = { width: must(dims[1]), values };
  if (change(table)) writeWhole(join(output, fileName), file.bytes(new Map([[name, values]])), 'the model');
  return table;
}

/** The L2 norm of a row. */
export const lengthOf = ({ values, width }: EmbeddingTable, row: number): number => rowNorm(values, width, row);
