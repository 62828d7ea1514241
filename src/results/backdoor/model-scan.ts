/** @file Result of `robust scan-model`: what the files of a model can do, and what the model does. */
import type { ScanResult } from './backdoor-findings.js';

/**
 * `danger`: takes effect when the model is loaded or used in the usual way. `warning`: takes effect if the user asks for it, or cannot be
 * judged without a person. `note`: a fact.
 */
export type FindingLevel = 'danger' | 'warning' | 'note';

export interface ModelFinding {
  readonly level: FindingLevel;
  /** Path in the model's folder; null if the finding concerns no single file. */
  readonly file: string | null;
  readonly what: string;
}

export type ModelCheckName = 'files' | 'pickles' | 'custom code' | 'graph' | 'tokenizer' | 'embeddings' | 'backdoor';

/**
 * `none found`: everything that the check covers was examined. `not checked`: nothing was, or only a part of it. `none to check`: the model
 * has nothing of the kind.
 */
export type ModelCheckVerdict = 'danger' | 'warning' | 'none found' | 'not checked' | 'none to check';

export interface ModelCheck {
  readonly name: ModelCheckName;
  readonly verdict: ModelCheckVerdict;
  /** The extent of the check: "2 pickles, 214 instructions". */
  readonly examined: string;
  readonly findings: readonly ModelFinding[];
  /** Parts left out, each with the reason. */
  readonly notExamined: readonly string[];
}

/** `danger` and `warnings` state the most serious finding. `none found`: each check examined all that it covers. */
export type ModelScanVerdict = 'danger' | 'warnings' | 'none found' | 'inconclusive';

export interface ModelScan {
  readonly model: { readonly name: string; readonly files: number; readonly bytes: number };
  readonly verdict: ModelScanVerdict;
  /** Why it is inconclusive; otherwise the most serious findings. */
  readonly reasons: readonly string[];
  readonly checks: readonly ModelCheck[];
  /** The backdoor scan; null if it did not run. */
  readonly scan: ScanResult | null;
  readonly toolVersion: string;
}

/** A check from its findings. Danger and warnings count even if something was not examined. `count`: how much was, if that can be nothing. */
export function modelCheck(
  name: ModelCheckName,
  examined: string,
  findings: readonly ModelFinding[],
  notExamined: readonly string[] = [],
  count = 1,
): ModelCheck {
  const worst = (['danger', 'warning'] as const).find((level) => findings.some((each) => each.level === level));
  const clean = count > 0 ? 'none found' : 'none to check';
  return { name, verdict: worst ?? (notExamined.length > 0 ? 'not checked' : clean), examined, findings, notExamined };
}

/** The verdict of all checks. Danger is reported whatever else was not examined; the absence of danger needs every check. */
export function modelVerdict(checks: readonly ModelCheck[]): Pick<ModelScan, 'verdict' | 'reasons'> {
  const found = (level: FindingLevel): string[] =>
    checks.flatMap(({ findings }) =>
      findings
        .filter((each) => each.level === level)
        .map(({ file, what }) => (file === null ? what : `${file}: ${what}`)),
    );
  const dangers = found('danger');
  if (dangers.length > 0) return { verdict: 'danger', reasons: dangers };
  const open = checks.flatMap(({ name, notExamined }) => notExamined.map((what) => `${name}: ${what}`));
  if (open.length > 0) return { verdict: 'inconclusive', reasons: open };
  const warnings = found('warning');
  return { verdict: warnings.length > 0 ? 'warnings' : 'none found', reasons: warnings };
}
