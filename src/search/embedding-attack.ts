/** @file An attack that moves a text's embeddings: its success, chance beside it, other sizes, and what becomes of it as text. */
import type { WhiteBox } from '../core/classifier.js';
import type { Example } from '../core/dataset.js';
import { wordsOf } from '../core/draft.js';
import type { Attempt } from '../core/outcome.js';
import type { EvasionAttack } from '../core/plugin.js';
import type { MeteredVictim } from '../core/victim.js';
import { ascent, type EmbeddedText, moved, type Norm, noise, unitOf } from './embedding.js';
import { nearestText } from './nearest-token.js';

/** Sizes an attack is tried at beside its own, in mean embedding norms. */
const DEFAULT_EPSILONS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** The text, where it lies, and which way is worse for the model. */
export interface Start {
  readonly example: Example;
  readonly target: MeteredVictim;
  readonly model: WhiteBox;
  readonly table: Float32Array;
  readonly place: EmbeddedText;
  /** Of size 1, up the loss at the text itself. */
  readonly uphill: Float32Array;
  /** Label of the loss, and whether to climb (1) or descend (-1) it: a targeted attack descends the target's. */
  readonly label: number;
  readonly sign: 1 | -1;
}

/** Gradient and surroundings of an example. One query. */
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
  /** Embeddings no further than `epsilon`, and the sizes at which the same direction is tried too. @default one step up the gradient */
  perturb?(start: Start): Promise<{ at: Float32Array; sizes: readonly number[] }>;
}

/** The attack of a recipe. */
export function embeddingAttack({
  epsilon,
  norm,
  perturb = async ({ place, uphill }) => ({ at: moved(place, uphill, epsilon), sizes: DEFAULT_EPSILONS }),
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
          moved(place, chance, epsilon),
          ...sizes.map((size) => moved(place, uphill, size)),
          ...sizes.map((size) => moved(place, chance, size)),
        ],
        place.tokens,
      );
      const broken = rows.map((row) => Number(target.goal.reached(row, example.label)));
      const projection = await nearestText(example.text, place, at, table, model);
      // With no query left the words go unread; what was found on embeddings stays found.
      const read = projection.changed === 0 || target.remaining > 0;
      const [asText] = projection.changed > 0 && read ? await target.classify([projection.text]) : [target.original];
      return {
        succeeded: broken[0] === 1,
        probabilities: rows[0] as Float32Array,
        words: wordsOf(example.text).length,
        changed: 0,
        noise: broken[1] === 1,
        ...(read && {
          asText: {
            text: projection.text,
            broken: projection.changed > 0 && target.goal.reached(asText as Float32Array, example.label),
          },
        }),
        ...(sizes.length > 0 && {
          sweep: {
            sizes,
            broken: broken.slice(2, 2 + sizes.length),
            noise: broken.slice(2 + sizes.length),
          },
        }),
      };
    },
  };
}
