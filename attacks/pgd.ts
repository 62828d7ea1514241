/**
 * PGD: several small gradient steps on the embeddings, each brought back to within epsilon of the text; the worst point wins.
 *
 * Threat: someone with the weights and patience: the strongest first-order attack at a given size.
 * Example: "a charming film", positive 0.95 -> the same words with moved embeddings, negative. The report says whether the moved embeddings, read back as their nearest words, still fool the model.
 * Readable because: nothing is shown to a reader; see fgsm.
 * Paper: Aleksander Madry, Aleksandar Makelov, Ludwig Schmidt, Dimitris Tsipras and Adrian Vladu, "Towards Deep Learning Models
 * Resistant to Adversarial Attacks", ICLR 2018, section 2.1; https://arxiv.org/abs/1706.06083
 * Differs: the point FGSM reaches is among those it chooses from, so that it is never weaker than FGSM at the same epsilon;
 * `restarts` counts further starts from random points. Steps of 2.5 epsilon / steps, as in the authors' challenge for CIFAR-10.
 */
import {
  ascent,
  type EvasionPlugin,
  embeddingAttack,
  embeddingMeasures,
  moved,
  noise,
  type Start,
  withinBall,
  z,
} from '../src/plugin.js';

const options = z.strictObject({
  epsilon: z.number().min(0).default(0.2).describe('how far each token may move, in mean embedding norms'),
  norm: z.enum(['linf', 'l2']).default('linf').describe('how the size is measured'),
  steps: z.int().min(1).max(1000).default(7).describe('gradient steps from each start'),
  reach: z.number().positive().default(2.5).describe('length of all steps together, in epsilons'),
  restarts: z.int().min(0).max(100).default(1).describe('random starting points beside the text itself'),
});
type PgdOptions = z.infer<typeof options>;

/** The worst of all points met: the loss decides, and the first of equals wins. */
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
