/** @file A folder as `save_to_disk` of the Hub's `datasets` writes it: state.json names its Arrow files in order; others are caches beside them. */
import { closeSync, existsSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { RobustError } from '../src/core/errors.js';
import { openToRead } from '../src/files/read.js';

const stateSchema = z.looseObject({
  _data_files: z.array(z.looseObject({ filename: z.string() })).min(1),
  /** Rows chosen of the files, by versions of `datasets` before 2. */
  _indices_data_files: z.array(z.unknown()).nullish(),
});

/** Its data files; undefined for another folder. Throws RobustError for a selection of rows, and for a state that names other files. */
export function savedFiles(folder: string): string[] | undefined {
  const path = join(folder, 'state.json');
  if (!existsSync(path)) return undefined;
  const state = stateSchema.safeParse(parsed(path)).data;
  if (state === undefined) return undefined;
  const names = state._data_files.map(({ filename }) => filename);
  const foreign = names.find((name) => basename(name) !== name || !/\.arrow$/i.test(name));
  if (foreign !== undefined)
    throw new RobustError(`${path}: expected the names of Arrow files in this folder, got "${foreign}"`, {
      code: 'DATA_DAMAGED',
      hint: 'Save the data again with save_to_disk, or give its files: -d "folder/*.arrow".',
    });
  if (state._indices_data_files?.length)
    throw new RobustError(`${path}: expected all rows of the files, got a selection of them`, {
      code: 'DATA_DAMAGED',
      hint: 'Save the data again: datasets.load_from_disk(folder).flatten_indices().save_to_disk(other).',
    });
  return names.map((name) => join(folder, name));
}

const MAX_STATE = 4 * 2 ** 20;

function parsed(path: string): unknown {
  const bytes = Buffer.alloc(MAX_STATE);
  const file = openToRead(path);
  try {
    return JSON.parse(bytes.toString('utf8', 0, readSync(file, bytes)));
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}
