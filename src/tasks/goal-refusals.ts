/** @file What a goal refuses: decisions of another task, and labels that the model does not have. */
import type { Decision } from '../core/decision.js';
import { RobustError } from '../core/errors.js';
import { labelHint } from '../core/label-words.js';

/** The index of a label given by name, in any case, or by index. Throws RobustError. */
export function labelIndex(label: string, labels: readonly string[], goal: string): number {
  const named = labels.findIndex((each) => each.toLowerCase() === label.toLowerCase());
  const index = named === -1 && /^\d+$/.test(label) ? Number(label) : named;
  if (index >= 0 && index < labels.length) return index;
  throw new RobustError(`expected one of the model's labels as the label of the goal "${goal}", got "${label}"`, {
    code: 'LABEL_NOT_FOUND',
    hint: `${labelHint(label, labels)} For example: --goal ${goal}:label=${labels[0] ?? 'spam'}`,
  });
}

/** A goal that only some decisions support. Throws RobustError. */
export function requiredTask<D extends Decision>(
  name: string,
  kind: NonNullable<D['rule']>['kind'],
  needs: string,
  decision: Decision,
): D {
  if (decision.rule?.kind === kind) return decision as D;
  throw new RobustError(`the goal "${name}" needs ${needs}`, {
    code: 'GOAL_UNSUPPORTED',
    hint: 'See docs/reference/decisions.md. Without it: --goal untargeted, or targeted:label=LABEL.',
  });
}
