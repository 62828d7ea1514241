/** @file Transfer attacks: adversarial texts are found on a surrogate, which costs nothing to query, and the victim is queried once with each. */
import { join } from 'node:path';
import { RobustError } from '../../core/errors.js';
import { PRIVATE, writeWhole } from '../../files/write.js';
import type { Report } from '../../results/report/report.js';
import type { AttackChoice } from '../runs/attack-plan.js';
import { transferChoice, transferText } from './transfer-attack.js';

/**
 * The choice of attacks that queries the adversarial texts of a surrogate, which are kept in the folder of its run. Throws RobustError
 * without any.
 */
export async function transferred(
  choice: AttackChoice,
  surrogate: string,
  { path, report }: { readonly path: string; readonly report: Report },
): Promise<AttackChoice> {
  const { text, count } = await transferText(report);
  if (count === 0)
    throw new RobustError(`--surrogate: expected texts that ${surrogate} falls for, got none`, {
      code: 'EXAMPLES_TOO_FEW',
      hint: 'Take more examples (-n), other attacks, or another surrogate.',
    });
  const file = join(path, 'transfer.jsonl');
  writeWhole(file, text, 'the texts that the surrogate fell for', PRIVATE);
  return { ...choice, ...transferChoice(file), numExamples: 0 };
}
