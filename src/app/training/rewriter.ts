/** @file Creates the copies of `--adversarial augment:NAME`: by attacks that choose randomly. */
import { attacks, suites } from '../../../attacks/index.js';
import { keepPlaceholders } from '../../constraints/placeholders.js';
import { RobustError } from '../../core/errors.js';
import type { Language } from '../../core/language.js';
import type { TimeLimit } from '../../core/patience.js';
import { splitSpec } from '../../core/plugin-options.js';
import { didYouMean } from '../../core/suggest.js';
import { isModuleSpec } from '../../modules/own-module.js';
import { leftOutLines } from '../../results/report/left-out.js';
import { rewriteExamples } from '../../run/augment.js';
import type { PlannedAttack } from '../../run/index.js';
import type { AdversarialOptions, Rewriter } from '../../train/index.js';
import { withoutInside, withoutLanguage } from '../attacks/applicable.js';
import { chooseAttacks } from '../attacks/choose-attacks.js';
import { openGuessers } from '../attacks/open-attacks.js';
import type { Context } from '../context.js';

/** The attacks of a suite, or the one attack, of that name. Throws RobustError. */
export async function attacksNamed(name: string, patience: TimeLimit): Promise<PlannedAttack[]> {
  if (suites.some((suite) => suite.name === name)) return chooseAttacks([name], [], {}, patience);
  const plain = splitSpec(name).name;
  if (!isModuleSpec(plain) && !attacks.some((attack) => attack.name === plain))
    throw new RobustError(`--adversarial augment: expected the name of a suite or an attack, got "${plain}"`, {
      code: 'METHOD_NOT_FOUND',
      hint: didYouMean(
        plain,
        [...suites, ...attacks].map((each) => each.name),
      ),
    });
  return chooseAttacks([], [name], {}, patience);
}

/**
 * The rewriter for all the methods' names. Attacks of a suite that need gradients are left out, with a warning. Throws
 * RobustError for unknown names, and for an attack that needs gradients and was named itself.
 */
export async function openRewriter(
  { methods }: AdversarialOptions,
  seed: number,
  language: Language,
  context: Context,
): Promise<Rewriter> {
  const { warn, patience } = context;
  const named = new Map<string, readonly PlannedAttack[]>();
  for (const spec of methods.flatMap(({ copiesBy }) => copiesBy ?? [])) {
    const chosen = await attacksNamed(spec, patience);
    const inside = withoutInside(
      chosen,
      'needs the gradients of a model',
      ({ label }) =>
        new RobustError(`--adversarial augment:${spec}: ${label} needs the gradients of a model`, {
          code: 'ATTACK_UNSUPPORTED',
          hint: 'Gradients are what fgsm and pgd learn from; augment takes attacks that rewrite texts.',
        }),
    );
    const { attacks: fitting, leftOut } = withoutLanguage(inside, language);
    for (const line of leftOutLines(leftOut)) warn(`--adversarial augment:${spec}: ${line}`);
    named.set(spec, (await openGuessers(fitting, context)).attacks);
  }
  return (name, dataset, round) =>
    rewriteExamples(
      { dataset, attacks: named.get(name) ?? [], seed, constraints: [keepPlaceholders], language },
      round,
    );
}
