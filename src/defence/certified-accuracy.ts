/** @file How much of a data set a randomised-masking vote is certainly right on, by the number of words an attacker may change. */
import type { Classifier } from '../core/classifier.js';
import type { Example } from '../core/dataset.js';
import { random } from '../core/random.js';
import type { Rate } from '../core/rate.js';
import { wilson } from '../core/stats.js';
import { certify, type MaskingOptions } from './random-masking.js';

/** Each certificate is wrong with at most this probability. */
export const ALPHA = 0.05;

export interface CertifiedAccuracy {
  readonly rate: number;
  readonly samples: number;
  readonly alpha: number;
  /** Share of the examples whose true label no change of so many words can turn; from 0 words on. */
  readonly curve: readonly { readonly words: number; readonly accuracy: Rate }[];
  /** Examples whose vote was too close to say anything. */
  readonly abstained: number;
}

/** Certifies each example; `done` is told how many are. */
export async function certifiedAccuracy(
  examples: AsyncIterable<Example>,
  victim: Classifier,
  options: MaskingOptions,
  { mask, seed, done }: { readonly mask: string; readonly seed: number; readonly done?: (count: number) => void },
): Promise<CertifiedAccuracy> {
  const radii: number[] = [];
  let abstained = 0;
  for await (const { text, label } of examples) {
    const stream = random(seed, 'certify', text);
    const certificate = await certify(text, victim, options, { mask, alpha: ALPHA, random: stream });
    if (certificate.label === undefined) abstained += 1;
    radii.push(certificate.label === label ? certificate.radius : -1);
    done?.(radii.length);
  }
  const furthest = Math.max(0, ...radii);
  const curve = Array.from({ length: furthest + 2 }, (_, words) => ({
    words,
    accuracy: wilson(radii.filter((radius) => radius >= words).length, radii.length),
  }));
  return { rate: options.rate, samples: options.samples, alpha: ALPHA, curve, abstained };
}
