/** @file What filters found in a data set, for a terminal. */
import type { ChalkInstance } from 'chalk';
import type { FilterFinding } from '../src/index.js';
import { interval, percent } from './figures.js';
import { beside, blocks, wrapped } from './layout.js';
import { visible } from './visible.js';

export interface FilterReport {
  readonly data: { readonly name: string; readonly examples: number };
  /** Name of the clean held-out texts; null without any. */
  readonly clean: { readonly name: string; readonly examples: number } | null;
  readonly model: string | null;
  /** Share of poisoned texts, where it is known. */
  readonly poisoned: number | null;
  readonly findings: readonly FilterFinding[];
}

/** Suspects shown of a filter. */
const SHOWN = 5;

/** A table of the filters, then the most suspicious texts of each. `textOf` gives a text by its id. */
export function* filtered(
  report: FilterReport,
  textOf: (id: string) => string,
  { width, chalk: { bold, dim, green, yellow } }: { width: number; chalk: ChalkInstance },
): Iterable<string> {
  const { data, clean, model, poisoned, findings } = report;
  yield `${bold(visible(data.name))}, ${data.examples} texts${poisoned === null ? '' : `, ${poisoned} of them poisoned`}${model === null ? '' : `; model ${visible(model)}`}\n`;
  const wanted = percent(findings[0]?.wantedFrr ?? null);
  yield clean === null
    ? dim(
        `thresholds from the bulk of the texts themselves, as if clean ones were normal: ${wanted} false rejections are not sure\n\n`,
      )
    : dim(`thresholds for ${wanted} false rejections, set on clean texts of ${visible(clean.name)}\n\n`);
  const known = findings.some(({ frr }) => frr !== null);
  const truth = (finding: FilterFinding): string[] => [
    rate(finding.frr),
    rate(finding.far),
    finding.auroc === null
      ? '-'
      : `${finding.auroc.value.toFixed(3)} (${finding.auroc.low.toFixed(2)}-${finding.auroc.high.toFixed(2)})`,
  ];
  const rows = findings.map((finding) => [
    finding.method,
    String(finding.suspects.length),
    ...(known ? truth(finding) : []),
    String(finding.calibratedOn || '-'),
  ]);
  const head = ['filter', 'suspects', ...(known ? ['FRR', 'FAR', 'AUROC'] : []), 'set on'];
  const columns = head.map((title, column) => [title, ...rows.map((row) => row[column] as string)]);
  for (const block of blocks(columns, width)) yield `${block}\n\n`;
  if (known) yield `${dim('FRR: clean texts suspected; FAR: poisoned texts kept; 95 % intervals')}\n\n`;
  for (const { method, verdict, reasons } of findings) {
    const paint = { 'suspects found': bold, 'none found': green, inconclusive: yellow };
    const why = reasons.length === 0 ? '' : `: ${visible(reasons.join('; '))}`;
    yield `${wrapped(`${method}: ${paint[verdict](verdict)}${why}`, width, 0)}\n`;
  }
  yield '\n';
  for (const { method, suspects } of findings) {
    if (suspects.length === 0) continue;
    yield `${bold(method)}${suspects.length > SHOWN ? dim(`, the first ${SHOWN} of ${suspects.length}`) : ''}\n`;
    for (const { id, reason } of suspects.slice(0, SHOWN)) {
      yield `${beside(`  ${visible(id)}`, `${visible(textOf(id))} ${dim(`- ${visible(reason)}`)}`, width, 10)}\n`;
    }
    yield '\n';
  }
}

const rate = (of: FilterFinding['frr']): string =>
  of === null ? '-' : `${percent(of.value)}${of.value === null ? '' : ` (${interval(of)})`}`;
