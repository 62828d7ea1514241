/** @file Opening what `robust train` learns and chooses by. */
import { openDataset } from '../../../datasets/index.js';
import type { Dataset } from '../../core/types.js';
import { describe } from '../../model/describe.js';
import { resolve } from '../../model/resolve.js';
import { holdOut } from '../../train/index.js';
import type { TrainFlags } from './train-plan.js';

/** Share held out where there is no validation set. */
const HELD_OUT = 0.1;

/** Labels are the model's, or for a new model those of the data. Throws DatasetError, ModelError, UsageError. */
export async function openTrainingData(flags: TrainFlags): Promise<{ train: Dataset; validation: Dataset }> {
  const options = {
    textColumn: flags['text-column'],
    labelColumn: flags['label-column'],
    idColumn: flags['id-column'],
    labelMap: Object.fromEntries(flags['label-map'] ?? []),
  };
  const train = await openDataset(flags.data as string, { ...options, labels: await labelsOf(flags.model) });
  if (flags.validation === undefined) return holdOut(train, HELD_OUT, flags.seed);
  return { train, validation: await openDataset(flags.validation, { ...options, labels: train.labels }) };
}

async function labelsOf(model: string | undefined): Promise<readonly string[] | undefined> {
  if (model === undefined) return undefined;
  const source = resolve(model);
  return source.kind === 'onnx' ? (await describe(source)).labels : undefined;
}
