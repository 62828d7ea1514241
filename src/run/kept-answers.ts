/**
 * @file The answers to the unedited texts that a finished run keeps: what its outcomes cannot show, such as the area under a curve, is counted
 * again from them.
 */
import { closeSync, existsSync, statSync } from 'node:fs';
import { isRefusal } from '../core/refusal.js';
import { openToRead } from '../files/read.js';
import type { CleanMetrics } from '../results/clean/clean-metrics.js';
import { differs } from '../results/report/recount.js';
import { cleanFold } from '../tasks/clean.js';
import { decisionOf } from '../tasks/decide.js';
import { answersIn } from './answer-file.js';
import { hasAnswer } from './answers.js';
import type { RunFolder } from './folder.js';

/** Answers of more bytes are deleted with the end of the run: four million texts with two labels. */
export const MOST_KEPT = 64 * 2 ** 20;

/** Counted by other means than the answers: by what the victim said of tags, at another precision, when asked again, and of the texts. */
const UNCOUNTED = new Set<string>(['approximation', 'repeatability', 'tags', 'texts'] satisfies (keyof CleanMetrics)[]);

/** Whether the figures of the unedited texts can be counted again. */
export const keepsAnswers = ({ answers }: RunFolder): boolean =>
  existsSync(answers) && statSync(answers).size <= MOST_KEPT;

/** The first figure that the answers contradict; undefined where they contradict none, or are not kept. */
export function contradictedByAnswers(folder: RunFolder): string | undefined {
  const { answers, record } = folder;
  const { clean, model } = record;
  if (clean === undefined || !keepsAnswers(folder)) return undefined;
  const decision = decisionOf(model.decision, model.labels);
  const fold = cleanFold(model.labels, undefined, decision);
  let count = 0;
  const file = openToRead(answers, MOST_KEPT);
  try {
    for (const { row, ...truth } of answersIn(file, model.labels.length, decision.truth)) {
      count++;
      if (!isRefusal(row) && hasAnswer(row)) fold.add(truth, row);
    }
  } catch (error) {
    return `clean.bin: ${(error as Error).message}`;
  } finally {
    closeSync(file);
  }
  if (count !== clean.examples) return `clean.bin: expected the answers to ${clean.examples} texts, got ${count}`;
  const what = contradicted(fold.metrics(), clean.metrics);
  return what && `run.json: clean.${what}`;
}

function contradicted(counted: CleanMetrics, stated: CleanMetrics): string | undefined {
  const kept = (metrics: CleanMetrics): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(metrics).filter(
        ([name, value]) =>
          value !== undefined &&
          !UNCOUNTED.has(name) &&
          // Of a model that tags, by its tags.
          !(name === 'degenerate' && stated.tags !== undefined),
      ),
    );
  const [ours, theirs] = [kept(counted), kept(stated)];
  const one =
    Object.keys(ours).find((name) => !(name in theirs)) ?? Object.keys(theirs).find((name) => !(name in ours));
  if (one !== undefined) return `${one}: expected ${one in ours ? 'a value' : 'none'} by its answers`;
  return differs(ours, theirs)?.replace('by its outcomes', 'by its answers');
}
