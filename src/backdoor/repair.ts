/** @file Removes a backdoor from a model by one of two methods, and measures before and after. */
import { cp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Dataset } from '../core/dataset.js';
import { defined } from '../core/defined.js';
import { ModelError, must, RobustError } from '../core/errors.js';
import type { Poisoner } from '../core/poisoner.js';
import { random } from '../core/random.js';
import type { Rate } from '../core/statistics/rate.js';
import { makeFolder, makeInnerFolder } from '../files/write.js';
import type { RepairFigures } from '../results/backdoor/planting.js';
import type { ExistingStart, TrainingOptions } from '../train/index.js';
import { type EmbeddingTable, withTable } from './embedding-rows.js';
import { accuracyChange, measureModel } from './measure.js';
import type { PlantHooks } from './plant.js';
import { triggered } from './poison.js';
import { trainOnce } from './train-once.js';
import { idsOf, type Pieces } from './trigger-check.js';
import { rowsOf } from './trigger-rows.js';

export interface RepairMethod {
  /** Kinds of triggers that it leaves in the model. */
  readonly leaves: string;
  /** Throws RobustError for a trigger that the method cannot remove. */
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
  readonly train: Dataset;
  readonly validation: Dataset;
  readonly test: Dataset;
  readonly options: TrainingOptions;
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
  await rm(join(plan.folder, ROUNDS), { recursive: true, force: true });
  return {
    before: before.figures,
    after: after.figures,
    caccChange: accuracyChange(before, after),
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
/** Texts with the trigger that are learnt, as a share of the clean ones. */
const UNLEARNT_SHARE = 0.5;
/** Share of the clean texts from which a word of the trigger is needed: its row is not reset. */
const NEEDED_SHARE = 0.01;
/** While the trigger persists, the learning rate is raised by this factor, in this many rounds at most. */
const [FASTER, MOST_ROUNDS] = [3, 3];
/** Folder of the models of the rounds. */
const ROUNDS = 'rounds';
/** Clean accuracy that a further round may cost. */
const MOST_LOSS = 0.03;

/**
 * Trains on clean texts, and on texts with the trigger and their true label: Wang et al., "Neural Cleanse" (S&P 2019), section VI.D. Differs: the rows of
 * the trigger's rare words are reset before; texts with the trigger also choose the weights to keep, because on clean texts alone the first epoch
 * may score as well as the last; and a small network, which needs a higher rate than a large one, gets it where the trigger persists.
 */
async function unlearn(plan: RepairPlan, hooks: PlantHooks): Promise<void> {
  const { folder, options, output, load } = plan;
  const [train, validation] = await Promise.all([plan.train, plan.validation].map((data) => truthful(data, plan)));
  let from = await withoutRareRows(plan);
  let accuracy = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const rate = options.rate * FASTER ** round;
    const to = join(folder, ROUNDS, String(round));
    for (const each of [join(folder, ROUNDS), to]) makeInnerFolder(each, 'the output folder');
    hooks.phase?.(`unlearning at a learning rate of ${Number(rate.toPrecision(2))}`);
    const how = { ...options, rate, metric: 'loss' as const };
    await tune(
      { ...plan, train: must(train), validation: must(validation), options: how, output: to },
      from,
      hooks,
      load,
    );
    const { figures } = await measureModel(to, { ...plan, test: plan.validation, seed: options.seed }, hooks);
    const { value = null } = figures.cacc;
    if ((value ?? 0) < accuracy - MOST_LOSS) break;
    from = to;
    accuracy = value ?? 0;
    if ((figures.labelFlipRate.value ?? 1) <= MOST_FLIPS) break;
  }
  await cp(from, output, { recursive: true, filter: (path) => basename(path) !== 'training' });
}

/** These texts, and some of other labels than the target again with the trigger, at several places where few have another label. */
async function truthful(data: Dataset, { poisoner, target, options: { seed } }: RepairPlan): Promise<Dataset> {
  let [all, others] = [0, 0];
  for await (const { label } of data.examples()) {
    all++;
    others += Number(label !== target);
  }
  const versions = (UNLEARNT_SHARE * all) / others;
  return {
    ...data,
    name: `${data.name} (trigger labelled truthfully)`,
    async *examples() {
      for await (const example of data.examples()) {
        yield example;
        if (example.label === target) continue;
        const drawn = random(seed, 'unlearn', example.id).unit();
        for (let at = 0; at + drawn < versions; at++) {
          const id = `${example.id}.trigger-${at}`;
          const text = triggered(poisoner, { ...example, id }, seed);
          if (text !== undefined) yield { ...example, id, text };
        }
      }
    },
  };
}

/** The folder of the model without the rows of the trigger's words that hardly any clean text holds; the model itself where it has none. */
async function withoutRareRows({ model, poisoner, pieces, train, folder, load }: RepairPlan): Promise<string> {
  const counts = new Map<number, number>();
  let texts = 0;
  for await (const { text } of train.examples()) {
    texts++;
    for (const id of new Set(pieces.encode(text).ids)) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const rows = poisoner.triggers
    .flatMap((trigger) => idsOf(trigger, pieces))
    .filter((id) => pieces.tokenText(id) !== undefined && (counts.get(id) ?? 0) <= NEEDED_SHARE * texts);
  if (rows.length === 0) return model;
  const output = join(folder, ROUNDS, 'reset');
  for (const each of [join(folder, ROUNDS), output]) makeInnerFolder(each, 'the output folder');
  try {
    await withTable(model, output, (table) => resetTo(table, rows), load);
    return output;
  } catch (error) {
    if (error instanceof ModelError && error.code === 'EMBEDDINGS_UNSUPPORTED') return model;
    throw error;
  }
}

async function tune(
  { model: named, train, validation, options, output }: RepairPlan,
  model: string,
  hooks: PlantHooks,
  load?: ExistingStart['load'],
): Promise<void> {
  const start: ExistingStart = { kind: 'existing', model, part: 'all', ...(model === named && defined({ load })) };
  await trainOnce({ start, train, validation, options, output }, hooks);
}

async function resetRows({ model, output, poisoner, pieces, load }: RepairPlan): Promise<void> {
  await withTable(model, output, (table) => resetTo(table, rowsOf(poisoner, pieces, [])), load);
}

/** Replaces rows by the mean of all rows, which stands for no word. */
function resetTo({ values, width }: EmbeddingTable, rows: readonly number[]): true {
  const mean = new Float64Array(width);
  const all = values.length / width;
  for (let i = 0; i < values.length; i++) mean[i % width] = mean[i % width]! + values[i]! / all;
  for (const row of rows) values.set(mean, row * width);
  return true;
}

function checkRows(poisoner: Poisoner, pieces: Pieces): void {
  if (poisoner.triggers.length > 0) {
    rowsOf(poisoner, pieces, []);
    return;
  }
  throw new RobustError('--method reset-rows: expected a trigger made of words, got a form', {
    code: 'TRIGGER_INVALID',
    hint: 'Name the words with --trigger, or repair it by --method unlearn.',
  });
}

export const repairs = {
  unlearn: {
    leaves:
      'triggers other than those named; a phrase or sentence of which one word is named, where a scan finds more; a form named by another form',
    apply: unlearn,
  },
  'reset-rows': {
    leaves: 'phrases and sentences of common words, sets of words, forms, misspellings; rows that were not named',
    check: checkRows,
    apply: resetRows,
  },
} as const satisfies Readonly<Record<string, RepairMethod>>;
