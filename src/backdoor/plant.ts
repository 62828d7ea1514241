/** @file Plants a backdoor: a model trained on poisoned texts, its clean twin, and how the two answer. One training seed after the other. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Classifier } from '../core/classifier.js';
import type { Dataset } from '../core/dataset.js';
import type { PlantedFigures } from '../core/planting.js';
import type { Poisoner } from '../core/poisoner.js';
import { readState } from '../files/state.js';
import { makeFolder, writeWhole } from '../files/write.js';
import type { ExistingStart, FreshStart, TrainingHooks, TrainingOptions, TrainingPlan } from '../train/index.js';
import { accuracyChange, type MeasuredBackdoor, measureBackdoor } from './measure.js';
import { trainRipples } from './ripples.js';
import { trainOnce } from './train-once.js';

export interface PlantPlan {
  readonly poisoner: Poisoner;
  /** Index of the label that the trigger shall bring about. */
  readonly target: number;
  /** The clean training texts, those that choose the weights to keep, and those that every figure is measured on. */
  readonly train: Dataset;
  readonly validation: Dataset;
  readonly test: Dataset;
  /** How the poisoned model is trained: from where, on what, and by which texts its weights are chosen. */
  readonly poisoned: {
    readonly start: FreshStart | ExistingStart;
    readonly train: Dataset;
    readonly validation: Dataset;
    readonly options: TrainingOptions;
    /** Present for RIPPLES: weight of the restricted inner product. */
    readonly penalty?: number;
  };
  /** How the clean twin is: from where the poisoned model was, or not at all, and this model is taken as it is. */
  readonly twin: FreshStart | ExistingStart | { readonly kind: 'untouched'; readonly model: string };
  /** Of the twin. Its seed is that of the first training; others count up from it. */
  readonly options: TrainingOptions;
  readonly seeds: number;
  /** How the victim trains on, on the clean texts; absent where it does not. */
  readonly finetune?: TrainingOptions;
  readonly engine: TrainingPlan['engine'];
  /** Folder of the first seed's model. */
  readonly output: string;
  /** Folder of the twin, of the figures and of what a resumed planting needs. */
  readonly folder: string;
}

export interface PlantHooks extends TrainingHooks {
  /** What is done now: "training the clean twin, seed 42". */
  phase?(text: string): void;
  /** Opens a model, by its folder or as the start names it, to be asked. */
  open(model: string): Promise<Classifier & { close(): Promise<void> }>;
}

/**
 * The figures of each seed. What a killed planting had finished is not done again, and a training it was in goes on from its
 * checkpoint. Throws what `trainModel` throws; RobustError INTERRUPTED, TRAINING_DIVERGED.
 */
export async function plant(plan: PlantPlan, hooks: PlantHooks): Promise<PlantedFigures[]> {
  makeFolder(plan.folder, 'the output folder');
  const all: PlantedFigures[] = [];
  for (let at = 0; at < plan.seeds; at++) {
    const seed = plan.options.seed + at;
    const path = join(plan.folder, `figures-${seed}.json`);
    const figures = existsSync(path)
      ? readState(path, figuresSchema, 'the figures of a planting')
      : await plantOne(plan, seed, at === 0, hooks);
    writeWhole(path, `${JSON.stringify(figures)}\n`, 'the figures');
    all.push(figures);
  }
  return all;
}

const rate = z.object({
  value: z.number().min(0).max(1).nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  n: z.number().int().min(0),
});
const copies = z.object({ copies: z.number().int(), attackSuccessRate: rate, falseTriggerRate: rate });
const figures = z.looseObject({
  cacc: rate,
  attackSuccessRate: rate,
  labelFlipRate: rate,
  falseTriggerRate: rate,
  byCopies: z.array(copies).optional(),
  degenerate: z.array(z.string()).optional(),
});
const figuresSchema = figures.extend({
  seed: z.number().int(),
  cleanTwin: rate,
  caccChange: z.object({
    difference: rate.extend({ value: z.number().min(-1).max(1).nullable() }),
    mcnemarP: z.number().nullable(),
  }),
  twinAttackSuccessRate: rate,
  twinByCopies: z.array(copies).optional(),
  afterFinetune: figures.optional(),
}) as unknown as z.ZodType<PlantedFigures>;

async function plantOne(plan: PlantPlan, seed: number, first: boolean, hooks: PlantHooks): Promise<PlantedFigures> {
  const { poisoner, target, test, engine } = plan;
  const options = { ...plan.options, seed };
  const inside = (name: string): string => join(plan.folder, `${name}-${seed}`);
  const common = { engine, teachers: [] };
  const clean = { train: plan.train, validation: plan.validation };
  const measured = async (model: string): Promise<MeasuredBackdoor> => {
    hooks.phase?.(`measuring ${model}`);
    const classifier = await hooks.open(model);
    try {
      return await measureBackdoor(classifier, { test, poisoner, target, seed: plan.options.seed }, hooks.signal);
    } finally {
      await classifier.close();
    }
  };

  const model = first ? plan.output : inside('model');
  hooks.phase?.(`training the poisoned model, seed ${seed}`);
  await poisonedModel(model);
  const planted = await measured(model);

  const twin = inside('twin');
  const innocent = await measured(await twinOf());

  const tuned = inside('finetuned');
  const afterFinetune = plan.finetune && (await survival(tuned)).figures;
  // One model and one twin are kept; the others were only trained to be measured.
  for (const folder of first ? [tuned] : [model, twin, tuned]) await rm(folder, { recursive: true, force: true });
  return {
    seed,
    ...planted.figures,
    cleanTwin: innocent.figures.cacc,
    caccChange: accuracyChange(innocent, planted),
    twinAttackSuccessRate: innocent.figures.attackSuccessRate,
    ...(innocent.figures.byCopies && { twinByCopies: innocent.figures.byCopies }),
    ...(afterFinetune && { afterFinetune }),
  };

  async function poisonedModel(output: string): Promise<void> {
    const { penalty, start, ...how } = plan.poisoned;
    const own = { ...how.options, seed };
    if (penalty === undefined || start.kind === 'fresh') {
      await trainOnce({ ...common, ...how, start, options: own, output }, hooks);
      return;
    }
    const done = join(plan.folder, `ripples-${seed}.done`);
    if (existsSync(done)) return;
    const given = { start, poisoned: how.train, clean: plan.train, options: own, penalty, engine, output };
    await trainRipples(given, hooks);
    writeWhole(done, '', 'the mark of a finished training');
  }

  async function twinOf(): Promise<string> {
    if (plan.twin.kind === 'untouched') return plan.twin.model;
    hooks.phase?.(`training the clean twin, seed ${seed}`);
    await trainOnce({ ...common, ...clean, start: plan.twin, options, output: twin }, hooks);
    return twin;
  }

  async function survival(output: string): Promise<MeasuredBackdoor> {
    hooks.phase?.(`the victim's own training, seed ${seed}`);
    const again: ExistingStart = { kind: 'existing', model, part: 'all' };
    await trainOnce(
      { ...common, ...clean, start: again, options: { ...(plan.finetune as TrainingOptions), seed }, output },
      hooks,
    );
    return measured(output);
  }
}
