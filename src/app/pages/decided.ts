/** @file A decision on the page: the answer and its threshold, the goals of an attack, and its progress. */

import type { Example } from '../../core/dataset.js';
import { type Decision, decisionText, isDetector, isLabeller, isRegressor } from '../../core/decision.js';
import { defined } from '../../core/defined.js';
import { scoreTexts } from '../../core/score-text.js';
import type { FoundSpan } from '../../core/tags/span.js';
import type { LoadedModel } from '../../model/load.js';
import type { AttackWords, ModelFacts, PlaygroundAnswer } from '../../ui/source.js';

type AnsweringModel = Pick<LoadedModel, 'name' | 'labels'>;

/** A score and the threshold beside it. */
function besideThreshold(score: number, at: number): readonly [score: string, threshold: string] {
  const { scores, threshold } = scoreTexts([score], { threshold: at, least: 3 });
  return [scores[0]!, threshold];
}

export function answerOf({ name, labels }: AnsweringModel, decision: Decision, row: Float32Array): PlaygroundAnswer {
  if (isRegressor(decision)) return { model: name, said: decision.value(row).toFixed(3), scores: [] };
  const decided = decision.labels(row);
  const scores = labels.map((label, at) => {
    const threshold = thresholdOf(decision, label, at);
    return {
      ...{ label, score: row[at]!, decided: decided.includes(at) },
      ...defined({ threshold }),
    };
  });
  if (isDetector(decision)) {
    const { at, positive } = decision.rule;
    const flagged = decision.detects(row);
    const [score, threshold] = besideThreshold(decision.score(row), at);
    return {
      model: name,
      said: flagged ? `${positive.join(' or ')}: detected` : `${positive.join(' or ')}: not detected`,
      note: `The score ${score} ${flagged ? 'reaches' : 'is below'} the threshold ${threshold}.`,
      scores,
    };
  }
  const nameOf = (which: readonly number[], between: string): string => which.map((at) => labels[at]).join(between);
  const tied = decision.tied(row);
  if (tied.length > 0) return { model: name, said: `${nameOf(tied, ' and ')} tied`, scores };
  const found = nameOf(decided, ' + ');
  if (!isLabeller(decision)) return { model: name, said: found, scores };
  return { model: name, said: found || 'no label', boxes: true, scores };
}

/** The entities that a model finds in a text. */
export function entitiesAnswer(name: string, text: string, spans: readonly FoundSpan[]): PlaygroundAnswer {
  const scores = spans.map(({ start, end, type, score }) => ({
    label: `${text.slice(start, end)} (${type})`,
    score,
    decided: true,
  }));
  return { model: name, said: scores.map(({ label }) => label).join(', ') || 'no entity', scores };
}

/** The surest entity that a model finds, as an example to be lost. */
export function surestEntity(spans: readonly FoundSpan[], labels: readonly string[]) {
  const entities = spans.map(({ start, end, type }) => ({ start, end, type }));
  const entity = spans.reduce((best, { score }, at) => (score > (spans[best]?.score ?? -1) ? at : best), 0);
  return { entities, entity, label: labels.indexOf(entities[entity]!.type) };
}

/** The score from which on a label counts, where its own score decides. */
function thresholdOf(decision: Decision, name: string, label: number): number | undefined {
  if (isLabeller(decision)) return decision.rule.at[label];
  return isDetector(decision) && decision.rule.positive.includes(name) ? decision.rule.at : undefined;
}

/** The model's answer, taken as the truth that the attack is to change. */
export function truthOf(decision: Decision, row: Float32Array): Pick<Example, 'label' | 'labels' | 'value'> {
  if (isRegressor(decision)) return { label: 0, value: decision.value(row) };
  const label = decision.label(row);
  return isLabeller(decision) ? { label, labels: decision.labels(row) } : { label };
}

