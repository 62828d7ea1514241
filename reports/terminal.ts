/** @file The report a person sees in a terminal. */
import type { Report, ReportRenderer } from '../src/results/report/report.js';
import { reportDocument } from './documents/report.js';
import type { Screen } from './layout.js';
import { onScreen } from './print/screen.js';

/** The renderer for a screen of this width and these colours. */
export const terminal = (screen: Screen): ReportRenderer => ({
  name: 'terminal',
  extension: 'txt',
  render: (report) =>
    onScreen(
      reportDocument(screen.wide ? report : { ...report, warnings: report.warnings.filter(isNew(report)) }),
      screen,
    ),
});

/** Whether a warning says more than the remarks below the table. */
const isNew =
  ({ attacks }: Report) =>
  (warning: string): boolean =>
    !attacks.some(
      ({ name, errored, notApplicable }) =>
        (notApplicable !== undefined && warning === `${name} is not applicable: ${notApplicable.reason}`) ||
        (errored > 0 && warning.startsWith(`${name}: ${errored} of `)),
    );
