/** @file From the flags of `robust backdoor plant` to a planting. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { poisoners } from '../../../attacks/index.js';
import { openDataset } from '../../../datasets/index.js';
import { labelIndex } from '../../../datasets/labels.js';
import { rowFormat } from '../../../datasets/write.js';
import { plantedMarkdown } from '../../../reports/planted.js';
import { embeddingTable } from '../../backdoor/embedding-rows.js';
import { material, rareWords, rowsOf, rowsValidation } from '../../backdoor/material.js';
import { type PlantHooks, plant } from '../../backdoor/plant.js';
import type { PoisonedData } from '../../backdoor/poison.js';
import { idsOf, isUnknown, triggerWarnings } from '../../backdoor/trigger-check.js';
import { visibility } from '../../backdoor/visibility.js';
import type { LabelMode, PlantedFigures, PlantingReport } from '../../core/planting.js';
import { onnxEngine } from '../../gradient/onnx-engine.js';
import { type Dataset, DatasetError, didYouMean, PluginError, UsageError } from '../../index.js';
import { type LoadOptions, loadModel } from '../../model/load.js';
import { holdOut, type TrainOptions } from '../../train/index.js';
import { writeAside } from '../../train/write-aside.js';
import { parsedOptions, splitSpec } from './attack-options.js';

/** Share of the training texts that chooses the weights, and that is measured on where there is no --test. */
const HELD_OUT = 0.1;

export interface PlantSettings {
  readonly model: string;
  readonly data: string;
  readonly test: string | undefined;
  readonly attack: string;
  readonly trigger: readonly string[] | undefined;
  readonly target: string | undefined;
  readonly rate: number;
  readonly mode: LabelMode;
  readonly output: string;
  readonly 'then-finetune': boolean;
  readonly seeds: number;
  readonly epochs: number;
  readonly 'batch-size': number;
  readonly lr: number;
  readonly seed: number;
  readonly 'text-column': string | undefined;
  readonly 'label-column': string | undefined;
  readonly 'id-column': string | undefined;
  readonly 'label-map': readonly (readonly [string, string])[] | undefined;
}

export interface Prepared {
  readonly warnings: readonly string[];
  run(command: string, hooks: PlantHooks): Promise<PlantingReport>;
}

/** Opens and checks everything before anything is written. Throws ModelError, DatasetError, UsageError, PluginError. */
export async function prepared(flags: PlantSettings, load: LoadOptions, folder: string): Promise<Prepared> {
  const { seed, rate, mode } = flags;
  let chosen = poisonerOf(flags.attack, flags.trigger);
  const model = await loadModel(flags.model, { ...load, workers: 1 });
  await model.close();
  const { labels } = model;
  const target = targetOf(flags.target, labels);
  const { train, validation, test } = await openTexts(flags, labels);
  await checkLabels(train, target);
  await checkLabels(test, target);
  const pieces = model.onnx && model.onnx.encoder.kind !== 'string' ? model.onnx.encoder : undefined;
  const warnings: string[] = [];
  let rows: number[] | undefined;
  if (chosen.poisoner.planting.kind === 'rows' && pieces !== undefined) {
    const rare = await rareWords(train, pieces, await embeddingTable(flags.model, load), 5);
    const ownWords = flags.trigger === undefined && !/:triggers=/.test(flags.attack);
    const { triggers } = chosen.poisoner;
    if (ownWords && triggers.some((trigger) => isUnknown(trigger, pieces) || idsOf(trigger, pieces).length !== 1)) {
      chosen = poisonerOf(flags.attack, rare.slice(0, triggers.length));
      const [old, now] = [triggers, chosen.poisoner.triggers].map((each) => each.map((word) => `"${word}"`).join(', '));
      warnings.push(`${old} is not in the model's vocabulary as one piece; the trigger is ${now}`);
    }
    rows = rowsOf(chosen.poisoner, pieces, rare);
  }
  const { name: attack, options, poisoner } = chosen;
  const { planting } = poisoner;
  const plan = { name: attack, poisoner, target, rate, mode, seed };
  const poisoned = await material(train, plan);
  warnings.push(...(await triggerWarnings(poisoner, train, pieces)));

  return {
    warnings,
    async run(command, hooks) {
      await mkdir(folder, { recursive: true });
      await writePoisoned(join(folder, 'poisoned.tsv'), poisoned, labels, attack);
      const training = trainOptions(flags);
      const start = { kind: 'existing', model: flags.model, load } as const;
      const figures = await plant(
        {
          poisoner,
          target,
          train,
          validation,
          test,
          poisoned: {
            start: { ...start, part: rows ? { rows } : planting.kind === 'lower-layers' ? 'lower' : 'all' },
            train: poisoned.data,
            validation: planting.kind === 'rows' ? await rowsValidation(validation, plan) : validation,
            options:
              planting.kind === 'rows'
                ? { ...training, epochs: planting.epochs, rate: planting.rate, warmup: 0 }
                : training,
          },
          twin: planting.kind === 'rows' ? { kind: 'untouched', model: flags.model } : { ...start, part: 'all' },
          options: training,
          seeds: flags.seeds,
          ...(flags['then-finetune'] && { finetune: training }),
          engine: onnxEngine({}),
          output: flags.output,
          folder,
        },
        hooks,
      );
      const first = figures[0] as PlantedFigures;
      const report: PlantingReport = {
        output: flags.output,
        model: model.name,
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
        stealth: { perplexityRatio: await visibility(train, test, poisoner, target, seed) },
        seeds: figures,
        ...(figures.length > 1 && { mean: meanOf(figures) }),
        command,
      };
      await writeAside(join(folder, 'report.md'), [plantedMarkdown(report)]);
      await writeAside(join(folder, 'report.json'), [`${JSON.stringify(report, null, 1)}\n`]);
      return report;
    },
  };
}

