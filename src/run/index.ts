/** @file The engine room: a data set and attacks go in; a journal, and from it a report, come out. */
export { attack } from './attack.js';
export { comparedModel, compareRuns, transferRates } from './compare.js';
export { evaluate } from './evaluate.js';
export { createRun, openRun, type RunFolder, type RunRecord } from './folder.js';
export { RunInterrupted } from './interrupted.js';
export { mergeShards } from './merge.js';
export type { PlannedAttack, RunHooks, RunOrigin, RunPlan, RunProgress } from './plan.js';
export { needsGradients } from './plan.js';
export { readReport } from './report.js';
export { readReportFile } from './report-file.js';
export type { Shard } from './shard.js';
export { textsOf } from './texts.js';
