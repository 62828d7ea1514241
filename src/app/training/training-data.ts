/** @file Opening what `robust train` learns and chooses by. */
import type { Dataset } from '../../core/dataset.js';
import { type Description, describe } from '../../model/describe.js';
import { type LoadOptions, locate } from '../../model/load.js';
import { holdOut } from '../../train/index.js';
import { openData } from '../data/open-data.js';
import { columnsOf } from '../victim/columns.js';
import { thresholdsOf } from '../victim/decide.js';
import type { TrainChoice } from './train-plan.js';

/** Share held out where there is no validation set. */
const HELD_OUT = 0.1;

export interface TrainingData {
  readonly train: Dataset;
  readonly validation: Dataset;
  /** Of texts with any number of labels, the score from which on each holds, by label index. */
  readonly thresholds?: readonly number[];
}

/**
 * Labels are the model's, or for a new model those of the first file; whether a text has any number of them says --task, else the model's
 * robust.json. Throws DatasetError, ModelError, UsageError.
 */
export async function openTrainingData(flags: TrainChoice, load: LoadOptions): Promise<TrainingData> {
  const described = await descriptionOf(flags.model, load);
  const written = described?.decision?.kind === 'multi-label' ? described.decision : undefined;
  const labelSets = flags.task === 'multi-label' || (flags.task === undefined && written !== undefined);
  const options = { ...columnsOf(flags), labelSets };
  const [name, ...more] = flags.data as readonly string[];
  const first = await openData(name as string, { ...options, labels: described?.labels }, load);
  const { labels } = first;
  const decided = labelSets && { thresholds: thresholdsOf(written?.at ?? 0.5, labels) };
  const others = await Promise.all(more.map((each) => openData(each, { ...options, labels }, load)));
  const train = others.length === 0 ? first : joined([first, ...others]);
  if (flags.validation === undefined) return { ...holdOut(train, HELD_OUT, flags.seed), ...decided };
  return { train, validation: await openData(flags.validation, { ...options, labels }, load), ...decided };
}

/** Several data sets as one, in order; ids are told apart by the place of their file. */
function joined(parts: readonly Dataset[]): Dataset {
  return {
    ...(parts[0] as Dataset),
    name: parts.map(({ name }) => name).join(' + '),
    async *examples() {
      for (const [at, part] of parts.entries()) {
        for await (const example of part.examples()) yield { ...example, id: `${at + 1}.${example.id}` };
      }
    },
  };
}

async function descriptionOf(model: string | undefined, load: LoadOptions): Promise<Description | undefined> {
  if (model === undefined) return undefined;
  const source = await locate(model, load);
  return source.kind === 'onnx' ? describe(source) : undefined;
}
