/** @file Opening what `robust train` learns and chooses by. */
import { openDataset } from '../../../datasets/index.js';
import type { Dataset } from '../../core/dataset.js';
import { describe } from '../../model/describe.js';
import { type LoadOptions, locate } from '../../model/load.js';
import { holdOut } from '../../train/index.js';
import { columnsOf } from '../victim/columns.js';
import type { TrainChoice } from './train-plan.js';

/** Share held out where there is no validation set. */
const HELD_OUT = 0.1;

/** Labels are the model's, or for a new model those of the first file. Throws DatasetError, ModelError, UsageError. */
export async function openTrainingData(
  flags: TrainChoice,
  load: LoadOptions,
): Promise<{ train: Dataset; validation: Dataset }> {
  const options = columnsOf(flags);
  const [name, ...more] = flags.data as readonly string[];
  const first = await openDataset(name as string, { ...options, labels: await labelsOf(flags.model, load) });
  const { labels } = first;
  const others = await Promise.all(more.map((each) => openDataset(each, { ...options, labels })));
  const train = others.length === 0 ? first : joined([first, ...others]);
  if (flags.validation === undefined) return holdOut(train, HELD_OUT, flags.seed);
  return { train, validation: await openDataset(flags.validation, { ...options, labels }) };
}

/** Several data sets as one, in order; ids are told apart by the place of their file. */
function joined(parts: readonly Dataset[]): Dataset {
  const [{ labels, source }] = parts as readonly [Dataset];
  return {
    name: parts.map(({ name }) => name).join(' + '),
    labels,
    source,
    async *examples() {
      for (const [at, part] of parts.entries()) {
        for await (const example of part.examples()) yield { ...example, id: `${at + 1}.${example.id}` };
      }
    },
  };
}

async function labelsOf(model: string | undefined, load: LoadOptions): Promise<readonly string[] | undefined> {
  if (model === undefined) return undefined;
  const source = await locate(model, load);
  return source.kind === 'onnx' ? (await describe(source)).labels : undefined;
}
