/** @file Contract of every reader of data sets. */
import assert from 'node:assert/strict';
import { type DatasetOptions, openDataset, rowsSource } from '../../datasets/index.js';
import type { DatasetPlugin } from '../core/dataset.js';
import { introduction, keep, optionsOf } from './promises.js';

/** How its rows are read, as flags of the command line specify. */
export type ReadAs = Pick<
  DatasetOptions,
  'textColumn' | 'labelColumn' | 'idColumn' | 'textColumns' | 'attackColumn' | 'labelSets'
>;

/** Throws an Error that lists the promises that `plugin` violates. `options`: differences from its defaults; `as`: roles of the columns. */
export async function checkDataset(plugin: DatasetPlugin, options: object = {}, as: ReadAs = {}): Promise<void> {
  const open = () => {
    const reader = plugin.create(optionsOf(plugin, options));
    return openDataset(
      rowsSource({ name: plugin.name, where: plugin.name, url: `code:${plugin.name}` }, () => reader.rows()),
      as,
    );
  };
  const all = async () => {
    const dataset = await open();
    const examples = [];
    for await (const example of dataset.examples()) examples.push(example);
    return { labels: dataset.labels, sha256: dataset.source.sha256, examples };
  };
  await keep(plugin.name, [
    ...introduction('dataset', plugin),
    [
      'its rows are labelled texts',
      async () => {
        const { examples, labels } = await all();
        assert(examples.length > 0, 'expected rows, got none');
        assert(labels.length > 0, 'expected labels, got none');
      },
    ],
    ['it gives the same rows each time', async () => assert.deepEqual(await all(), await all())],
  ]);
}
