/** @file Opening what `--model` and `--data` name. */
import { type CheckedDataset, openDataset } from '../../../datasets/index.js';
import { type LoadedModel, type LoadOptions, loadModel } from '../../model/load.js';

export interface VictimFlags {
  readonly model: string;
  readonly data: string;
  readonly 'text-column': string | undefined;
  readonly 'label-column': string | undefined;
  readonly 'id-column': string | undefined;
  readonly 'label-map': readonly (readonly [string, string])[] | undefined;
  readonly workers: number | undefined;
}

export interface Victim {
  readonly model: LoadedModel;
  readonly dataset: CheckedDataset;
}

/** Loads the model, then the data with its labels. Throws ModelError, DatasetError, UsageError. */
export async function openVictim(flags: VictimFlags, options: LoadOptions): Promise<Victim> {
  const { workers } = flags;
  const model = await loadModel(flags.model, { ...options, ...(workers === undefined ? {} : { workers }) });
  try {
    const dataset = await openDataset(flags.data, {
      labels: model.labels,
      textColumn: flags['text-column'],
      labelColumn: flags['label-column'],
      idColumn: flags['id-column'],
      labelMap: Object.fromEntries(flags['label-map'] ?? []),
    });
    return { model, dataset };
  } catch (error) {
    await model.close();
    throw error;
  }
}
