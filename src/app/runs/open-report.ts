import { existsSync } from 'node:fs';
import type { Report } from '../../results/report/report.js';
import { openRun, type RunFolder, readReport, readReportFile } from '../../run/index.js';
import { withReview } from '../review/with-review.js';
import { knownMeasures, measuresOf } from './measures.js';
import { RUNS } from './runs.js';

export interface OpenReport {
  readonly report: Report;
  /** Absent for a report that was read from a file. */
  readonly folder?: RunFolder;
}

/** A run by id or folder, the latest, or a report.json; `options` as of `readReport`. Throws what reading these throws. */
export async function openReport(
  name: string,
  options: { readonly allowPartial?: boolean; readonly soFar?: boolean } = {},
): Promise<OpenReport> {
  if (/\.json$/i.test(name) && existsSync(name)) return { report: await readReportFile(name, knownMeasures) };
  const folder = await openRun(RUNS, name);
  const { measures, warnings } = await measuresOf(folder.record);
  const report = await readReport(folder, { ...options, measures });
  const reviewed = await withReview(report, folder);
  return { report: { ...reviewed, warnings: [...reviewed.warnings, ...warnings] }, folder };
}
