/** @file A diagnostic check: a sign in the literature that an attack failed although the victim is not robust. */
import { z } from 'zod';
import { type Declared, nonEmpty } from '../../core/declared.js';
import type { PairedCounts } from '../../core/statistics/paired.js';
import type { CleanMetrics } from '../clean/clean-metrics.js';
import type { AttackMetrics } from '../measures/attack-metrics.js';
import type { DiagnosticEvidence } from './evidence.js';

const checkSchema = z.object({
  name: nonEmpty,
  status: z.enum(['passed', 'failed', 'not applicable']),
  evidence: z.string().describe('The figures that decided, or why the check is not applicable.'),
});

/** Result of one check. */
export interface DiagnosedCheck extends Declared<typeof checkSchema> {}

export const trustworthySchema = z.object({
  verdict: z
    .enum(['yes', 'no', 'unknown'])
    .describe('No: a check failed. Unknown: the checks could not be made. Yes: no applicable check failed.'),
  reason: z.string().describe('Why the verdict is unknown.').exactOptional(),
  queries: z.int().min(0).describe('Queries that the checks made besides those of the attacks.'),
  checks: z.array(checkSchema),
});

/** Whether the rates of a run can be trusted as estimates of the worst case. */
export interface Trustworthy extends Declared<typeof trustworthySchema> {}

/** Two attacks of one run on the examples that both attacked: b is a with a higher limit. */
export interface ComparedAttacks {
  readonly a: string;
  readonly b: string;
  /** Successes. */
  readonly counts: PairedCounts;
}

/** Facts about a run that checks judge. */
export interface DiagnosticFacts {
  readonly attacks: readonly Pick<AttackMetrics, 'name' | 'succeeded' | 'failed' | 'tied'>[];
  readonly clean: Pick<CleanMetrics, 'repeatability'>;
  /** Failures by attack: those that used up the query budget, and those in which the attack could edit almost nothing. */
  readonly failures: ReadonlyMap<string, { readonly spent: number; readonly untried: number }>;
  /** Query budget of an attack for one example, if there is one. */
  readonly queryBudget: number | undefined;
  readonly compared: readonly ComparedAttacks[];
  /** Absent if the run made no extra queries. */
  readonly evidence: DiagnosticEvidence | undefined;
  /** Ids of the queried examples that `standard-characters` failed to flip. */
  readonly survivors: ReadonlySet<string>;
}

export type CheckFinding = Omit<DiagnosedCheck, 'name'>;

export interface DiagnosticCheck {
  readonly name: string;
  /** One sentence: what holds if the check passes. */
  readonly title: string;
  /** One sentence fragment: the condition of a failure, with its threshold. */
  readonly fails: string;
  /** Paper and section. */
  readonly source: string;
  /** Needs the extra queries of the suite `standard`. */
  readonly queries: boolean;
  judge(facts: DiagnosticFacts): CheckFinding;
}

const passed = (evidence: string): CheckFinding => ({ status: 'passed', evidence });
const failed = (evidence: string): CheckFinding => ({ status: 'failed', evidence });
export const notApplicable = (evidence: string): CheckFinding => ({ status: 'not applicable', evidence });

/** `failed` if the condition is true. */
export const failedIf = (condition: boolean, evidence: string): CheckFinding => (condition ? failed : passed)(evidence);
