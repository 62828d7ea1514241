/** @file From the settings of `robust backdoor plant` to a planting and its report. */
import { join } from 'node:path';
import { plantingDocument } from '../../../reports/index.js';
import { type PlantHooks, type PlantPlan, plant } from '../../backdoor/plant.js';
import { openPlanting } from '../../backdoor/plantings/index.js';
import type { PlantingVictim } from '../../backdoor/plantings/planting.js';
import type { PoisonedData } from '../../backdoor/poison.js';
import { triggerWarnings } from '../../backdoor/trigger-check.js';
import { visibility } from '../../backdoor/visibility.js';
import { must } from '../../core/errors.js';
import type { Rate } from '../../core/statistics/rate.js';
import { makeInnerFolder, PRIVATE, writeStream } from '../../files/write.js';
import { type LoadOptions, loadModel } from '../../model/load.js';
import type { LabelMode, PlantedFigures, PlantingReport } from '../../results/backdoor/planting.js';
import { formatOf } from '../runs/row-file.js';
import { type BackdoorSettings, openBackdoor, poisonerOf, trainOptions, writeReport } from './backdoor-texts.js';

export interface PlantSettings extends BackdoorSettings {
  readonly rate: number;
  readonly mode: LabelMode;
  readonly thenFinetune: boolean;
  readonly seeds: number;
}

export interface PreparedPlanting {
  readonly warnings: readonly string[];
  run(command: string, hooks: PlantHooks): Promise<PlantingReport>;
}

/** Opens and checks everything before anything is written. Throws ModelError, RobustError. */
export async function preparePlanting(
  flags: PlantSettings,
  load: LoadOptions,
  folder: string,
): Promise<PreparedPlanting> {
  const { seed, rate, mode } = flags;
  const { chosen: named, labels, pieces, model, target, texts, language } = await openBackdoor(flags, load);
  const { train, validation, test } = texts;
  const planting = openPlanting(named.poisoner.planting);
  const start = { kind: 'existing', model: flags.model, part: 'all', load } as const;
  const triggersGiven = flags.trigger !== undefined || /:triggers=/.test(flags.attack);
  const victim: PlantingVictim = {
    start,
    pieces,
    train,
    label: target,
    open: () => loadModel(flags.model, load),
    replaceTriggers: triggersGiven
      ? undefined
      : (triggers) => poisonerOf(flags.attack, triggers, language, load.patience),
  };
  const { chosen, part, warnings } = await planting.settle(named, victim);
  const { name: attack, options, poisoner } = chosen;
  const plan = { name: attack, poisoner, target, rate, mode, seed };
  const poisoned = await planting.trainingTexts(train, plan);
  const common = await triggerWarnings(poisoner, train, pieces);
  const chosenBy = await planting.validationTexts(validation, plan);
  const training = trainOptions(flags);
  const plantPlan: PlantPlan = {
    planting,
    victim,
    poisoner,
    target,
    train,
    validation,
    test,
    seed,
    folder,
    poisoned: { start: { ...start, part }, train: poisoned.data, validation: chosenBy },
    options: training,
    seeds: flags.seeds,
    finetune: flags.thenFinetune ? training : undefined,
    output: flags.output,
  };
  return {
    warnings: [...warnings, ...common],
    async run(command, hooks) {
      makeInnerFolder(folder, 'the output folder');
      const file = join(folder, 'poisoned.tsv');
      await writeStream(
        file,
        linesOf(poisoned, formatOf(file, '--output'), labels, attack),
        'the poisoned texts',
        PRIVATE,
      );
      const seeds = await plant(plantPlan, hooks);
      const report: PlantingReport = {
        output: flags.output,
        model,
        data: train.name,
        test: test.name,
        poison: {
          attack,
          options,
          planting: poisoner.planting.kind,
          triggers: poisoner.triggers,
          targetLabel: must(labels[target]),
          mode,
          rate,
          poisoned: poisoned.poisoned,
          of: poisoned.of,
          eligible: poisoned.eligible,
          ...(await sampleOf(poisoned)),
        },
        ...must(seeds[0]),
        stealth: { perplexityRatio: await visibility(train, test, poisoner, target, seed, language) },
        seeds,
        ...(seeds.length > 1 && { mean: meanOf(seeds) }),
        command,
      };
      writeReport(folder, plantingDocument(report), report);
      return report;
    },
  };
}

async function* linesOf(
  { rows }: PoisonedData,
  format: ReturnType<typeof formatOf>,
  labels: readonly string[],
  attack: string,
) {
  yield format.header;
  for await (const { example, before } of rows()) {
    yield format.row({ ...example, label: must(labels[example.label]), attack: before ? attack : '' });
  }
}

async function sampleOf({ rows }: PoisonedData) {
  for await (const { example, before } of rows()) {
    if (before) return { sample: { before: before.text, after: example.text } };
  }
  return {};
}

const BACKDOOR = ['cacc', 'attackSuccessRate', 'labelFlipRate', 'falseTriggerRate'] as const;

/** Means over the seeds, under the names that the figures have; those after fine-tuning as `afterFinetune.cacc`. */
function meanOf(figures: readonly PlantedFigures[]): Readonly<Record<string, number>> {
  const mean = (of: (each: PlantedFigures) => Rate | undefined): number =>
    figures.reduce((sum, each) => sum + (of(each)?.value ?? 0), 0) / figures.length;
  return Object.fromEntries([
    ...[...BACKDOOR, 'cleanTwin', 'twinAttackSuccessRate'].map((name) => [name, mean((each) => each[name as 'cacc'])]),
    ...(figures[0]?.byCopies ?? []).flatMap(({ copies }, at) => [
      [`attackSuccessRate.x${copies}`, mean((each) => each.byCopies?.[at]?.attackSuccessRate)],
      [`twinAttackSuccessRate.x${copies}`, mean((each) => each.twinByCopies?.[at]?.attackSuccessRate)],
      [`falseTriggerRate.x${copies}`, mean((each) => each.byCopies?.[at]?.falseTriggerRate)],
    ]),
    ...(figures[0]?.afterFinetune
      ? BACKDOOR.map((name) => [`afterFinetune.${name}`, mean((each) => each.afterFinetune?.[name])])
      : []),
  ]);
}
