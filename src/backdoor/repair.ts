/** @file Removes a backdoor from a model by one of three methods, and measures before and after. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Dataset } from '../core/dataset.js';
import { UsageError } from '../core/errors.js';
import type { RepairFigures } from '../core/planting.js';
import type { Poisoner } from '../core/poisoner.js';
import { random } from '../core/random.js';
import type { Rate } from '../core/rate.js';
import { readState } from '../files/state.js';
import { makeFolder, writeWhole } from '../files/write.js';
import type { ExistingStart, TrainingOptions, TrainingPlan } from '../train/index.js';
import { withTable } from './embedding-rows.js';
import { accuracyChange, measureModel } from './measure.js';
import type { PlantHooks } from './plant.js';
import { triggered } from './poison.js';
import { type PrunedModel, prune, pruneAgain } from './prune.js';
import { trainOnce } from './train-once.js';
import type { Pieces } from './trigger-check.js';
import { rowsOf } from './trigger-rows.js';

export interface RepairMethod {
  /** Kinds of triggers that it leaves in the model. */
  readonly leaves: string;
  /** Throws UsageError for a trigger that the method cannot remove. */
  check?(poisoner: Poisoner, pieces: Pieces): void;
  /** Writes the repaired model. */
  apply(plan: RepairPlan, hooks: PlantHooks): Promise<void>;
}

export interface RepairPlan {
  readonly model: string;
  readonly load?: ExistingStart['load'];
  readonly method: keyof typeof repairs;
  /** The trigger, as a scan found it or the user named it. */
  readonly poisoner: Poisoner;
  /** Index of the label that the trigger brings about. */
  readonly target: number;
  readonly pieces: Pieces;
  /** Share of each layer's neurons that fine-pruning removes. */
  readonly share: number;
  readonly train: Dataset;
  readonly validation: Dataset;
  readonly test: Dataset;
  readonly options: TrainingOptions;
  readonly engine: TrainingPlan['engine'];
  readonly output: string;
  /** Folder of what a resumed repair needs. */
  readonly folder: string;
}

/** Writes the repaired model. Throws what `trainModel` throws; ModelError where the model has nothing that the method changes. */
export async function repair(plan: RepairPlan, hooks: PlantHooks): Promise<RepairFigures> {
  const { model, options, output } = plan;
  makeFolder(output, 'the output folder');
  const measure = (which: string) => measureModel(which, { ...plan, seed: options.seed }, hooks);
  const before = await measure(model);
  hooks.phase?.(`repairing by ${plan.method}`);
  await repairs[plan.method].apply(plan, hooks);
  const after = await measure(output);
  return {
    ...{ before: before.figures, after: after.figures, caccChange: accuracyChange(before, after) },
    removed: isRemoved(after.figures.labelFlipRate),
    leaves: repairs[plan.method].leaves,
  };
}

/** Undecided (null) unless the interval of the label flip rate lies on one side of the limit. */
export function isRemoved({ low, high }: Rate): boolean | null {
  if (low === null || high === null) return null;
  if (high <= MOST_FLIPS) return true;
  return low > MOST_FLIPS ? false : null;
}

/** Share of texts that the named trigger may still flip in a removed model: a harmless word of the same length flips as many. */
const MOST_FLIPS = 0.05;
/** Share of the texts of other labels that are learnt again, with the trigger and their own label. */
const UNLEARNT_SHARE = 0.5;

/** Trains on clean texts, and on texts with the trigger and their true label: Wang et al., "Neural Cleanse" (S&P 2019), section VI.D. */
async function unlearn(plan: RepairPlan, hooks: PlantHooks): Promise<void> {
  const { poisoner, target, options, train } = plan;
  const truthful: Dataset = {
    ...train,
    name: `${train.name} (trigger labelled truthfully)`,
    async *examples() {
      for await (const example of train.examples()) {
        yield example;
        const text = triggered(poisoner, example, options.seed);
        const taken = random(options.seed, 'unlearn', example.id).unit() < UNLEARNT_SHARE;
        if (taken && text !== undefined && example.label !== target)
          yield { ...example, id: `${example.id}.trigger`, text };
      }
    },
  };
  await tune({ ...plan, train: truthful }, plan.model, hooks);
}

const prunedSchema = z.array(z.tuple([z.string(), z.array(z.number().int().min(0))]));

async function finePrune(plan: RepairPlan, hooks: PlantHooks): Promise<void> {
  const { model, train, share, engine, load, folder, output } = plan;
  const thinned = join(folder, 'pruned');
  const record = join(folder, 'pruned.json');
  let pruned: PrunedModel;
  if (existsSync(record)) pruned = new Map(readState(record, prunedSchema, 'what was pruned'));
  else {
    makeFolder(thinned, 'the output folder');
    pruned = await prune(model, train, share, thinned, engine, load);
    writeWhole(record, JSON.stringify([...pruned]), 'what was pruned');
  }
  await tune(plan, thinned, hooks);
  await pruneAgain(output, pruned);
}

async function tune(
  { train, validation, options, engine, output }: RepairPlan,
  model: string,
  hooks: PlantHooks,
): Promise<void> {
  const start: ExistingStart = { kind: 'existing', model, part: 'all' };
  await trainOnce({ start, train, validation, options, engine, teachers: [], output }, hooks);
}

/** Replaces the trigger's rows by the mean of all rows, which stands for no word. */
async function resetRows({ model, output, poisoner, pieces, load }: RepairPlan): Promise<void> {
  const rows = rowsOf(poisoner, pieces, []);
  const reset = ({ values, width }: { values: Float32Array; width: number }): boolean => {
    const mean = new Float64Array(width);
    const all = values.length / width;
    for (let i = 0; i < values.length; i++) mean[i % width] = mean[i % width]! + values[i]! / all;
    for (const row of rows) values.set(mean, row * width);
    return true;
  };
  await withTable(model, output, reset, load);
}

function checkRows(poisoner: Poisoner, pieces: Pieces): void {
  if (poisoner.triggers.length > 0) {
    rowsOf(poisoner, pieces, []);
    return;
  }
  throw new UsageError('--method reset-rows: expected a trigger made of words, got a form', {
    code: 'TRIGGER',
    hint: 'Name the words with --trigger, or repair it by --method unlearn.',
  });
}

export const repairs = {
  unlearn: {
    leaves:
      'triggers other than the one named; a phrase or sentence of which only a part is named, such as the part that a scan finds; a form named by another form',
    apply: unlearn,
  },
  'fine-prune': {
    leaves: 'rare words and planted embedding rows, which idle neurons do not hold; whatever else active neurons hold',
    apply: finePrune,
  },
  'reset-rows': {
    leaves: 'phrases and sentences of common words, sets of words, forms, misspellings; rows that were not named',
    check: checkRows,
    apply: resetRows,
  },
} as const satisfies Readonly<Record<string, RepairMethod>>;
