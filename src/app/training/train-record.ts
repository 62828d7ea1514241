/** @file The flags of a training, kept in its folder so that `--resume` needs no others. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import type { GivenValues, Settings } from '../../config/setting.js';
import { RobustError } from '../../core/errors.js';
import { readState } from '../../files/state.js';
import { makeFolder, makeInnerFolder, outputError, placeFolder, writeWhole } from '../../files/write.js';
import { type History, historySchema } from '../../train/history.js';
import { commandLine, quote, type SettingValues } from '../command-line.js';
import { givenOf } from '../context.js';
import { recordedSettings, sealFor } from '../runs/recorded-settings.js';
import { type RunSeal, type SealedRecord, sealSchema } from '../runs/run-seal.js';

interface TrainingRecord {
  readonly schemaVersion: 1;
  /** The command line that trains the same model again. */
  readonly command: string;
  readonly toolVersion: string;
  readonly settings: SettingValues;
  readonly named?: RunSeal | undefined;
}

const NAME = 'run.json';

/** Throws OutputError. */
export async function writeTrainingRecord(
  folder: string,
  table: Settings,
  settings: SettingValues,
  output: string,
  toolVersion: string,
  command = 'train',
): Promise<void> {
  // Leftovers of an earlier training would be mistaken for this one's.
  for (const name of ['history.json', 'checkpoint.bin']) await rm(join(folder, name), { force: true });
  const record: TrainingRecord = {
    schemaVersion: 1,
    command: commandLine(command, { ...settings, output }),
    toolVersion,
    settings,
    ...(await sealFor(table, settings)),
  };
  const text = `${JSON.stringify(record, null, 2)}\n`;
  const what = 'the record of the training';
  if (existsSync(output)) {
    makeInnerFolder(folder, 'the folder of the training');
    writeWhole(join(folder, NAME), text, what);
    return;
  }
  // Created together with its record: a folder without one could be neither resumed nor restarted.
  makeFolder(dirname(resolve(output)), 'the output folder');
  try {
    placeFolder(resolve(output), (aside) => {
      const inside = join(aside, relative(output, folder));
      makeFolder(inside, 'the folder of the training');
      writeWhole(join(inside, NAME), text, what);
    });
  } catch (error) {
    throw outputError('the output folder', output, error);
  }
}

/** The settings of a training, a planting or a repair, from its record in `folder`. Throws RobustError where the record is damaged. */
export const recordedIn = (folder: string): SettingValues =>
  readState(join(folder, NAME), recordedSchema, 'the record of a training').settings;

/** Whether `folder` records a training, a planting or a repair. */
export const hasRecord = (folder: string): boolean => existsSync(join(folder, NAME));

/** The history of a training that came to its end; undefined where it has not. Throws RobustError where it is damaged. */
export async function recordTrainingEnd(folder: string): Promise<History | undefined> {
  const history = historyIn(folder);
  return history?.end === 'finished' || history?.end === 'stopped early' ? history : undefined;
}

/**
 * Throws RobustError where nothing is left to resume, and where the record is damaged. After adversarial training the control and
 * the comparison may be left.
 */
async function readTrainingRecord(folder: string): Promise<SealedRecord> {
  const path = join(folder, NAME);
  if (!existsSync(path))
    throw new RobustError(`--resume: expected an interrupted training in ${folder}, found none`, {
      code: 'RUN_NOT_FOUND',
      hint: 'Name the folder that was given as --output, or leave --resume out to start.',
    });
  const { end = 'running' } = historyIn(folder) ?? {};
  const record = readState(path, recordedSchema, 'the record of a training');
  if (end !== 'running' && end !== 'interrupted' && !record.settings.adversarial)
    throw new RobustError(`--resume: expected an interrupted training in ${folder}, got one that has ${end}`, {
      code: 'RESUME_MISMATCH',
      hint: 'Its model is in the folder above. To train more, start from it: --model.',
    });
  return record;
}

/** The options of a training, a planting or a repair: with `resume`, what was not given is as the record inside `output` says. Throws as `readTrainingRecord` does. */
export async function settingsOfTraining<S extends Settings>(
  table: S,
  options: GivenValues<S>,
  inside: string,
  command: string,
): Promise<GivenValues<S>> {
  const { output, resume } = options as { readonly output?: string; readonly resume?: boolean };
  if (!resume || output === undefined) return options;
  const folder = join(output, inside);
  const again = `${command} --resume --output ${quote(output)}`;
  const record = await readTrainingRecord(folder);
  return { ...options, ...(await recordedSettings(table, record, givenOf(table, options), { what: folder, again })) };
}

const recordedSchema = z.object({
  schemaVersion: z.literal(1),
  settings: z.record(z.string(), z.unknown()),
  named: sealSchema.optional(),
});

function historyIn(folder: string): History | undefined {
  const path = join(folder, 'history.json');
  return existsSync(path) ? readState(path, historySchema, 'the history of a training') : undefined;
}
