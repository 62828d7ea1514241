/** @file Commands that know nothing but one label a text refuse other models before they cost anything. */
import { RobustError } from '../../core/errors.js';
import type { LoadedModel } from '../../model/load.js';
import { taskNamed } from '../../tasks/index.js';

/** Throws RobustError for a model of label sets, of numbers or of pairs; `command` is what cannot be done with it. */
export function checkOneLabel({ name, decision, pairs }: LoadedModel, command: string): void {
  const kind = taskNamed(decision?.kind ?? 'argmax')?.words?.each ?? (pairs ? 'pairs of texts' : undefined);
  if (kind === undefined) return;
  throw new RobustError(
    `${command}: expected a model that gives each text one label, got ${name}, a model of ${kind}`,
    {
      code: 'TASK_UNSUPPORTED',
      hint: `robust attack and robust evaluate take it. If it gives one label after all, say "decision": { "kind": "argmax" } in its robust.json.`,
    },
  );
}
