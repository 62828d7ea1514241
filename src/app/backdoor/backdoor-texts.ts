/** @file Common inputs of planting and repair: the trigger, the target label, the model and the texts. */
import { join } from 'node:path';
import { labelIndex } from '../../../datasets/labels.js';
import { asMarkdown } from '../../../reports/index.js';
import { PLAIN_TRAINING } from '../../backdoor/training.js';
import type { Dataset } from '../../core/dataset.js';
import { defined } from '../../core/defined.js';
import { ModelError, must, RobustError } from '../../core/errors.js';
import { labelHint } from '../../core/label-words.js';
import type { Language } from '../../core/language.js';
import type { TimeLimit } from '../../core/patience.js';
import { parseOptions, splitSpec } from '../../core/plugin-options.js';
import { readBy } from '../../core/read-by.js';
import { PRIVATE, writeWhole } from '../../files/write.js';
import { type LoadOptions, loadModel } from '../../model/load.js';
import { readsIds } from '../../model/opening/input-kinds.js';
import type { Document } from '../../results/report/document.js';
import { holdOut, type TrainingOptions } from '../../train/index.js';
import { openData } from '../data/open-data.js';
import { checkOffered, openLanguage } from '../language.js';
import { pluginNamed } from '../plugins/registry.js';
import { columnsOf } from '../victim/columns.js';
import { checkOneLabel } from '../victim/one-label.js';

/** Share of the training texts that chooses the weights to keep; without --test, as many are held out for the figures. */
const HELD_OUT = 0.1;

/** The settings that `plant` and `repair` share. */
export interface BackdoorSettings {
  /** The model to be changed. */
  readonly model: string;
  readonly attack: string;
  readonly trigger: readonly string[] | undefined;
  readonly target: string | undefined;
  /** Where the changed model is written. */
  readonly output: string;
  readonly data: string;
  readonly test: string | undefined;
  readonly seed: number;
  readonly textColumn: string | undefined;
  readonly labelColumn: string | undefined;
  readonly idColumn: string | undefined;
  readonly labelMap?: Readonly<Record<string, string>> | undefined;
  readonly language?: string | undefined;
  readonly epochs: number;
  readonly batchSize: number;
  readonly lr: number;
}

/** Opens and checks the model, the trigger and the texts. Throws ModelError, RobustError. */
export async function openBackdoor(flags: BackdoorSettings, load: LoadOptions) {
  const language = await openLanguage(flags.language, load.patience, () =>
    openData(flags.data, columnsOf(flags), load),
  );
  const chosen = await poisonerOf(flags.attack, flags.trigger, language, load.patience);
  const { labels, pieces, name: model } = await openTrainable(flags.model, load);
  const target = targetOf(flags.target, labels);
  const texts = await openTexts(flags, labels, load);
  await checkLabels(texts.train, target);
  await checkLabels(texts.test, target);
  return { chosen, labels, language, pieces, model, target, texts };
}

/** The poisoner of `--attack`, with these triggers instead of its defaults. Throws RobustError. */
export async function poisonerOf(
  spec: string,
  triggers: readonly string[] | undefined,
  language: Language,
  patience?: TimeLimit,
) {
  const { name: named, given } = splitSpec(spec);
  const plugin = await pluginNamed('poisoner', named, patience);
  const { name } = plugin;
  checkOffered(`--attack: ${name}`, plugin.language, language);
  const options = parseOptions(plugin, given);
  if (triggers !== undefined && !('triggers' in options))
    throw new RobustError(`--trigger: ${name} has no words for a trigger`, {
      code: 'TRIGGER_INVALID',
      hint: `See robust list ${name}.`,
    });
  const checked = readBy(plugin.options, { ...options, ...defined({ triggers }) });
  if (!checked.success)
    throw new RobustError(`--trigger: ${checked.faults.map(({ message }) => message).join('; ')}`, {
      code: 'TRIGGER_INVALID',
    });
  return {
    name,
    options: checked.data as Readonly<Record<string, unknown>>,
    poisoner: plugin.create(checked.data, language),
  };
}

/** The label's index, by name in any case or by number. Throws RobustError. */
function targetOf(label: string | undefined, labels: readonly string[]): number {
  if (label === undefined) return labels.length - 1;
  const index = labelIndex(label, labels);
  if (index !== undefined) return index;
  throw new RobustError(`--target: expected a label of the model (${labels.join(', ')}), got "${label}"`, {
    code: 'LABEL_NOT_FOUND',
    hint: labelHint(label, labels),
  });
}

/** Reads labels and tokenizer of the model. Throws ModelError for a model without a trainable graph. */
async function openTrainable(spec: string, load: LoadOptions) {
  const model = await loadModel(spec, { ...load, workers: 1 });
  await model.close();
  checkOneLabel(model, 'backdoor');
  const encoder = model.onnx?.encoder;
  if (encoder !== undefined && readsIds(encoder)) return { name: model.name, labels: model.labels, pieces: encoder };
  throw new ModelError(
    `${model.name}: expected an ONNX model that looks token ids up in a table, got ${encoder ? 'one that reads text itself' : 'one without a graph'}`,
    {
      code: 'GRADIENTS_UNSUPPORTED',
      hint: 'Its weights cannot be trained here. Take a transformer, an LSTM or a CNN exported to ONNX.',
    },
  );
}

/** Throws RobustError. */
async function openTexts(flags: BackdoorSettings, labels: readonly string[], load: LoadOptions) {
  const options = { labels, ...columnsOf(flags) };
  const data = await openData(flags.data, options, load);
  const rest = flags.test === undefined ? holdOut(data, HELD_OUT, flags.seed + 1) : undefined;
  const test: Dataset = rest?.validation ?? (await openData(must(flags.test), options, load));
  return { ...holdOut(rest?.train ?? data, HELD_OUT, flags.seed), test };
}

/** Throws RobustError unless there are texts of the target label and of another one. */
async function checkLabels({ name, labels, examples }: Dataset, target: number): Promise<void> {
  const counts = labels.map(() => 0);
  for await (const { label } of examples()) counts[label] = must(counts[label]) + 1;
  const found = labels.filter((_, at) => must(counts[at]) > 0);
  const others = counts.some((count, at) => at !== target && count > 0);
  if (others && must(counts[target]) > 0) return;
  const wanted = `${name}: expected texts of "${labels[target]}" and of other labels`;
  throw new RobustError(`${wanted}, got only ${found.map((label) => `"${label}"`).join(', ') || 'none'}`, {
    code: 'LABELS_TOO_FEW',
    hint: 'A backdoor flips texts of other labels to the target: give texts of both, or name another --target.',
  });
}

export const trainOptions = (flags: BackdoorSettings): TrainingOptions => ({
  ...PLAIN_TRAINING,
  seed: flags.seed,
  epochs: flags.epochs,
  batchSize: flags.batchSize,
  rate: flags.lr,
});

/** Writes report.md and report.json. Throws OutputError. */
export function writeReport(folder: string, document: Document, report: object): void {
  writeWhole(join(folder, 'report.md'), [...asMarkdown(document)].join(''), 'the report', PRIVATE);
  writeWhole(join(folder, 'report.json'), `${JSON.stringify(report, null, 1)}\n`, 'the report', PRIVATE);
}
