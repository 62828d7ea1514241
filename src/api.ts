/** @file `robust-text`: the commands as functions. Options are the settings of the command by name, those of `--runtime` and other flags beside the rest; results are the `result` of `--json`. Models, data and plugins are names, paths, or values. */
import { attack as attackByName } from './app/attack.js';
import { augment as augmentByName } from './app/augment.js';
import { compare as compareByName } from './app/compare.js';
import { evaluate as evaluateByName } from './app/evaluate.js';
import { explain as explainByName } from './app/explain.js';
import { filter as filterByName } from './app/filter.js';
import { gate as gateByName } from './app/gate.js';
import { plant as plantByName, repair as repairByName } from './app/plant.js';
import { scanForBackdoor as scanForBackdoorByName } from './app/scan.js';
import { serve as serveByName } from './app/serve.js';
import { train as trainByName } from './app/train.js';
import { taking } from './app/values.js';
import { verify as verifyByName } from './app/verify.js';

export type { AttackOptions } from './app/attack.js';
export type { AugmentOptions, AugmentResult } from './app/augment.js';
export type { FilterData } from './app/backdoor/filtering.js';
export {
  type BaselineDiff,
  type DiffBaselineOptions,
  diffBaseline,
  type SaveBaselineOptions,
  saveBaseline,
} from './app/baseline.js';
export { type CardOptions, card } from './app/card.js';
export type { CompareOptions } from './app/compare.js';
export type { UseCaseHooks } from './app/context.js';
export type { EvaluateOptions, EvaluateResult } from './app/evaluate.js';
export type { ExplainOptions } from './app/explain.js';
export type { FilterOptions, FilterResult } from './app/filter.js';
export type { GateOptions } from './app/gate.js';
export { type LeaderboardOptions, leaderboard } from './app/leaderboard.js';
export { merge, type PartialChoice, report } from './app/merge.js';
export type { PlantOptions, RepairOptions } from './app/plant.js';
export type { Progress, WorkProgress } from './app/progress.js';
export type * from './app/review/review.js';
export { review, reviewSession } from './app/review/review.js';
export type { ScanOptions, ScanReport } from './app/scan.js';
export { type ModelScanOptions, scanModelFiles } from './app/scan-model.js';
export type { RunningServer, ServeOptions, ServingTotals } from './app/serve.js';
export type { TrainOptions, TrainResult } from './app/train.js';
export { type RunningUi, type UiOptions, ui } from './app/ui.js';
export type { OneOrMore, Rewrites, Rows, Values, WithValues } from './app/values.js';
export type { VerifyOptions } from './app/verify.js';
export { defineConfig } from './config/define-config.js';
export type { Config } from './config/schema.js';
export type { GivenValues, Setting, Settings } from './config/setting.js';
export type * from './core/endpoint.js';
export * from './core/errors.js';
export type * from './core/outcome.js';
export type { TimeLimit } from './core/patience.js';
export type * from './core/statistics/rate.js';
export type { CertifiedAccuracy, CertifiedEdits, EditRadii } from './defence/index.js';
export type { Download, HubOptions } from './model/hub/options.js';
export type { Clock, Proxies, RemoteAccess, Variables } from './remote/access.js';
export type * from './results/backdoor/backdoor-findings.js';
export type * from './results/backdoor/model-scan.js';
export type * from './results/backdoor/planting.js';
export type { StandingCard } from './results/card/card.js';
export type * from './results/card/guard-card.js';
export type * from './results/card/leaderboard.js';
export type * from './results/clean/clean-metrics.js';
export type { TextCounts } from './results/clean/text-census.js';
export type * from './results/comparison/comparison.js';
export type { HardeningReport } from './results/comparison/hardening.js';
export type * from './results/measures/attack-metrics.js';
export type { Curves } from './results/measures/curves.js';
export type * from './results/report/explanation.js';
export type * from './results/report/report.js';
export type { ReviewReport, ReviewSummary } from './results/report/review.js';
export type * from './results/report/verdict.js';
export type * from './results/report/verification.js';
export type {
  AnswerDetails,
  BlindItem,
  ItemReading,
  ReaderSession,
  ReviewAnswer,
  ReviewProgress,
  ReviewQuestion,
} from './review/index.js';
export type { OutcomeOf, RunProgress } from './run/index.js';
export type { RequestEntry } from './serve/request-entry.js';
export type { History, Measurement } from './train/index.js';
export type { ValidationScores } from './train/scores.js';

export const attack = taking(attackByName);
export const augment = taking(augmentByName);
export const compare = taking(compareByName);
export const evaluate = taking(evaluateByName);
export const explain = taking(explainByName);
export const filter = taking(filterByName);
export const gate = taking(gateByName);
export const plant = taking(plantByName);
export const repair = taking(repairByName);
export const scanForBackdoor = taking(scanForBackdoorByName);
export const serve = taking(serveByName);
export const train = taking(trainByName);
export const verify = taking(verifyByName);
