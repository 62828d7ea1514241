/** @file The engine room: a data set and attacks go in; a journal, and from it a report, come out. */
export { AnswerCheck, CHECKED_TEXTS } from './answer-check.js';
export type { AnswerFile } from './answer-file.js';
export { firstExamples, hasAnswer } from './answers.js';
export { attack } from './attack.js';
export { checkDecisions, conditionsOf } from './comparable.js';
export { comparedModel, compareRuns, pairedAnswers, transferRates } from './compare.js';
export { evaluate } from './evaluate.js';
export type { Fleet, FleetWork } from './fleet.js';
export {
  createRun,
  equalRun,
  nameLatest,
  openRun,
  type RunFolder,
  runIds,
} from './folder.js';
export { RunInterrupted } from './interrupted.js';
export { type JournalEntry, lineOf, tryParse } from './journal.js';
export { mergeShards } from './merge.js';
export type { RunOrigin } from './origin.js';
export { outcomeWithoutAttempt } from './outcome.js';
export {
  type AnsweredExample,
  answersTo,
  type CommonTexts,
  qualityOf,
  type ReadyAttack,
  readyAttacks,
  searchPart,
} from './part.js';
export type {
  EvaluationPlan,
  OutcomeOf,
  PlannedAttack,
  Repeating,
  RunHooks,
  RunPlan,
  RunProgress,
  Unpinned,
} from './plan.js';
export { decisionOfPlan, fingerprint, needsGradients } from './plan.js';
export { learns } from './prepare.js';
export type { MachineRecord, RunRecord } from './record.js';
export { readReport } from './report.js';
export { readReportFile } from './report-file.js';
export { checkSameVictim } from './same-victim.js';
export type { Shard } from './shard.js';
