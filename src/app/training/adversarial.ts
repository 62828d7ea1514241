/** @file From the settings of adversarial training to what adversarial training is told. */

import { z } from 'zod';
import { UsageError } from '../../core/errors.js';
import { type GivenOptions, splitSpec } from '../../core/plugin-options.js';
import { didYouMean } from '../../core/suggest.js';
import type { AdversarialMethod, AdversarialOptions } from '../../train/index.js';

export interface AdversarialChoice {
  readonly adversarial?: readonly string[] | undefined;
  readonly alpha: number;
  readonly epsilon: number;
  readonly augmentOnce: boolean;
  readonly augmentQueries: number;
}

const norm = (by: 'linf' | 'l2') => z.enum(['linf', 'l2']).default(by);
const steps = (count: number) => z.coerce.number().int().min(1).max(100).default(count);
const epsilon = z.coerce.number().positive();
const length = (epsilons: number) => z.coerce.number().min(0).max(10).default(epsilons);

/** The options of each method, with its defaults. `--epsilon` is the default of the option of that name. */
const METHODS = {
  fgsm: z.strictObject({ epsilon, norm: norm('linf') }),
  pgd: z.strictObject({ epsilon, norm: norm('linf'), steps: steps(3) }),
  freelb: z.strictObject({ epsilon, steps: steps(3), start: length(0.5), stride: length(0.5) }),
  smart: z.strictObject({ epsilon, norm: norm('linf'), steps: steps(1) }),
  a2t: z.strictObject({ rate: z.coerce.number().gt(0).max(1).default(0.1) }),
  hotflip: z.strictObject({ flips: z.coerce.number().int().min(1).max(100).default(1) }),
  ascc: z.strictObject({ sharpness: z.coerce.number().min(0).default(5), steps: steps(3) }),
  dne: z.strictObject({}),
} as const;

type MethodKind = keyof typeof METHODS;
const KINDS = Object.keys(METHODS) as MethodKind[];
/** What stands before the name of a suite or an attack. */
const AUGMENT = 'augment:';

/** Undefined where no method is named. Throws UsageError for an unknown method or option, and for options of a method that is not named. */
export function adversarialOptions(choice: AdversarialChoice): AdversarialOptions | undefined {
  const methods = (choice.adversarial ?? []).map((spec) => methodOf(spec, choice));
  const idle = choice.augmentOnce ? 'augment-once' : choice.augmentQueries > 0 ? 'augment-queries' : undefined;
  if (idle !== undefined && !methods.some(({ kind }) => kind === 'augment')) {
    throw new UsageError(`--${idle}: expected --adversarial ${AUGMENT}NAME with it, got none`, {
      code: 'ADVERSARIAL_METHOD',
      hint: `For example: --adversarial ${AUGMENT}typos --${idle}${idle === 'augment-queries' ? ' 60' : ''}`,
    });
  }
  return methods.length === 0 ? undefined : { alpha: choice.alpha, methods };
}

function methodOf(spec: string, choice: AdversarialChoice): AdversarialMethod {
  const { epsilon: given, augmentOnce: once, augmentQueries: queries } = choice;
  if (spec.startsWith(AUGMENT))
    return { kind: 'augment', attacks: spec.slice(AUGMENT.length), refresh: !once, queries };
  const { name, given: own } = splitSpec(spec);
  const kind = KINDS.find((each) => each === name);
  if (kind === undefined) {
    throw new UsageError(`--adversarial: expected the name of a method, got "${name}"`, {
      code: 'ADVERSARIAL_METHOD',
      hint: didYouMean(name, [...KINDS, `${AUGMENT}typos`]),
    });
  }
  const sized = Object.hasOwn(METHODS[kind].shape, 'epsilon');
  const options = new Map([...(sized ? [['epsilon', String(given)] as const] : []), ...own]);
  return { kind, ...parsed(kind, options) } as AdversarialMethod;
}

function parsed(kind: MethodKind, given: GivenOptions): object {
  const schema = METHODS[kind];
  const unknown = [...given.keys()].find((name) => !Object.hasOwn(schema.shape, name));
  if (unknown !== undefined) {
    throw new UsageError(`--adversarial ${kind} has no option "${unknown}"`, {
      code: 'ADVERSARIAL_METHOD',
      hint: didYouMean(unknown, Object.keys(schema.shape)),
    });
  }
  const result = schema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  const wrong = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new UsageError(`--adversarial ${kind}: ${wrong.join('; ')}`, {
    code: 'ADVERSARIAL_METHOD',
    hint: 'For example: --adversarial freelb:steps=3:epsilon=0.5',
  });
}
