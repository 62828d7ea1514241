/** @file How well adversarial texts can be told from ordinary ones. */
import { type Document, type Estimate, note, type Rate, strong, table } from '../../src/plugin.js';
import { estimate, percent } from '../figures.js';

export interface DetectionData {
  readonly run: string;
  readonly model: string;
  readonly wantedFrr: number;
  readonly clean: { readonly learnt: number; readonly calibration: number; readonly test: number };
  readonly detectors: readonly {
    readonly name: string;
    readonly frr: Rate;
    readonly attacks: readonly { readonly name: string; readonly auroc: Estimate | null; readonly detected: Rate }[];
  }[];
  /** Why the figures are not evidence. */
  readonly reasons: readonly string[];
}

/** A section an attack: one row a detector. */
export function detectionDocument({ run, model, wantedFrr, clean, detectors, reasons }: DetectionData): Document {
  const attacks = detectors[0]?.attacks ?? [];
  return {
    title: `Adversarial texts detected, ${model}`,
    lead: [strong(model), `, run ${run}`],
    ...(reasons.length > 0 && { inconclusive: reasons }),
    sections: [
      ...attacks.map(({ name, detected: first }, at) => ({
        id: `attack-${at}`,
        title: `${name}, ${first.n} adversarial texts`,
        blocks: [
          table(
            `Detectors against ${name}`,
            ['detector', 'AUROC', 'detected', 'clean rejected'],
            detectors.map((detector) => {
              const { auroc, detected } = detector.attacks[at] as (typeof attacks)[number];
              return [detector.name, estimate(auroc), { rate: detected }, { rate: detector.frr }];
            }),
          ),
        ],
      })),
      {
        id: 'about',
        blocks: [
          note(
            `Thresholds set to reject ${percent(wantedFrr)} of ${clean.calibration} clean texts, learnt from ${clean.learnt}, tested on ${clean.test} others. In brackets 95 % intervals. The attacks did not know of the detectors.`,
          ),
        ],
      },
    ],
  };
}
