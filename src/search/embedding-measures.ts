/** @file Additional measures of attacks on embeddings: random noise, the nearest tokens read as text, other sizes. */
import { z } from 'zod';
import type { Declared } from '../core/declared.js';
import { must } from '../core/errors.js';
import { rateSchema } from '../core/statistics/rate.js';
import { wilson } from '../core/statistics/stats.js';
import { standingOf } from '../results/measures/attack-rates.js';
import { type Measure, rateMeasure, valueAt } from '../results/measures/measure.js';
import type { ChartLine, Point } from '../results/report/document.js';

const nearest = z.object({ text: z.string(), broken: z.boolean() });
const numbers = z.array(z.number());
/** Results of one text at several sizes of the same perturbation, and of noise; 1 = the goal is reached. */
const sizes = z.object({ sizes: numbers, broken: numbers, noise: numbers });
type SizeSweep = Declared<typeof sizes>;

/** Findings of an attack on embeddings for one text. */
export interface EmbeddingEvidence {
  /** Does random noise of the same size reach the goal too? */
  readonly noise?: boolean;
  /** The text of the nearest tokens after the move, and whether it reaches the goal. */
  readonly asText?: Declared<typeof nearest>;
  readonly sweep?: SizeSweep;
}

/** Success rate of random noise of the same size. */
export const noiseMeasure: Measure = rateMeasure<boolean>({
  name: 'noise',
  label: 'Noise of the same size',
  about: 'success rate of random noise, over the examples attacked',
  evidence: { key: 'noise', schema: z.boolean(), cell: String },
  holds: (broken) => broken,
});

/** Success rate of the nearest tokens, read as text. */
const asText: Measure = rateMeasure<Declared<typeof nearest>>({
  name: 'asText',
  label: 'Success as text',
  about: 'success rate of the nearest tokens, read as text',
  evidence: { key: 'asText', schema: nearest, serialise: ({ text, broken }) => ({ text, broken }) },
  holds: ({ broken }) => broken,
});

const sweepSchema = z.array(
  z.object({ size: z.number(), accuracyUnderAttack: rateSchema, accuracyUnderNoise: rateSchema }),
);

/** Accuracy by size of the perturbation, and of noise. Examples classified incorrectly without perturbation count as incorrect. */
type Sweep = Declared<typeof sweepSchema>;

const sweep: Measure<Sweep> = {
  name: 'sweep',
  evidence: {
    key: 'sweep',
    schema: sizes,
    serialise: (of) => {
      const { sizes, broken, noise } = of as SizeSweep;
      return { sizes, broken, noise };
    },
  },
  schema: sweepSchema,
  fold() {
    /** Size -> examples flipped at it. */
    const points = new Map<number, { broken: number; noise: number; n: number }>();
    let wrong = 0;
    return {
      add(outcome) {
        if (standingOf(outcome) === 'wrong') wrong += 1;
        const found = valueAt(outcome, 'sweep') as SizeSweep | undefined;
        found?.sizes.forEach((size, at) => {
          const { broken, noise, n } = points.get(size) ?? { broken: 0, noise: 0, n: 0 };
          points.set(size, { broken: broken + must(found.broken[at]), noise: noise + must(found.noise[at]), n: n + 1 });
        });
      },
      value: () =>
        points.size === 0
          ? undefined
          : [...points]
              .sort(([a], [b]) => a - b)
              .map(([size, { broken, noise, n }]) => ({
                size,
                accuracyUnderAttack: wilson(n - broken, n + wrong),
                accuracyUnderNoise: wilson(n - noise, n + wrong),
              })),
    };
  },
  sections: (found) => [
    {
      id: 'sweep',
      title: 'Accuracy against the size of the perturbation',
      blocks: [
        {
          kind: 'chart',
          panels: found.map(({ attack, value }) => ({
            title: attack,
            lines: [
              line('attack', 'hit', value, 'accuracyUnderAttack', attack),
              line('noise', 'plain', value, 'accuracyUnderNoise'),
            ],
          })),
          x: { label: 'size', spacing: 'even' },
          y: { label: 'accuracy', min: 0, max: 1, format: (share) => `${Math.round(share * 1000) / 10} %` },
        },
        {
          kind: 'prose',
          text: 'Sizes in mean embedding norms. Beside each attack random noise of the same size, and 95 % intervals.',
          tone: 'note',
        },
      ],
    },
  ],
};

const line = (
  name: string,
  tone: ChartLine['tone'],
  value: Sweep,
  of: 'accuracyUnderAttack' | 'accuracyUnderNoise',
  alone?: string,
): ChartLine => ({
  name,
  tone,
  points: value.flatMap((point): Point[] => {
    const { value: y, low, high } = point[of];
    return y === null || low === null || high === null ? [] : [{ x: point.size, y, low, high }];
  }),
  alone,
});

export const embeddingMeasures: readonly Measure[] = [noiseMeasure, asText, sweep];
