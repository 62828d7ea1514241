/** @file An attack that moves a text's embeddings. It also measures random noise, other sizes, and the perturbation read as text. */
import { z } from 'zod';
import type { WhiteBox } from '../core/classifier.js';
import type { Example } from '../core/dataset.js';
import { wordsOf } from '../core/draft.js';
import { must } from '../core/errors.js';
import type { Attempt } from '../core/outcome.js';
import type { EvasionAttack } from '../core/plugin.js';
import type { MeteredVictim } from '../core/victim.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import { ascent, type EmbeddedText, move, type Norm, noise, unitOf } from './embedding.js';
import { embeddingMeasures } from './embedding-measures.js';
import { nearestText } from './nearest-token.js';

/** Additional perturbation sizes, in mean embedding norms. */
const DEFAULT_EPSILONS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** The text, its embeddings, and the direction that increases the loss. */
export interface Start {
  readonly example: Example;
  readonly target: MeteredVictim;
  readonly model: WhiteBox;
  readonly table: Float32Array;
  readonly place: EmbeddedText;
  /** Size 1, the direction of the gradient at the text. */
  readonly uphill: Float32Array;
  /** Label of the loss, and whether to increase (1) or decrease (-1) it: a targeted attack decreases the target's loss. */
  readonly label: number;
  readonly sign: 1 | -1;
}

/** Gradient and embeddings of an example. Costs one query. */
export async function startAt(example: Example, target: MeteredVictim, norm: Norm): Promise<Start> {
  const model = target.gradients;
  if (model === undefined) throw new RangeError('expected a victim with gradients');
  const label = target.goal.target ?? example.label;
  const sign = target.goal.target === undefined ? 1 : -1;
  const { tokens, embeddings, values } = await model.gradient(example.text, label);
  const table = await model.embeddingTable();
  const place = { tokens, embeddings, hidden: model.hidden, unit: unitOf(table, model.hidden) };
  return { example, target, model, table, place, uphill: ascent(place, values, norm, sign), label, sign };
}

export interface EmbeddingRecipe {
  /** Distance from the text, in mean embedding norms per token. */
  readonly epsilon: number;
  readonly norm: Norm;
  /** Embeddings within `epsilon`, and the sizes at which the same direction is also tried. @default one step along the gradient */
  perturb?(start: Start): Promise<{ at: Float32Array; sizes: readonly number[] }>;
}

/** The attack of a recipe. */
export function embeddingAttack({
  epsilon,
  norm,
  perturb = async ({ place, uphill }) => ({ at: move(place, uphill, epsilon), sizes: DEFAULT_EPSILONS }),
}: EmbeddingRecipe): EvasionAttack {
  return {
    constraints: [
      `each token moved at most ${epsilon} mean embedding norms (${norm === 'linf' ? 'L-infinity' : 'L2 over the text'})`,
      'special tokens kept',
    ],
    async run(example, target): Promise<Attempt> {
      const start = await startAt(example, target, norm);
      const { place, model, table, uphill } = start;
      const { at, sizes } = await perturb(start);
      const chance = noise(place, target.random, norm);
      const rows = await model.classifyEmbeddings(
        [
          at,
          move(place, chance, epsilon),
          ...sizes.map((size) => move(place, uphill, size)),
          ...sizes.map((size) => move(place, chance, size)),
        ],
        place.tokens,
      );
      const broken = rows.map((row) => Number(target.goal.reached(row, example.label)));
      const projection = await nearestText(example.text, place, at, table, model);
      // With no query left, the nearest words are not read; the result on embeddings stays.
      const read = projection.changed === 0 || target.remaining > 0;
      const [asText] = projection.changed > 0 && read ? await target.classify([projection.text]) : [target.original];
      return {
        succeeded: broken[0] === 1,
        probabilities: must(rows[0]),
        words: wordsOf(example.text).length,
        changed: 0,
        noise: broken[1] === 1,
        ...(read && {
          asText: {
            text: projection.text,
            broken: projection.changed > 0 && target.goal.reached(must(asText), example.label),
          },
        }),
        ...(sizes.length > 0 && {
          sweep: { sizes, broken: broken.slice(2, 2 + sizes.length), noise: broken.slice(2 + sizes.length) },
        }),
      };
    },
  };
}

export interface FastGradient extends Pick<EvasionPlugin, 'name' | 'summary' | 'paper'> {
  readonly norm: Norm;
  /** Default of the option `epsilon`, and what it measures. */
  readonly epsilon: readonly [standard: number, meaning: string];
}

/** An attack of one step along the gradient, as long as `epsilon` in the norm. */
export const fastGradient = ({ norm, epsilon: [standard, meaning], ...about }: FastGradient): EvasionPlugin => ({
  kind: 'evasion',
  level: 'embedding',
  needs: 'gradients',
  ...about,
  options: z.strictObject({ epsilon: z.number().min(0).default(standard).describe(meaning) }),
  measures: embeddingMeasures,
  create: (chosen) => embeddingAttack({ epsilon: (chosen as { epsilon: number }).epsilon, norm }),
});
