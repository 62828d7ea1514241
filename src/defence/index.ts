/** @file The defences that `--defend` names. */

import type { DefencePlugin } from '../core/defence.js';
import { canonicalSynonyms } from './canonical-synonyms.js';
import { encodings } from './encodings.js';
import { joinLetters } from './join-letters.js';
import { rsDel } from './random-deletion.js';
import { ranmask } from './random-masking.js';
import { shield } from './shield.js';
import { spelling } from './spelling.js';
import { safer } from './synonym-smoothing.js';
import { unicode } from './unicode.js';

export type { Defence, DefenceContext, DefencePlugin } from '../core/defence.js';
export {
  type CertifiedAccuracy,
  type CertifiedEdits,
  certifiedAccuracy,
  certifiedEdits,
} from './certified-accuracy.js';
export type { EditRadii } from './deletion-certificate.js';
export type { DeletionOptions } from './random-deletion.js';
export type { MaskingOptions } from './random-masking.js';
export { withDefences } from './with-defences.js';

export const defences = [
  spelling,
  unicode,
  shield,
  joinLetters,
  encodings,
  canonicalSynonyms,
  ranmask,
  rsDel,
  safer,
] as readonly DefencePlugin[];
