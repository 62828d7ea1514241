/** @file Finished runs again: as a report, and shards of one put together. */
import { attackSettings } from '../config/settings/index.js';
import type { Report } from '../results/report/report.js';
import { mergeShards, type RunFolder, readReport } from '../run/index.js';
import { commandLine } from './command-line.js';
import { measuresOf } from './runs/measures.js';
import { openReport } from './runs/open-report.js';
import { openShard } from './runs/open-shard.js';
import { isOwnRecord, sealFor } from './runs/recorded-settings.js';
import { RUNS } from './runs/runs.js';

export interface PartialChoice {
  /** Go on although shards or lines of the journal are missing; no gate passes such a run. @default false */
  readonly allowPartial?: boolean | undefined;
}

/** The report of a run, by id or folder, of the "latest", or of a report.json; of one under way, what is there so far. Throws RobustError. */
export async function report(run = 'latest', { allowPartial = false }: PartialChoice = {}): Promise<Report> {
  return (await openReport(run, { allowPartial, soFar: true })).report;
}

/** Puts shards together as a run of its own: their run folders, or folders that hold one each. Throws RobustError. */
export async function merge(folders: readonly string[], { allowPartial = false }: PartialChoice = {}): Promise<Report> {
  const shards: RunFolder[] = [];
  for (const path of folders) shards.push(await openShard(path));
  const command = (settings: Readonly<Record<string, unknown>>): string => commandLine('attack', settings);
  const folder = await mergeShards(RUNS, shards, { allowPartial, command });
  const own = await Promise.all(shards.map(({ record }) => isOwnRecord(attackSettings, record)));
  if (own.every(Boolean)) folder.update(await sealFor(attackSettings, folder.record.settings));
  const { measures, warnings } = await measuresOf(folder.record);
  const report = await readReport(folder, { allowPartial, measures });
  return { ...report, warnings: [...report.warnings, ...warnings] };
}
