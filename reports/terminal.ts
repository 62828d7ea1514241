/** @file The report a person sees in a terminal. */
import type { ReportRenderer } from '../src/plugin.js';
import { reportDocument } from './documents/report.js';
import type { Screen } from './layout.js';
import { onScreen } from './print/screen.js';

/** The renderer for a screen of this width and these colours. */
export const terminal = (screen: Screen): ReportRenderer => ({
  name: 'terminal',
  extension: 'txt',
  render: (report) => onScreen(reportDocument(report), screen),
});
