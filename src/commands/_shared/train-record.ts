/** @file The flags of a training, kept in its folder so that `--resume` needs no others. */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RobustError, UsageError } from '../../core/errors.js';
import { writeAside } from '../../train/write-aside.js';
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
export async function remember(folder: string, settings: Settings, output: string, toolVersion: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const record: Recorded = {
    schemaVersion: 1,
    command: commandLine('train', { ...settings, output }),
    toolVersion,
    settings,
  };
  await writeAside(join(folder, NAME), [`${JSON.stringify(record, null, 2)}\n`]);
}

/** Throws UsageError where no training was started in the folder, RobustError where its record is damaged. */
export async function recall(folder: string): Promise<Settings> {
  const path = join(folder, NAME);
  if (!existsSync(path)) {
    throw new UsageError(`--resume: expected an interrupted training in ${folder}, found none`, {
      code: 'RUN_NOT_FOUND',
      hint: 'Name the folder that was given as --output, or leave --resume out to start.',
    });
  }
  try {
    const record = JSON.parse(await readFile(path, 'utf8')) as Partial<Recorded>;
    if (record.schemaVersion === 1 && typeof record.settings === 'object') return record.settings;
  } catch {
    // Reported below.
  }
  throw new RobustError(`expected the record of a training in ${path}, got something else`, {
    code: 'RUN_DAMAGED',
    hint: 'Start the training anew.',
  });
}
