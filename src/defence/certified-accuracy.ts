/** @file How much of a data set a vote over masked versions is certainly right on, by the number of words an attacker may replace. */

import type { Classifier } from '../core/classifier.js';
import type { Example } from '../core/dataset.js';
import type { Rate } from '../core/rate.js';
import { wilson } from '../core/stats.js';
import { certify } from './certificate.js';
import type { MaskingOptions } from './random-masking.js';

export interface CertifiedAccuracy extends MaskingOptions {
  /**
   * Share of the examples given their true label, whatever so many of their words become; from 0 words on, where it is the
   * accuracy of the vote. The intervals speak of the choice of examples alone: each certificate is certain.
   */
  readonly curve: readonly { readonly words: number; readonly accuracy: Rate }[];
}

/** Certifies each example; `done` is told how many are. */
export async function certifiedAccuracy(
  examples: AsyncIterable<Example>,
  victim: Classifier,
  options: MaskingOptions,
  { mask, done }: { readonly mask: string; readonly done?: (count: number) => void },
): Promise<CertifiedAccuracy> {
  const radii: number[] = [];
  for await (const { text, label } of examples) {
    const certificate = await certify(text, victim, options, mask);
    radii.push(certificate.label === label ? certificate.radius : -1);
    done?.(radii.length);
  }
  const furthest = Math.max(0, ...radii);
  const curve = Array.from({ length: furthest + 2 }, (_, words) => ({
    words,
    accuracy: wilson(radii.filter((radius) => radius >= words).length, radii.length),
  }));
  return { ...options, curve };
}
