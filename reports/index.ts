/** @file The formats a report can be written in. */
import type { ModelScan } from '../src/results/backdoor/model-scan.js';
import type { StandingCard } from '../src/results/card/card.js';
import type { GuardCard } from '../src/results/card/guard-card.js';
import type { Leaderboard } from '../src/results/card/leaderboard.js';
import type { ComparisonReport } from '../src/results/comparison/comparison.js';
import type { Document } from '../src/results/report/document.js';
import type { ExplanationReport } from '../src/results/report/explanation.js';
import type { Renderer, ReportRenderer } from '../src/results/report/report.js';
import { comparisonCsv, csv } from './csv.js';
import { cardDocument } from './documents/card.js';
import { comparisonDocument } from './documents/comparison.js';
import { explanationDocument } from './documents/explanation.js';
import { leaderboardDocument } from './documents/leaderboard.js';
import { modelScanDocument } from './documents/model-scan.js';
import { explanationResult } from './explanation-result.js';
import { html } from './html.js';
import { documentJson, jsonOf } from './json.js';
import { comparisonJunit, junit } from './junit.js';
import { markdown } from './markdown.js';
import { modelCard } from './model-card.js';
import { openmetrics } from './openmetrics.js';
import { asHtml } from './print/html.js';
import { asMarkdown } from './print/markdown.js';
import { comparisonSarif, sarif } from './sarif.js';

/** Formats of `-o`; the file's extension selects one. */
export const fileFormats: readonly ReportRenderer[] = [
  markdown,
  html,
  jsonOf('attack'),
  csv,
  junit,
  sarif,
  openmetrics,
  modelCard,
];

/** A document as Markdown, as a page, and what `robust COMMAND --json` prints; without `result` that is the data of the document. */
const documentFormats = <T>(
  command: string,
  document: (what: T) => Document,
  result: Parameters<typeof documentJson<T>>[1] = (what) => ({ result: what, warnings: [] }),
): Renderer<T>[] => [
  { name: 'markdown', extension: 'md', render: (what) => asMarkdown(document(what)) },
  { name: 'html', extension: 'html', render: (what) => asHtml(document(what)) },
  documentJson(command, result),
];

/** Formats of `robust compare -o`. */
export const comparisonFormats: readonly Renderer<ComparisonReport>[] = [
  ...documentFormats('compare', comparisonDocument),
  comparisonCsv,
  comparisonJunit,
  comparisonSarif,
];

/** Formats of `robust explain -o`. */
export const explanationFormats: readonly Renderer<ExplanationReport>[] = documentFormats(
  'explain',
  explanationDocument,
  (report) => ({ result: explanationResult(report), warnings: report.warnings }),
);

/** Formats of `robust scan-model -o`. */
export const modelScanFormats: readonly Renderer<ModelScan>[] = documentFormats('scan-model', modelScanDocument);

/** Formats of `robust card -o`. */
export const cardFormats: readonly Renderer<StandingCard | GuardCard>[] = [...documentFormats('card', cardDocument)];

/** Formats of `robust leaderboard -o`. */
export const leaderboardFormats: readonly Renderer<Leaderboard>[] = documentFormats('leaderboard', leaderboardDocument);

export { cardDocument } from './documents/card.js';
export { comparisonDocument } from './documents/comparison.js';
export { evaluationDocument } from './documents/evaluation.js';
export { explanationDocument } from './documents/explanation.js';
export { filterDocument } from './documents/filter.js';
export { gateDocument } from './documents/gate.js';
export { hardeningDocument } from './documents/hardening.js';
export { leaderboardDocument } from './documents/leaderboard.js';
export { modelScanDocument } from './documents/model-scan.js';
export { plantingDocument, repairDocument } from './documents/planted.js';
export { queueDocument } from './documents/queue.js';
export { scanDocument } from './documents/scan.js';
export { verificationDocument } from './documents/verification.js';
export { explanationResult } from './explanation-result.js';
export { jsonOf } from './json.js';
export type { Screen } from './layout.js';
export { asMarkdown } from './print/markdown.js';
export { changesWithin, onScreen } from './print/screen.js';
export { terminal } from './terminal.js';
export { visible } from './visible.js';
