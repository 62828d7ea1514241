/** @file How well detectors separate adversarial texts from ordinary ones. */
import { type Document, type Estimate, type Inline, note, type Rate, strong, table } from '../../src/plugin.js';
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

/** The best detector on the attack that it detects least. */
function resultOf({ detectors, wantedFrr, reasons }: DetectionData): Inline[] {
  if (reasons.length > 0) return [`Inconclusive: ${reasons[0]}`];
  const worst = detectors.flatMap(({ name, attacks }) => {
    const [hardest] = attacks.toSorted((one, next) => (one.detected.value ?? 0) - (next.detected.value ?? 0));
    return hardest === undefined ? [] : [{ detector: name, attack: hardest.name, rate: hardest.detected }];
  });
  const [best] = worst.sort((one, next) => (next.rate.value ?? 0) - (one.rate.value ?? 0));
  if (best === undefined) return [];
  const which = (detectors[0]?.attacks.length ?? 0) > 1 ? `${best.attack}, the attack it detects least` : best.attack;
  return [
    `The best detector, ${best.detector}, detects `,
    { rate: best.rate, style: 'strong' },
    ` of ${best.rate.n} adversarial texts of ${which}, at ${percent(wantedFrr)} false rejections`,
  ];
}

/** A section for each attack, a row for each detector. */
export function detectionDocument(data: DetectionData): Document {
  const { run, model, wantedFrr, clean, detectors, reasons } = data;
  const attacks = detectors[0]?.attacks ?? [];
  return {
    title: `Adversarial texts detected, ${model}`,
    summary: resultOf(data),
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
            `Thresholds reject ${percent(wantedFrr)} of ${clean.calibration} clean texts; detectors were trained on ${clean.learnt} and tested on ${clean.test} others. 95 % intervals in parentheses. The attacks did not know the detectors.`,
          ),
        ],
      },
    ],
  };
}
