/** @file Opening the masked language models that attacks name in their option `mlm`. */

import type { MaskedLanguageModel } from '../../model/classifiers/masked-language-model.js';
import type { LoadOptions } from '../../model/load.js';
import type { PlannedAttack } from '../../run/plan.js';

export interface MaskGuessers {
  /** The attacks, each with the model it names. */
  readonly attacks: readonly PlannedAttack[];
  /** By the names that attacks have for them. */
  readonly models: ReadonlyMap<string, MaskedLanguageModel>;
  close(): Promise<void>;
}

/** Opens each model once; `loading` says how one of that name is loaded, `placeOf` where it lies. Throws ModelError. */
export async function openGuessers(
  planned: readonly PlannedAttack[],
  loading: (spec: string) => LoadOptions,
  placeOf: (spec: string) => string = (spec) => spec,
): Promise<MaskGuessers> {
  const open = new Map<string, MaskedLanguageModel>();
  const close = async () => {
    for (const model of open.values()) await model.close();
  };
  try {
    const attacks: PlannedAttack[] = [];
    for (const attack of planned) {
      const { mlm } = attack.options;
      if (typeof mlm !== 'string' || mlm === '') {
        attacks.push(attack);
        continue;
      }
      let fillMask = open.get(mlm);
      if (fillMask === undefined) {
        const { openMaskedLanguageModel } = await import('../../model/classifiers/masked-language-model.js');
        fillMask = await openMaskedLanguageModel(placeOf(mlm), loading(mlm));
        open.set(mlm, fillMask);
      }
      attacks.push({ ...attack, fillMask });
    }
    return { attacks, models: open, close };
  } catch (error) {
    await close();
    throw error;
  }
}
