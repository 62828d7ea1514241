/** @file The methods of adversarial training, and how `--adversarial` names one with its options. */
import { RobustError } from '../../../core/errors.js';
import { splitSpec } from '../../../core/plugin-options.js';
import { faultTexts, readBy } from '../../../core/read-by.js';
import { didYouMean } from '../../../core/suggest.js';
import { ascc } from './ascc.js';
import { augment } from './augment.js';
import { fgsm } from './fgsm.js';
import type { AdversarialMethod, AdversarialMethodType } from './method.js';
import { pgd } from './pgd.js';

export const adversarialMethods: readonly AdversarialMethodType[] = [fgsm, pgd, ascc, augment];

/** A method as `--adversarial` names it: `pgd:steps=5`. Throws RobustError for a method or an option that does not exist. */
export function parseMethod(spec: string): AdversarialMethod {
  const [name = ''] = spec.split(':');
  const method = adversarialMethods.find((each) => each.name === name);
  if (method === undefined)
    throw new RobustError(`--adversarial: robust has no method "${name}"`, {
      code: 'METHOD_NOT_FOUND',
      hint: didYouMean(
        name,
        adversarialMethods.map((each) => each.name),
      ),
    });
  const given = method.split?.(spec.slice(name.length + 1)) ?? splitSpec(spec).given;
  const known = Object.keys(method.options.shape);
  const unknown = [...given.keys()].find((option) => !known.includes(option));
  if (unknown !== undefined)
    throw new RobustError(`--adversarial ${name} has no option "${unknown}"`, {
      code: 'OPTION_NOT_FOUND',
      hint: didYouMean(unknown, known),
    });
  const read = readBy(method.options, Object.fromEntries(given));
  if (read.success) return method.create(read.data);
  throw new RobustError(`--adversarial ${name}: ${faultTexts(read.faults)}`, {
    code: 'METHOD_INVALID',
    hint: 'For example: --adversarial pgd:steps=3:epsilon=0.5, or --adversarial augment:typos',
  });
}
