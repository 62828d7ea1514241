/** @file Plants a backdoor: trains a poisoned model and its clean twin, and measures both, one training seed after the other. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Dataset } from '../core/dataset.js';
import { interval, percent } from '../core/figure-text.js';
import type { Rate } from '../core/statistics/rate.js';
import { readState } from '../files/state.js';
import { checkNoLink, makeInnerFolder, writeWhole } from '../files/write.js';
import type { BackdoorFigures, PlantedFigures } from '../results/backdoor/planting.js';
import type { ExistingStart, TrainingHooks, TrainingOptions, TrainingPlan } from '../train/index.js';
import { accuracyChange, type BackdoorTest, type MeasureHooks, measureModel } from './measure.js';
import type { Planting, PlantingVictim } from './plantings/planting.js';
import { trainOnce } from './train-once.js';

export interface PlantPlan extends BackdoorTest {
  readonly victim: Pick<PlantingVictim, 'start'>;
  readonly planting: Planting;
  /** The clean training texts, and those that choose the weights to keep. */
  readonly train: Dataset;
  readonly validation: Dataset;
  /** How the poisoned model is trained. */
  readonly poisoned: Pick<TrainingPlan, 'train' | 'validation'> & { readonly start: ExistingStart };
  /** How the twin is trained. Its seed is that of the first training; others count up from it. */
  readonly options: TrainingOptions;
  readonly seeds: number;
  /** How the victim fine-tunes the model on clean texts; absent if not. */
  readonly finetune?: TrainingOptions | undefined;
  /** Folder of the first seed's model. */
  readonly output: string;
  /** Folder of the twin, of the figures and of what a resumed planting needs. */
  readonly folder: string;
}

export interface PlantHooks extends TrainingHooks, MeasureHooks {}

/**
 * The figures of each seed. What a killed planting had finished is not done again, and a training it was in goes on from its
 * checkpoint. Throws what `trainModel` throws; RobustError INTERRUPTED, TRAINING_DIVERGED.
 */
export async function plant(plan: PlantPlan, hooks: PlantHooks): Promise<PlantedFigures[]> {
  makeInnerFolder(plan.folder, 'the output folder');
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

const rateText = (rate: Rate): string => `${percent(rate.value)} (${interval(rate)})`;

/** Share of the texts not answered with the target anyway that a backdoor flips. */
const MIN_FLIPPED = 0.5;

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
  failed: z.array(z.string()).optional(),
  twinByCopies: z.array(copies).optional(),
  afterFinetune: figures.optional(),
}) as z.ZodType<PlantedFigures>;

async function plantOne(plan: PlantPlan, seed: number, first: boolean, hooks: PlantHooks): Promise<PlantedFigures> {
  const { planting, poisoned, victim, train, validation, folder } = plan;
  const inside = (name: string): string => join(folder, `${name}-${seed}`);
  const [model, twin, tuned] = [first ? plan.output : inside('model'), inside('twin'), inside('finetuned')];
  for (const name of ['model', 'twin', 'finetuned']) checkNoLink(inside(name));
  const measure = (which: string) => measureModel(which, plan, hooks);
  const trainClean = (from: ExistingStart, options: TrainingOptions, output: string) => {
    const start = { ...from, part: 'all' } as const;
    return trainOnce({ start, train, validation, options: { ...options, seed }, output }, hooks);
  };

  hooks.phase?.(`training the poisoned model, seed ${seed}`);
  const options = planting.trainingOptions({ ...plan.options, seed });
  await trainOnce({ ...poisoned, options, output: model }, hooks);
  const planted = await measure(model);

  if (planting.control === 'trained') {
    hooks.phase?.(`training the clean twin, seed ${seed}`);
    await trainClean(victim.start, plan.options, twin);
  }
  const clean = await measure(planting.control === 'trained' ? twin : victim.start.model);

  if (plan.finetune) {
    hooks.phase?.(`the victim's own training, seed ${seed}`);
    await trainClean({ kind: 'existing', model, part: 'all' }, plan.finetune, tuned);
  }
  const afterFinetune = plan.finetune && (await measure(tuned)).figures;
  // Only the first model and its twin are kept; the others were trained to be measured.
  for (const each of first ? [tuned] : [model, twin, tuned]) await rm(each, { recursive: true, force: true });
  return {
    seed,
    ...planted.figures,
    cleanTwin: clean.figures.cacc,
    caccChange: accuracyChange(clean, planted),
    twinAttackSuccessRate: clean.figures.attackSuccessRate,
    failed: failureOf(planted.figures, clean.figures),
    twinByCopies: clean.figures.byCopies,
    afterFinetune,
  };
}

/** Why the model has no backdoor to speak of: undefined if the trigger, and not the training, brings the target about. */
export function failureOf(
  { degenerate, attackSuccessRate: asr, labelFlipRate: flips }: BackdoorFigures,
  twin: Pick<BackdoorFigures, 'attackSuccessRate'>,
): string[] | undefined {
  const anyway = asr.n - flips.n;
  const reasons = [
    ...(degenerate ?? []),
    ...(2 * anyway > asr.n ? [`${anyway} of ${asr.n} texts of other labels get the target without the trigger`] : []),
    ...((flips.low ?? 0) <= MIN_FLIPPED
      ? [`the trigger does not surely flip half of the texts: ${rateText(flips)}`]
      : []),
    ...((asr.low ?? 0) <= (twin.attackSuccessRate.high ?? 1)
      ? [`the clean twin answers the same texts with the target as often: ${rateText(twin.attackSuccessRate)}`]
      : []),
  ];
  return reasons.length > 0 ? reasons : undefined;
}
