/** @file `--data`: bundled, a file, the files of a pattern, of the Hub, or a reader of the user's own. */
import { join } from 'node:path';
import {
  type CheckedDataset,
  type DatasetOptions,
  filesSource,
  openDataset,
  rowsSource,
} from '../../../datasets/index.js';
import { defined } from '../../core/defined.js';
import { labelOf, parseOptions, splitSpec } from '../../core/plugin-options.js';
import { temporaryFolder } from '../../files/temporary-folder.js';
import { PRIVATE, writeStream } from '../../files/write.js';
import { isHubSpec } from '../../model/hub/spec.js';
import type { LoadOptions } from '../../model/load.js';
import { isCode } from '../../modules/own-module.js';
import { loadPlugin } from '../plugins/load-plugin.js';
import { type Selection, selectExamples } from './selection.js';

/** What opening data may need besides: how long code of the user's own may take, and who is warned. */
export type DataLoading = Pick<LoadOptions, 'hub' | 'patience' | 'onWarning'>;

/** The examples of a selection, in its order. Throws as `openDataset` does; ModelError for what the Hub does not give; RobustError for a module that holds no reader, and for options it does not take. */
export async function openData(
  spec: string,
  options: DatasetOptions,
  loading: DataLoading,
  selection: Selection = {},
): Promise<CheckedDataset> {
  return selectExamples(await openWhole(spec, options, loading), selection, loading.onWarning);
}

async function openWhole(
  spec: string,
  options: DatasetOptions,
  { hub = {}, patience, onWarning }: DataLoading,
): Promise<CheckedDataset> {
  const withWarnings: DatasetOptions = { ...options, ...defined({ onWarning }) };
  if (isHubSpec(spec)) {
    const { dataFromHub } = await import('./hub-data.js');
    return openDataset(await dataFromHub(spec, hub, onWarning ?? (() => {})), withWarnings);
  }
  if (spec === '-') return openDataset(await standardInput(), withWarnings);
  const reader = /:[A-Za-z][\w-]*=/.test(spec) ? splitSpec(spec) : { name: spec, given: new Map<string, string>() };
  if (!isCode(reader.name)) return openDataset(spec, withWarnings);
  const plugin = await loadPlugin('dataset', reader.name, patience);
  const { rows } = bindRows(plugin.create(parseOptions(plugin, reader.given)));
  return openDataset(
    rowsSource({ name: labelOf(plugin.name, reader.given), where: spec, url: `code:${reader.name}` }, rows),
    withWarnings,
  );
}

/** What comes on stdin, kept in a temporary file: data are read more than once. */
async function standardInput(): Promise<ReturnType<typeof filesSource>> {
  input ??= (async () => {
    const file = join(temporaryFolder('stdin').path, 'data');
    await writeStream(file, process.stdin, 'the data of stdin', PRIVATE);
    return file;
  })();
  return filesSource([await input], { name: 'stdin', url: 'stdin:', license: 'unknown' });
}

let input: Promise<string> | undefined;

/** A reader may be an object of a class. */
const bindRows = <T extends { rows(): unknown }>(reader: T): { rows: T['rows'] } => ({
  rows: reader.rows.bind(reader),
});
