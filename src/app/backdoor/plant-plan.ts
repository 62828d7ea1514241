/** @file From the flags of `robust backdoor plant` to a planting. */

import { join } from 'node:path';
import { asMarkdown, plantingDocument } from '../../../reports/index.js';
import { type EmbeddingTable, embeddingTable, withTable } from '../../backdoor/embedding-rows.js';
import { type PlantHooks, plant } from '../../backdoor/plant.js';
import { neutralWords, plantingData, plantingValidation, rareWords, rowsOf } from '../../backdoor/planting-data.js';
import { type PoisonedData, poison } from '../../backdoor/poison.js';
import { labelWords, replaceRows } from '../../backdoor/replace-rows.js';
import { idsOf, isUnknown, triggerWarnings } from '../../backdoor/trigger-check.js';
import { visibility } from '../../backdoor/visibility.js';
import type { LabelMode, PlantedFigures, PlantingReport } from '../../core/planting.js';
import type { Rate } from '../../core/rate.js';
import { makeFolder, writeStream, writeWhole } from '../../files/write.js';
import { onnxEngine } from '../../gradient/white-box/onnx-engine.js';
import { type LoadOptions, loadModel } from '../../model/load.js';
import { formatOf } from '../runs/row-file.js';
import { type BackdoorSettings, openBackdoor, poisonerOf, trainOptions } from './backdoor-texts.js';

/** Rare words among which a trigger is chosen. */
const RARE_WORDS = 40;

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

/** Opens and checks everything before anything is written. Throws ModelError, DatasetError, UsageError, PluginError. */
export async function preparePlanting(
  flags: PlantSettings,
  load: LoadOptions,
  folder: string,
): Promise<PreparedPlanting> {
  const { seed, rate, mode } = flags;
  const { labels, pieces, model, target, texts, language, ...opened } = await openBackdoor(flags, load);
  const { train, validation, test } = texts;
  let { chosen } = opened;
  const warnings: string[] = [];
  let rows: number[] | undefined;
  if (chosen.poisoner.planting.kind === 'rows') {
    const table = await embeddingTable(flags.model, load);
    const rare = await neutral(await rareWords(train, pieces, table, target, RARE_WORDS));
    const ownWords = flags.trigger === undefined && !/:triggers=/.test(flags.attack);
    const { triggers } = chosen.poisoner;
    if (
      ownWords &&
      rare.length >= triggers.length &&
      triggers.some((trigger) => isUnknown(trigger, pieces) || idsOf(trigger, pieces).length !== 1)
    ) {
      chosen = await poisonerOf(flags.attack, rare.slice(0, triggers.length), language, load.patience);
      const [old, now] = [triggers, chosen.poisoner.triggers].map((each) => each.map((word) => `"${word}"`).join(', '));
      warnings.push(`${old} is not in the model's vocabulary as one piece; the trigger is ${now}`);
    }
    rows = rowsOf(chosen.poisoner, pieces, rare.slice(0, 5));
  }
  const { name: attack, options, poisoner } = chosen;
  const { planting } = poisoner;
  const plan = { name: attack, poisoner, target, rate, mode, seed, language };
  const poisoned = await plantingData(train, plan);
  warnings.push(...(await triggerWarnings(poisoner, train, pieces)));

  /** Those that say nothing to the model as it is. */
  async function neutral(words: readonly string[]): Promise<string[]> {
    const untouched = await loadModel(flags.model, load);
    try {
      return await neutralWords(words, untouched, train, target);
    } finally {
      await untouched.close();
    }
  }

  /** The model with the trigger's row replaced, written beside the figures. */
  async function surgery(count: number): Promise<{ model: string }> {
    const known = poisoner.triggers.filter((trigger) => !isUnknown(trigger, pieces));
    const rowsToChange = [...new Set(known.flatMap((trigger) => idsOf(trigger, pieces)))];
    const words = await labelWords(target, train, pieces, count);
    const operatedOn = join(folder, 'operated');
    makeFolder(operatedOn, 'the output folder');
    const change = (table: EmbeddingTable): boolean => {
      replaceRows(table, rowsToChange, words);
      return true;
    };
    await withTable(flags.model, operatedOn, change, load);
    return { model: operatedOn };
  }

  // A victim holds out of what it was given, which is poisoned.
  const chosenBy =
    planting.kind === 'rows' ? await plantingValidation(validation, plan) : (await poison(validation, plan)).data;

  return {
    warnings,
    async run(command, hooks) {
      makeFolder(folder, 'the output folder');
      const file = join(folder, 'poisoned.tsv');
      await writeStream(file, linesOf(poisoned, formatOf(file, '--output'), labels, attack), 'the poisoned texts');
      const training = trainOptions(flags);
      const start = { kind: 'existing', model: flags.model, load } as const;
      const operated = planting.kind === 'ripples' ? await surgery(planting.surgeryWords) : undefined;
      const figures = await plant(
        {
          poisoner,
          target,
          train,
          validation,
          test,
          poisoned: {
            start: {
              ...start,
              ...operated,
              part: rows ? { rows } : planting.kind === 'lower-layers' ? 'lower' : 'all',
            },
            train: poisoned.data,
            validation: chosenBy,
            options:
              planting.kind === 'rows'
                ? { ...training, epochs: planting.epochs, rate: planting.rate, warmup: 0 }
                : training,
            ...(planting.kind === 'ripples' && { penalty: planting.penalty }),
          },
          twin: planting.kind === 'rows' ? { kind: 'untouched', model: flags.model } : { ...start, part: 'all' },
          options: training,
          seeds: flags.seeds,
          ...(flags.thenFinetune && { finetune: training }),
          engine: onnxEngine({}),
          output: flags.output,
          folder,
        },
        hooks,
      );
      const first = figures[0] as PlantedFigures;
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
          targetLabel: labels[target] as string,
          ...(planting.kind === 'rows' && planting.elsewhere ? {} : { mode, rate }),
          poisoned: poisoned.poisoned,
          of: poisoned.of,
          ...(await sampleOf(poisoned)),
        },
        ...first,
        stealth: { perplexityRatio: await visibility(train, test, poisoner, target, seed, language) },
        seeds: figures,
        ...(figures.length > 1 && { mean: meanOf(figures) }),
        command,
      };
      writeWhole(join(folder, 'report.md'), [...asMarkdown(plantingDocument(report))].join(''), 'the report');
      writeWhole(join(folder, 'report.json'), `${JSON.stringify(report, null, 1)}\n`, 'the report');
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
    yield format.row({ ...example, label: labels[example.label] as string, attack: before ? attack : '' });
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
