/** @file Two runs over the same examples, by what their task compares. */
import type { DecisionRule } from '../core/decision.js';
import type { DecisionDifference } from '../results/comparison/decision-difference.js';
import type { PairedFigure } from '../results/comparison/paired-figures.js';
import { decisionText } from './decide.js';
import { taskNamed, taskOfRule } from './index.js';
import type { AttackedRun, ComparedRun, StoredAnswers } from './task.js';

/** A victim's decision and its labels, by index. */
export interface DecidedModel {
  /** Absent if the decision is the most probable label. */
  readonly rule: DecisionRule | undefined;
  readonly labels: readonly string[];
}

/** Figures of two runs with the same kind of decision. Label sets are matched by label name. Throws RangeError for different kinds. */
export function pairedFigures(a: ComparedRun, b: ComparedRun, seed: number): PairedFigure[] {
  const [x, y] = [a.answers.kind, b.answers.kind];
  const figures = x === y ? taskNamed(x)?.comparing?.figures(a, b, seed) : undefined;
  if (figures === undefined) throw new RangeError(`expected two runs of one kind of decision, got ${x} and ${y}`);
  return figures;
}

/** Figures under an attack besides its success; `answers`: those of the later run. */
export const figuresUnderAttack = (
  answers: StoredAnswers | undefined,
  then: AttackedRun,
  now: AttackedRun,
): PairedFigure[] => (answers && taskNamed(answers.kind)?.comparing?.underAttack?.(answers, then, now)) ?? [];

/** Undefined if both decide alike. */
export function decisionDifference(a: DecidedModel, b: DecidedModel): DecisionDifference | undefined {
  const [x, y] = [a.rule, b.rule];
  if (x === undefined && y === undefined) return undefined;
  if (x?.kind === y?.kind && x !== undefined && y !== undefined)
    return taskOfRule(x).comparing?.difference({ rule: x, labels: a.labels }, { rule: y, labels: b.labels });
  return { kind: 'incomparable', what: 'decision', a: text(x), b: text(y) };
}

const text = (rule: DecisionRule | undefined): string =>
  rule === undefined ? 'the most probable label' : decisionText(rule);

/** What a difference of the decisions alone does to the figures. */
export const effectOfDifference = (rule: DecisionRule): string => taskOfRule(rule).comparing?.effect ?? '';
