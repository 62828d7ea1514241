/** @file The defences that `--defend` names. */
import type { Classifier } from '../core/classifier.js';
import type { Example } from '../core/dataset.js';
import type { DefencePlugin } from '../core/defence.js';
import { canonicalSynonyms } from './canonical-synonyms.js';
import {
  type CertifiedAccuracy,
  type CertifiedEdits,
  certifiedAccuracy,
  certifiedEdits,
} from './certified-accuracy.js';
import { joinLetters } from './join-letters.js';
import { rsDel } from './random-deletion.js';
import { ranmask } from './random-masking.js';
import { shield } from './shield.js';
import { spelling } from './spelling.js';
import { unicode } from './unicode.js';

export type { Defence, DefenceContext, DefencePlugin } from '../core/defence.js';
export type { CertifiedAccuracy, CertifiedEdits } from './certified-accuracy.js';
export type { EditRadii } from './deletion-certificate.js';
export { withDefences } from './with-defences.js';

/** A defence whose vote is certified on examples (`--certify`). */
export interface CertifiedDefence extends DefencePlugin {
  certify(
    examples: AsyncIterable<Example>,
    victim: Classifier,
    options: unknown,
    hooks: { readonly mask: string; readonly done: (count: number) => void },
  ): Promise<CertifiedAccuracy | CertifiedEdits>;
}

export const isCertified = (plugin: DefencePlugin): plugin is CertifiedDefence => 'certify' in plugin;

export const defences = [
  spelling,
  unicode,
  shield,
  joinLetters,
  canonicalSynonyms,
  { ...ranmask, certify: certifiedAccuracy },
  { ...rsDel, certify: certifiedEdits },
] as readonly DefencePlugin[];
