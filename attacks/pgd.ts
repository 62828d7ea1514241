/**
 * PGD: several small gradient steps on the embeddings, each projected back to within epsilon of the text; the worst point wins.
 *
 * Threat: someone with access to the weights and time: the strongest first-order attack of a given size.
 * Example: "a charming film", positive 0.95 -> the same words with moved embeddings, negative. The report says whether the moved
 * embeddings, read back as their nearest words, still fool the model.
 * Readable because: no text is shown to a reader; see fgsm.
 * Paper: Aleksander Madry, Aleksandar Makelov, Ludwig Schmidt, Dimitris Tsipras and Adrian Vladu, "Towards Deep Learning Models Resistant
 * to Adversarial Attacks", ICLR 2018, section 2.1; https://arxiv.org/abs/1706.06083
 * Differs: FGSM's point is among the candidates, so the attack is never weaker than FGSM at the same epsilon; `restarts` counts additional
 * random starting points. Steps of 2.5 epsilon / steps, as in the authors' challenge for CIFAR-10.
 */
import { type EvasionPlugin, embeddingAttack, z } from '../src/plugin.js';
import { ascent, move as moved, noise, withinBall } from '../src/search/embedding.js';
import type { Start } from '../src/search/embedding-attack.js';
import { embeddingMeasures } from '../src/search/embedding-measures.js';

const options = z.strictObject({
  epsilon: z.number().min(0).default(0.2).describe('how far each token may move, in mean embedding norms'),
  norm: z.enum(['linf', 'l2']).default('linf').describe('norm of the size'),
  steps: z.int().min(1).max(1000).default(7).describe('gradient steps from each start'),
  reach: z.number().positive().default(2.5).describe('total length of all steps, in epsilons'),
  restarts: z.int().min(0).max(100).default(1).describe('random starting points in addition to the text'),
});
type PgdOptions = z.infer<typeof options>;

/** The worst of all visited points: the loss decides, and the first of equals wins. */
async function climb(start: Start, { epsilon, norm, steps, reach, restarts }: PgdOptions) {
  const stepSize = (reach * epsilon) / steps;
  const { place, model, label, sign, target } = start;
  let worst = place.embeddings;
  let most = Number.NEGATIVE_INFINITY;
  const look = async (at: Float32Array): Promise<Float32Array> => {
    const { loss, values } = await model.gradientAt(at, place.tokens, label);
    if (sign * loss > most) {
      most = sign * loss;
      worst = at;
    }
    return ascent(place, values, norm, sign);
  };
  const fast = moved(place, start.uphill, epsilon);
  await look(fast);
  for (let round = 0; round <= restarts; round++) {
    let at =
      round === 0
        ? withinBall(place, moved(place, start.uphill, stepSize), epsilon, norm)
        : moved(place, noise(place, target.random, norm), epsilon * target.random.unit());
    for (let step = round === 0 ? 1 : 0; step < steps; step++) {
      const uphill = await look(at);
      at = withinBall(place, moved({ ...place, embeddings: at }, uphill, stepSize), epsilon, norm);
    }
    await look(at);
  }
  return worst;
}

export const pgd: EvasionPlugin<PgdOptions> = {
  kind: 'evasion',
  name: 'pgd',
  level: 'embedding',
  needs: 'gradients',
  summary: 'Climbs the loss in several steps within a ball around the token embeddings.',
  paper: {
    title: 'Towards Deep Learning Models Resistant to Adversarial Attacks',
    url: 'https://arxiv.org/abs/1706.06083',
  },
  options,
  measures: embeddingMeasures,
  create: (chosen) =>
    embeddingAttack({
      epsilon: chosen.epsilon,
      norm: chosen.norm,
      perturb: async (start) => ({ at: await climb(start, chosen), sizes: [] }),
    }),
};
