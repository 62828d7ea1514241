/** @file The texts and the label `robust explain` is asked about. */
import { perEntity } from '../../../datasets/index.js';
import { must, RobustError } from '../../core/errors.js';
import { labelHint } from '../../core/label-words.js';
import { besideText, type ExampleTexts, exampleTexts } from '../../core/pair.js';
import type { TagObserver } from '../../core/tags/evidence.js';
import { collect, take } from '../../core/take.js';
import type { LoadedModel, LoadOptions } from '../../model/load.js';
import { type DataLoading, openData } from '../data/open-data.js';
import { columnsFor, columnsOf, selectionOf, type TextColumns } from '../victim/columns.js';

export interface TextChoice extends TextColumns {
  readonly data?: string | undefined;
  /** The other text of a pair whose second one is given. */
  readonly beside?: string | undefined;
  readonly numExamples?: number | undefined;
  readonly shuffle?: boolean | undefined;
  readonly offset?: number | undefined;
  readonly seed?: number | undefined;
}

/** Throws RobustError where no text is given or two ways of giving one are. */
export async function textsOf(
  given: string | undefined,
  choice: TextChoice,
  model: Pick<LoadedModel, 'labels' | 'columns' | 'name' | 'pairs' | 'tags'> & {
    readonly kind: LoadOptions['decision'];
  },
  standard: number,
  load: DataLoading,
): Promise<ExampleTexts[]> {
  const { data, beside } = choice;
  if ((given === undefined) === (data === undefined))
    throw new RobustError(`expected a text or --data, got ${given === undefined ? 'neither' : 'both'}`, {
      code: 'FLAG_INVALID',
      hint: 'For example: robust explain "What an idiit !", or - to read the text from stdin.',
    });
  if (given === undefined && beside !== undefined)
    throw new RobustError('--beside: expected a text to explain with it, got --data', {
      code: 'FLAG_INVALID',
      hint: 'For data, both texts of a pair are columns: --columns pair=premise,hypothesis.',
    });
  if (given !== undefined) {
    if (model.pairs && beside === undefined) throw besideNeeded(model.name);
    if (model.tags) return foundEntities(given, model.name, model.tags);
    return [{ text: given, ...besideText(beside) }];
  }
  const most = choice.numExamples ?? standard;
  const selection = { ...selectionOf(choice), numExamples: most };
  const dataset = await openData(must(data), columnsFor(columnsOf(choice), model, model.kind), load, selection);
  if (!dataset.tagged) return (await collect(take(dataset.examples(), most))).map(exampleTexts);
  const each = (await collect(perEntity(dataset, most).examples())).map(exampleTexts);
  return each.filter(({ entity }) => entity !== undefined);
}

/** Each entity that a model finds in a text, to be explained. Throws RobustError if it finds none. */
async function foundEntities(text: string, name: string, { tags }: TagObserver): Promise<ExampleTexts[]> {
  const entities = (await tags(text)).spans.map(({ start, end, type }) => ({ start, end, type }));
  if (entities.length > 0) return entities.map((_, entity) => ({ text, entities, entity }));
  throw noEntityFound(name, 'To see why one is missed, give the text with its spans: --data FILE (docs/data.md).');
}

export const noEntityFound = (model: string, hint: string): RobustError =>
  new RobustError(`${model}: expected a text in which it finds an entity, got one in which it finds none`, {
    code: 'TEXT_INVALID',
    hint,
  });

const besideNeeded = (name: string): RobustError =>
  new RobustError(`${name}: expected a pair of texts, got one text`, {
    code: 'PAIRS_MISMATCH',
    hint: 'Give the text that is read before it: --beside "A man is sleeping."',
  });

/** The label's index in each model, by name in any case. Throws RobustError. */
export function labelIn(name: string, model: { readonly name: string; readonly labels: readonly string[] }): number {
  const at = model.labels.findIndex((label) => label.toLowerCase() === name.toLowerCase());
  if (at >= 0) return at;
  throw new RobustError(`--label: ${model.name} has no label "${name}"`, {
    code: 'LABEL_NOT_FOUND',
    hint: labelHint(name, model.labels),
  });
}

/** Throws RobustError unless both models know the same labels, or the label asked for. */
export function checkLabels(
  label: string | undefined,
  models: readonly { readonly name: string; readonly labels: readonly string[] }[],
): void {
  if (label !== undefined) {
    for (const model of models) labelIn(label, model);
    return;
  }
  const sets = models.map(({ labels }) =>
    labels
      .map((each) => each.toLowerCase())
      .sort()
      .join('\n'),
  );
  if (sets.every((set) => set === sets[0])) return;
  const theirs = models.map(({ name, labels }) => `${name} has ${labels.join(', ')}`).join('; ');
  throw new RobustError(`expected two models with the same labels to compare: ${theirs}`, {
    code: 'LABELS_MISMATCH',
    hint: 'Name a label that both have with --label, or explain one model at a time.',
  });
}