function poisonerOf(spec: string, triggers: readonly string[] | undefined) {
  const { name, given } = splitSpec(spec);
  const plugin = poisoners.find((each) => each.name === name);
  if (plugin === undefined) {
    throw new PluginError(`expected the name of a poisoner, got "${name}"`, {
      code: 'ATTACK_NOT_FOUND',
      hint: `${didYouMean(
        name,
        poisoners.map((each) => each.name),
      )} See robust list poisoners.`,
    });
  }
  const options = parsedOptions(plugin, given);
  if (triggers !== undefined && !('triggers' in options)) {
    throw new UsageError(`--trigger: ${name} has no words for a trigger`, {
      code: 'TRIGGER',
      hint: `See robust list ${name}.`,
    });
  }
  const checked = plugin.options.safeParse({ ...options, ...(triggers && { triggers }) });
  if (!checked.success) {
    throw new UsageError(`--trigger: ${checked.error.issues.map(({ message }) => message).join('; ')}`, {
      code: 'TRIGGER',
    });
  }
  return { name, options: checked.data as Readonly<Record<string, unknown>>, poisoner: plugin.create(checked.data) };
}

/** The label's index, by name in any case or by number. Throws UsageError. */
function targetOf(label: string | undefined, labels: readonly string[]): number {
  if (label === undefined) return labels.length - 1;
  const index = labelIndex(label, labels);
  if (index !== undefined) return index;
  throw new UsageError(`--target: expected a label of the model (${labels.join(', ')}), got "${label}"`, {
    code: 'TARGET_LABEL',
    hint: didYouMean(label, labels),
  });
}

async function openTexts(flags: PlantSettings, labels: readonly string[]) {
  const options = {
    labels,
    textColumn: flags['text-column'],
    labelColumn: flags['label-column'],
    idColumn: flags['id-column'],
    labelMap: Object.fromEntries(flags['label-map'] ?? []),
  };
  const data = await openDataset(flags.data, options);
  const rest = flags.test === undefined ? holdOut(data, HELD_OUT, flags.seed + 1) : undefined;
  const test: Dataset = rest?.validation ?? (await openDataset(flags.test as string, options));
  return { ...holdOut(rest?.train ?? data, HELD_OUT, flags.seed), test };
}

/** Throws DatasetError for texts of the target label alone, or of no target label: nothing could be planted or measured. */
async function checkLabels({ name, labels, examples }: Dataset, target: number): Promise<void> {
  const counts = labels.map(() => 0);
  for await (const { label } of examples()) counts[label] = (counts[label] as number) + 1;
  const found = labels.filter((_, at) => (counts[at] as number) > 0);
  const others = counts.some((count, at) => at !== target && count > 0);
  if (others && (counts[target] as number) > 0) return;
  const wanted = `${name}: expected texts of "${labels[target]}" and of other labels`;
  throw new DatasetError(`${wanted}, got only ${found.map((label) => `"${label}"`).join(', ') || 'none'}`, {
    code: 'DATASET_ONE_CLASS',
    hint: 'A backdoor turns texts of one label into another: give texts of both, or name another --target.',
  });
}

async function writePoisoned(path: string, { rows }: PoisonedData, labels: readonly string[], attack: string) {
  const format = rowFormat(path) as NonNullable<ReturnType<typeof rowFormat>>;
  const lines = [format.header];
  for await (const { example, before } of rows()) {
    lines.push(format.row({ ...example, label: labels[example.label] as string, attack: before ? attack : '' }));
  }
  await writeAside(path, lines);
}

async function sampleOf({ rows }: PoisonedData) {
  for await (const { example, before } of rows()) {
    if (before) return { sample: { before: before.text, after: example.text } };
  }
  return {};
}

const trainOptions = (flags: PlantSettings): TrainOptions => ({
  seed: flags.seed,
  epochs: flags.epochs,
  batchSize: flags['batch-size'],
  accumulate: 1,
  rate: flags.lr,
  warmup: 0.06,
  decay: 'linear',
  beta1: 0.9,
  beta2: 0.999,
  weightDecay: 0.01,
  clip: 1,
  gamma: 0,
  consistency: 0,
  smoothing: 0,
  average: 0,
  tokenDropout: 0,
  pieceDropout: 0,
  teacherShare: 0,
  evaluateEvery: 0,
  checkpointEvery: 0,
  metric: 'accuracy',
  patience: 0,
});

const MEANS = [
  'cacc',
  'cleanTwin',
  'attackSuccessRate',
  'twinAttackSuccessRate',
  'labelFlipRate',
  'falseTriggerRate',
] as const;

function meanOf(figures: readonly PlantedFigures[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    MEANS.map((name) => [name, figures.reduce((sum, each) => sum + (each[name].value ?? 0), 0) / figures.length]),
  );
}
