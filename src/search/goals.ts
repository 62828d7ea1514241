/** @file What an attack wants of the victim, and how near a prediction is to it. */
import { z } from 'zod';
import { argmax } from '../core/argmax.js';
import { goal } from '../core/component.js';
import { UsageError } from '../core/errors.js';
import type { ComponentPlugin } from '../core/plugin.js';
import type { Goal } from '../core/search.js';
import { didYouMean } from '../core/suggest.js';

/** Any label but the true one. Score: 1 - P(true label), TextAttack's UntargetedClassification. */
export const untargeted: Goal = {
  name: 'untargeted',
  score: (probabilities, label) => 1 - (probabilities[label] as number),
  reached: (probabilities, label) => argmax(probabilities) !== label,
};

/** The label with index `target`. Score: P(target). Throws RangeError unless it is an index. */
export function targeted(target: number): Goal {
  if (!Number.isInteger(target) || target < 0) {
    throw new RangeError(`targeted(label): expected the index of a label, got ${target}`);
  }
  return {
    name: `targeted at label ${target}`,
    target,
    score: (probabilities) => probabilities[target] ?? 0,
    reached: (probabilities) => argmax(probabilities) === target,
  };
}

/** The goal, reached only where the model is so sure of a label that serves it: P of that label at least `least`. */
export function surely(wanted: Goal, least: number): Goal {
  return {
    ...wanted,
    name: `${wanted.name}, of a probability of at least ${least}`,
    reached: (probabilities, label) =>
      wanted.reached(probabilities, label) && (probabilities[argmax(probabilities)] as number) >= least,
  };
}

const confidence = z.number().min(0).max(1).default(0).describe('least probability of the label that serves it');

const sure = (wanted: Goal, least: number): Goal => (least > 0 ? surely(wanted, least) : wanted);

/** The index of a label given by name, in any case, or by index. Throws UsageError. */
function indexOf(label: string, labels: readonly string[]): number {
  const named = labels.findIndex((each) => each.toLowerCase() === label.toLowerCase());
  const index = named === -1 && /^\d+$/.test(label) ? Number(label) : named;
  if (index >= 0 && index < labels.length) return index;
  throw new UsageError(`expected one of the model's labels as the target, got "${label}"`, {
    code: 'TARGET',
    hint: `${didYouMean(label, labels)} For example: --goal targeted:label=${labels[0] ?? 'spam'}`,
  });
}

/** The goals by name. What input-reduction wants, fewer words, is its own alone: no other attack's success could be told by it. */
export const goals: readonly ComponentPlugin<'goal'>[] = [
  goal({
    name: 'untargeted',
    summary: 'Any label but the true one.',
    options: { confidence },
    create: (chosen) => sure(untargeted, chosen.confidence),
  }),
  goal({
    name: 'targeted',
    summary: 'This label, whatever the true one.',
    main: 'label',
    options: { label: z.string().default('').describe('the label wanted, by name or index; needed'), confidence },
    create: (chosen, labels = []) => sure(targeted(indexOf(chosen.label, labels)), chosen.confidence),
  }),
];
