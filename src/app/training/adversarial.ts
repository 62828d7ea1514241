/** @file From the settings of adversarial training to what adversarial training is told. */

import { z } from 'zod';
import { UsageError } from '../../core/errors.js';
import { type GivenOptions, splitSpec } from '../../core/plugin-options.js';
import { didYouMean } from '../../core/suggest.js';
import type { AdversarialMethod, AdversarialOptions } from '../../train/index.js';

export interface AdversarialChoice {
  readonly adversarial?: readonly string[] | undefined;
  readonly alpha: number;
}

const norm = (by: 'linf' | 'l2') => z.enum(['linf', 'l2']).default(by);
const steps = (count: number) => z.coerce.number().int().min(1).max(100).default(count);
const epsilon = z.coerce.number().positive().default(0.2);
const length = (epsilons: number) => z.coerce.number().min(0).max(10).default(epsilons);

/** The options of each method, with its defaults. */
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

const KINDS = Object.keys(METHODS) as (keyof typeof METHODS)[];
const AUGMENT_OPTIONS = z.strictObject({
  once: z.stringbool().default(false),
  queries: z.coerce.number().int().min(0).default(0),
});
/** What stands before the name of a suite or an attack. */
const AUGMENT = 'augment:';

/** Undefined where no method is named. Throws UsageError for an unknown method or option, and for options of a method that is not named. */
export function adversarialOptions(choice: AdversarialChoice): AdversarialOptions | undefined {
  const methods = (choice.adversarial ?? []).map(methodOf);
  return methods.length === 0 ? undefined : { alpha: choice.alpha, methods };
}

function methodOf(spec: string): AdversarialMethod {
  if (spec.startsWith(AUGMENT)) {
    const { attacks, own } = augmentSpec(spec.slice(AUGMENT.length));
    const { once, queries } = parsed('augment', AUGMENT_OPTIONS, own);
    return { kind: 'augment', attacks, refresh: !once, queries };
  }
  const { name, given: own } = splitSpec(spec);
  const kind = KINDS.find((each) => each === name);
  if (kind === undefined) {
    throw new UsageError(`--adversarial: expected the name of a method, got "${name}"`, {
      code: 'ADVERSARIAL_METHOD',
      hint: didYouMean(name, [...KINDS, `${AUGMENT}typos`]),
    });
  }
  return { kind, ...parsed(kind, METHODS[kind] as z.ZodObject, own) } as AdversarialMethod;
}

/** The suite or attack that makes the copies, with the options of an attack, and the options of the method itself. */
function augmentSpec(text: string): { readonly attacks: string; readonly own: GivenOptions } {
  const own = new Map<string, string>();
  const attacks = text.replace(/:(once|queries)=([^:]*)/g, (_, name: string, value: string) => {
    own.set(name, value);
    return '';
  });
  return { attacks, own };
}

function parsed<S extends z.ZodObject>(kind: string, schema: S, given: GivenOptions): z.output<S> {
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
