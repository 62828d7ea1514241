/** @file The flags of a training, kept in its folder so that `--resume` needs no others. */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { RobustError, UsageError } from '../../core/errors.js';
import { makeFolder, outputError, placeFolder, writeWhole } from '../../files/write.js';
import type { History } from '../../train/history.js';
import { commandLine, type Settings } from './replay.js';

interface Recorded {
  readonly schemaVersion: 1;
  /** The command line that trains the same model again. */
  readonly command: string;
  readonly toolVersion: string;
  readonly settings: Settings;
}

const NAME = 'run.json';

/** Throws OutputError. */
export async function remember(
  folder: string,
  settings: Settings,
  output: string,
  toolVersion: string,
  command = 'train',
): Promise<void> {
  // What an earlier training left there would be taken for this one's.
  for (const name of ['history.json', 'checkpoint.safetensors']) await rm(join(folder, name), { force: true });
  const record: Recorded = {
    schemaVersion: 1,
    command: commandLine(command, { ...settings, output }),
    toolVersion,
    settings,
  };
  const text = `${JSON.stringify(record, null, 2)}\n`;
  const what = 'the record of the training';
  if (existsSync(output)) {
    makeFolder(folder, 'the folder of the training');
    writeWhole(join(folder, NAME), text, what);
    return;
  }
  // Appears with the record in it: a folder without one could be neither resumed nor begun anew.
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

/** The history of a training that came to its end; undefined where it has not. Throws RobustError where it is damaged. */
export async function ended(folder: string): Promise<History | undefined> {
  const history = await read<Partial<History>>(join(folder, 'history.json'), { end: 'running' });
  return history.end === 'finished' || history.end === 'stopped early' ? (history as History) : undefined;
}

/**
 * Throws UsageError where nothing is left to resume, RobustError where the record is damaged. After adversarial training the control and
 * the comparison may be left.
 */
export async function recall(folder: string): Promise<Settings> {
  const path = join(folder, NAME);
  if (!existsSync(path)) {
    throw new UsageError(`--resume: expected an interrupted training in ${folder}, found none`, {
      code: 'RUN_NOT_FOUND',
      hint: 'Name the folder that was given as --output, or leave --resume out to start.',
    });
  }
  const { end } = await read<Partial<History>>(join(folder, 'history.json'), { end: 'running' });
  const record = await read<Partial<Recorded>>(path, {});
  if (end !== 'running' && end !== 'interrupted' && !record.settings?.adversarial) {
    throw new UsageError(`--resume: expected an interrupted training in ${folder}, got one that has ${end}`, {
      code: 'TRAINING_ENDED',
      hint: 'Its model is in the folder above. To train more, start from it: --model.',
    });
  }
  if (record.schemaVersion === 1 && typeof record.settings === 'object') return record.settings;
  throw damaged(path);
}

/** The content of a JSON file, or `missing` where there is none. */
async function read<T>(path: string, missing: T): Promise<T> {
  if (!existsSync(path)) return missing;
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (cause) {
    throw damaged(path, cause);
  }
}

const damaged = (path: string, cause?: unknown): RobustError =>
  new RobustError(`expected the record of a training in ${path}, got something else`, {
    code: 'RUN_DAMAGED',
    hint: 'Start the training anew.',
    cause,
  });
