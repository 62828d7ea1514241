/** @file Opening what `robust train` learns and chooses by. */
import type { Dataset } from '../../core/dataset.js';
import { must } from '../../core/errors.js';
import { tagLabels } from '../../core/tags/entity-row.js';
import { schemeOfLabels } from '../../model/classifiers/tagger.js';
import { type LoadOptions, locate } from '../../model/load.js';
import { type Description, describe } from '../../model/opening/describe.js';
import { holdOut } from '../../train/index.js';
import { openData } from '../data/open-data.js';
import { columnsOf, truthsRead } from '../victim/columns.js';
import { type LearntTask, learntKind, learntTask } from './learnt-task.js';
import { withoutOverlap } from './overlap.js';
import type { TrainChoice } from './train-plan.js';

const ALLOWED = '--allow-overlap: texts that are measured may have been learnt; figures on them are no evidence';

/** Share held out where there is no validation set. */
const HELD_OUT = 0.1;

export interface TrainingData {
  readonly train: Dataset;
  readonly validation: Dataset;
  readonly task: LearntTask;
  /** What a user should know of them: texts left out, labels that look alike. */
  readonly notes: readonly string[];
}

/**
 * Labels are the model's, or for a new model those of the first file; what is learnt of a text says --task or --positive, else the model's
 * folder. Throws RobustError, ModelError.
 */
export async function openTrainingData(flags: TrainChoice, load: LoadOptions): Promise<TrainingData> {
  const before = await descriptionOf(flags, load);
  const kind = learntKind(flags, before);
  const options = { ...columnsOf(flags), known: before?.columns, ...truthsRead(kind) };
  const [name = '', ...more] = must(flags.data);
  const known = before && kind === 'tags' ? tagLabels(schemeOfLabels(before).types) : before?.labels;
  const first = await openData(name, { ...options, labels: known }, load);
  const { labels } = first;
  const others = await Promise.all(more.map((each) => openData(each, { ...options, labels }, load)));
  const all = others.length === 0 ? first : join([first, ...others]);
  const held = flags.validation === undefined ? holdOut(all, HELD_OUT, flags.seed) : undefined;
  const other = (path: string) => openData(path, { ...options, labels }, load);
  const validation = held?.validation ?? (await other(must(flags.validation)));
  const measured = [
    { data: validation, ...(held === undefined && { flag: 'validation' }) },
    ...(flags.test === undefined ? [] : [{ data: await other(flags.test), flag: 'test' }]),
  ];
  const { train, left } = flags.allowOverlap
    ? { train: held?.train ?? all, left: [ALLOWED] }
    : await withoutOverlap(held?.train ?? all, measured);
  return { train, validation, notes: [...alike(labels), ...left], task: await learntTask(flags, before, train) };
}

/** Labels that differ in case alone. */
const alike = (labels: readonly string[]): string[] =>
  labels.flatMap((label, at) =>
    labels
      .slice(0, at)
      .filter((other) => other.toLowerCase() === label.toLowerCase())
      .map(
        (other) => `labels "${other}" and "${label}" differ in case alone; --label-map ${label}=${other} joins them`,
      ),
  );

/** Several data sets as one, in order; ids are distinguished by the index of their file. */
function join(parts: readonly Dataset[]): Dataset {
  return {
    ...must(parts[0]),
    name: parts.map(({ name }) => name).join(' + '),
    async *examples() {
      for (const [at, part] of parts.entries()) {
        for await (const example of part.examples()) yield { ...example, id: `${at + 1}.${example.id}` };
      }
    },
  };
}

async function descriptionOf({ model, task }: TrainChoice, load: LoadOptions): Promise<Description | undefined> {
  if (model === undefined) return undefined;
  const source = await locate(model, load, task === 'tags' ? 'tags' : 'classify');
  return source.kind === 'onnx' ? describe(source) : undefined;
}
