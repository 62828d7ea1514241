/** @file Who guesses the words of an attack that fills gaps: an option of it, and part of the name of every result. */
import { z } from 'zod';
import type { EvasionAttack } from '../core/plugin.js';

/** The option `mlm` of an attack that fills gaps. */
export const mlmOption = () =>
  z
    .string()
    .default('')
    .describe('folder of a masked language model as ONNX (--mlm); none: n-grams of the texts at hand');

/** The attack with its guesser named among its constraints: a success rate says little without it. */
export const guesserNamed = (mlm: string, attack: EvasionAttack): EvasionAttack => ({
  ...attack,
  constraints: [
    `words guessed by ${mlm === '' ? 'n-grams of the texts at hand' : `the masked language model ${mlm}`}`,
    ...attack.constraints,
  ],
});
