/** @file A decision on the page: the answer and its threshold, the goals of an attack, and its progress. */
import type { Example } from '../../core/dataset.js';
import type { Decision, Truth } from '../../core/decision.js';
import { must } from '../../core/errors.js';
import type { FoundSpan } from '../../core/tags/span.js';
import type { LoadedModel } from '../../model/load.js';
import { taskOf } from '../../tasks/index.js';
import { answersInWords } from '../../tasks/words.js';
import type { AttackWords, ModelFacts, PlaygroundAnswer } from '../../ui/source.js';

type AnsweringModel = Pick<LoadedModel, 'name' | 'labels'>;

export const answerOf = (
  { name, labels }: AnsweringModel,
  decision: Decision,
  row: Float32Array,
): PlaygroundAnswer => ({ model: name, ...taskOf(decision).page.answer(decision, labels, row) });

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
  return { entities, entity, label: labels.indexOf(must(entities[entity]).type) };
}

/** The model's answer, taken as the truth that the attack is to change. */
export const truthOf = (decision: Decision, row: Float32Array): Truth => taskOf(decision).page.truth(decision, row);

export const factsOf = (
  { pairs, columns, labels }: Pick<LoadedModel, 'pairs' | 'columns' | 'labels'>,
  decision: Decision,
  named: readonly string[] | undefined,
): ModelFacts => {
  const texts = named ?? columns?.texts ?? (pairs ? ['First text', 'Second text'] : undefined);
  const { rule, tags } = decision;
  const { goals, oneTruth } = taskOf(decision).page;
  return {
    decision:
      rule === undefined
        ? `${tags === undefined ? 'the most probable of' : 'spans of'} ${labels.join(', ')}`
        : answersInWords(rule),
    goals: goals.map(([name, title]) => ({ name, title })),
    truths: oneTruth ? labels : [],
    ...(texts && { texts: [must(texts[0]), must(texts[1])] as const }),
  };
};

/** The goal of that name, or the one that fits the answer. */
export function goalFor(decision: Decision, row: Float32Array, requested: string | undefined): string {
  const { goals, goalFor: fitting } = taskOf(decision).page;
  const found = goals.find(([name]) => name === requested);
  return found?.[0] ?? fitting?.(decision, row) ?? goals[0][0];
}

/** The words for a success and a failure of an attack with this goal; `said`: the answer to the unedited text, `known`: that its truth was given. */
export const wordsFor = (decision: Decision, goal: string, said: string, known: boolean): AttackWords =>
  taskOf(decision).page.words?.(goal) ?? {
    succeeded: 'The attack succeeded',
    failed: `The model still says ${said}${known ? '' : ', which is assumed to be right: see True label'}`,
    skipped: `Not attacked: the model says ${said}, so it is wrong before any edit`,
  };

/** How far an attack is, from 1 (as at first) down, and in words. */
export const stepOf = (decision: Decision, example: Example, row: Float32Array) =>
  taskOf(decision).page.step(decision, example, row);
