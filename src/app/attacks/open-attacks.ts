/** @file Opens what attacks need besides the victim: its inside, and masked language models that guess words. */
import type { MaskedLanguageModel } from '../../model/classifiers/masked-language-model.js';
import type { PlannedAttack } from '../../run/index.js';
import type { Context } from '../context.js';
import type { OpenVictim } from '../victim/victim.js';
import { type ApplicableAttacks, applicableAttacks } from './applicable.js';

export interface MaskGuessers {
  readonly attacks: readonly PlannedAttack[];
  /** By the names that the attacks have for them. */
  readonly guessers: ReadonlyMap<string, MaskedLanguageModel>;
}

export interface OpenAttacks extends ApplicableAttacks, MaskGuessers {
  readonly attacks: readonly PlannedAttack[];
}

interface Opening {
  /** Attacks that an earlier session of the run left out. */
  readonly already?: ApplicableAttacks['leftOut'] | undefined;
  /** Where the masked language model of a name lies. */
  readonly placeOf?: ((spec: string) => string) | undefined;
}

/** The attacks that can be carried out on the victim, ready to run. Throws as `applicableAttacks` and `openGuessers` do. */
export async function openAttacks(
  chosen: readonly PlannedAttack[],
  victim: OpenVictim,
  engine: 'onnx' | 'tfjs',
  context: Context,
  { already, placeOf }: Opening = {},
): Promise<OpenAttacks> {
  const fit = await applicableAttacks(chosen, victim, engine, context.opened, already);
  return { ...fit, ...(await openGuessers(fit.attacks, context, placeOf)) };
}

/** The attacks with the masked language models that their options name, each opened once. Throws ModelError. */
export async function openGuessers(
  planned: readonly PlannedAttack[],
  { loading, opened }: Pick<Context, 'loading' | 'opened'>,
  placeOf: (spec: string) => string = (spec) => spec,
): Promise<MaskGuessers> {
  const guessers = new Map<string, MaskedLanguageModel>();
  const attacks: PlannedAttack[] = [];
  for (const attack of planned) {
    const { mlm } = attack.options;
    if (typeof mlm !== 'string' || mlm === '') {
      attacks.push(attack);
      continue;
    }
    const { openMaskedLanguageModel } = await import('../../model/classifiers/masked-language-model.js');
    const fillMask = guessers.get(mlm) ?? opened.add(await openMaskedLanguageModel(placeOf(mlm), loading(mlm)));
    guessers.set(mlm, fillMask);
    attacks.push({ ...attack, fillMask });
  }
  return { attacks, guessers };
}
