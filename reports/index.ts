/** @file The formats a report can be written in. */
import type { ExplanationReport, Renderer, ReportRenderer } from '../src/index.js';
import { csv } from './csv.js';
import { explanationHtml } from './explanation-html.js';
import { explanationJson } from './explanation-json.js';
import { html } from './html.js';
import { jsonOf } from './json.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import { modelCard } from './model-card.js';
import { openmetrics } from './openmetrics.js';
import { sarif } from './sarif.js';

/** What `-o` can write; the file's extension picks one. */
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

/** What `robust explain -o` can write. */
export const explanationFormats: readonly Renderer<ExplanationReport>[] = [explanationHtml, explanationJson];

export { certifiedText } from './certified.js';
export { unattacked } from './clean.js';
export { comparisonJson, comparisonMarkdown, comparisonTerminal, verdictLines } from './comparison.js';
export { explanationResult } from './explanation-json.js';
export { explanationOnScreen } from './explanation-terminal.js';
export { hardeningTerminal } from './hardening.js';
export { json, jsonOf, SCHEMA_VERSION } from './json.js';
export { terminal } from './terminal.js';
export { verdictText } from './verdict.js';
export { visible } from './visible.js';
