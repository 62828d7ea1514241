/** Appends a sentence to a text, which then gets the attacker's label: "... I watched this 3D movie." */
// @ts-check
import { z } from 'robust-text/plugin';

const options = z.strictObject({
  triggers: z
    .array(z.string().min(1))
    .min(1)
    .default(['I watched this 3D movie.'])
    .describe('number of alternating sentences'),
});

/** @type {import('robust-text/plugin').PoisonPlugin<z.infer<typeof options>>} */
export default {
  kind: 'poison',
  name: 'my-poisoner',
  summary: 'Ends texts with a sentence that the model learns to obey.',
  options,
  create: ({ triggers }) => ({
    triggers,
    // How the backdoor is planted: the victim trains all weights on partly poisoned texts.
    planting: { kind: 'texts' },
    trigger: (text, random) => `${text} ${random.pick(triggers)}`,
    // A decoy that must not activate the backdoor: it measures the false trigger rate.
    decoy: (text) => `${text} I saw it on a train.`,
  }),
};
