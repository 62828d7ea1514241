/** @file The report as Markdown, for a pull request or a wiki. */
import type { ReportRenderer } from '../src/results/report/report.js';
import { reportDocument } from './documents/report.js';
import { asMarkdown } from './print/markdown.js';

export const markdown: ReportRenderer = {
  name: 'markdown',
  extension: 'md',
  render: (report) => asMarkdown(reportDocument(report)),
};
