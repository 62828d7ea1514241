/** @file The report as one HTML file for people: figures with their intervals, and every text, to be filtered and searched. */
import type { Report, ReportRenderer } from '../src/results/report/report.js';
import { reportDocument } from './documents/report.js';
import { TurnedClasses } from './documents/turned.js';
import type { Markup } from './html/markup.js';
import { outcomeList } from './html/outcome-list.js';
import { asHtml } from './print/html.js';

export const html: ReportRenderer = { name: 'html', extension: 'html', render: (report) => reportPage(report) };

/** The page in chunks; `navigation` as pages have it. */
export async function* reportPage(report: Report, navigation?: Markup): AsyncIterable<string> {
  const { labels } = report.model;
  const turned = new TurnedClasses(labels);
  const list = outcomeList(
    { labels, rule: report.model.decision },
    report.attacks.map(({ name }) => name),
  );
  for await (const outcome of report.examples) {
    turned.add(outcome);
    list.add(outcome);
  }
  yield* asHtml(reportDocument(report, { turned: turned.table(), all: true }), list.markup(), navigation);
}
