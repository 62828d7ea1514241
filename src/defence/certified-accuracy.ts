/** @file How much of a data set a vote is certified to be right on, by how much an attacker may change. */
import type { Classifier } from '../core/classifier.js';
import type { Example } from '../core/dataset.js';
import { queryText } from '../core/pair.js';
import type { Rate } from '../core/statistics/rate.js';
import { wilson } from '../core/statistics/stats.js';
import { certify } from './certificate.js';
import { certifyEdits, type EditRadii } from './deletion-certificate.js';
import type { DeletionOptions } from './random-deletion.js';
import type { MaskingOptions } from './random-masking.js';

export interface CertifiedAccuracy extends MaskingOptions {
  /**
   * Share of the examples that keep their true label whatever replaces this number of words; for 0 words, the accuracy of the vote. The
   * intervals cover the sampling of examples only, because each certificate is certain.
   */
  readonly curve: readonly { readonly words: number; readonly accuracy: Rate }[];
}

/** Certifies each example; `done` receives the number so far. */
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

/**
 * Share of the examples that keep their true label under any edits of this number of words or characters: of all kinds, or of a single
 * kind.
 */
export interface CertifiedEdits extends DeletionOptions {
  /** From no edit on, where it is the share whose vote is certain to be that of all versions. */
  readonly curve: readonly ({ readonly count: number } & Readonly<Record<keyof EditRadii, Rate>>)[];
  /** Examples whose vote is too close for a certificate: they count as wrong in the curve. */
  readonly abstained: Rate;
}

/** As `certifiedAccuracy`, of a vote over versions with deletions. */
export async function certifiedEdits(
  examples: AsyncIterable<Example>,
  victim: Classifier,
  options: DeletionOptions,
  { done }: { readonly done?: (count: number) => void },
): Promise<CertifiedEdits> {
  const right: (EditRadii | undefined)[] = [];
  let abstained = 0;
  for await (const example of examples) {
    const { label, radii } = await certifyEdits(queryText(example.text, example), victim, options);
    if (radii === undefined) abstained++;
    right.push(label === example.label ? radii : undefined);
    done?.(right.length);
  }
  const rate = (kind: keyof EditRadii, count: number): Rate =>
    wilson(right.filter((radii) => radii !== undefined && radii[kind] >= count).length, right.length);
  const furthest = Math.max(0, ...right.map((radii) => Math.max(...Object.values(radii ?? { none: 0 }))));
  const curve = Array.from({ length: furthest + 2 }, (_, count) => ({
    count,
    edits: rate('edits', count),
    insertions: rate('insertions', count),
    deletions: rate('deletions', count),
  }));
  return { ...options, curve, abstained: wilson(abstained, right.length) };
}