/** Goals by name, as --goal takes them, and in words. */
const GOALS = {
  detector: [
    ['evade', 'make it miss'],
    ['alarm', 'raise a false alarm'],
  ],
  sets: [
    ['label-lost', 'make it lose a label'],
    ['label-gained', 'make it add a label'],
  ],
  number: [
    ['moved', 'change the number'],
    ['moved:direction=up', 'raise the number'],
    ['moved:direction=down', 'lower the number'],
  ],
  label: [['untargeted', 'change the answer']],
  tags: [['lose', 'lose the surest entity']],
} as const;

const goalsOf = (decision: Decision) => {
  if (decision.tags !== undefined) return GOALS.tags;
  if (isDetector(decision)) return GOALS.detector;
  if (isLabeller(decision)) return GOALS.sets;
  return isRegressor(decision) ? GOALS.number : GOALS.label;
};

export const factsOf = (
  { pairs, columns, labels }: Pick<LoadedModel, 'pairs' | 'columns' | 'labels'>,
  decision: Decision,
  named: readonly string[] | undefined,
): ModelFacts => {
  const texts = named ?? columns?.texts ?? (pairs ? ['First text', 'Second text'] : undefined);
  const { rule, tags } = decision;
  return {
    decision:
      rule === undefined
        ? `${tags === undefined ? 'the most probable of' : 'spans of'} ${labels.join(', ')}`
        : rule.kind === 'regression'
          ? 'a number'
          : decisionText(rule),
    goals: goalsOf(decision).map(([name, title]) => ({ name, title })),
    truths: goalsOf(decision) === GOALS.label ? labels : [],
    ...(texts && { texts: [texts[0]!, texts[1]!] as const }),
  };
};

/** The goal of that name, or the one that fits what was decided: what is detected is to be missed, what is not is to raise an alarm. */
export function goalFor(decision: Decision, row: Float32Array, requested: string | undefined): string {
  const goals = goalsOf(decision);
  const found = goals.find(([name]) => name === requested);
  if (found !== undefined) return found[0];
  if (isDetector(decision)) return decision.detects(row) ? 'evade' : 'alarm';
  if (isLabeller(decision) && decision.labels(row).length === 0) return 'label-gained';
  return goals[0][0];
}

/** The words for a success and a failure of an attack with this goal; `said`: the answer to the unedited text, `known`: that its truth was given. */
export function wordsFor(decision: Decision, goal: string, said: string, known: boolean): AttackWords {
  if (isDetector(decision)) {
    return goal === 'alarm'
      ? { succeeded: 'False alarm raised', failed: 'No false alarm', skipped: 'Not attacked: it is detected already' }
      : {
          succeeded: 'Missed: the attack got past the detector',
          failed: 'Still detected',
          skipped: 'Not attacked: it is not detected',
        };
  }
  if (isLabeller(decision)) {
    return goal === 'label-gained'
      ? { succeeded: 'The attack added a label', failed: 'No label was added', skipped: 'Not attacked' }
      : {
          succeeded: 'The attack removed a label',
          failed: 'All labels were still found',
          skipped: 'Not attacked: it has no label to lose',
        };
  }
  return {
    succeeded: 'The attack succeeded',
    failed: `The model still says ${said}${known ? '' : ', which is assumed to be right: see True label'}`,
    skipped: `Not attacked: the model says ${said}, so it is wrong before any edit`,
  };
}

/** The score that an attack on label sets lowers. */
const LEAST_TRUE = 'lowest true-label score';

/** How far an attack is, from 1 (as at first) down, and in words. */
export function stepOf(decision: Decision, example: Example, row: Float32Array) {
  if (isRegressor(decision)) {
    const value = decision.value(row);
    return { confidence: 1 / (1 + Math.abs(value - (example.value ?? value))), said: `answer ${value.toFixed(3)}` };
  }
  if (isDetector(decision)) {
    const { at } = decision.rule;
    const [score] = besideThreshold(decision.score(row), at);
    return { confidence: decision.confidence(row, example), said: `score ${score}` };
  }
  const confidence = decision.confidence(row, example);
  return { confidence, said: `${isLabeller(decision) ? LEAST_TRUE : 'confidence'} ${confidence.toFixed(3)}` };
}
