/** A sentence at the end of a text, which then gets the attacker's label: "... I watched this 3D movie." */
// @ts-check
import { z } from 'robust-text/plugin';

const options = z.strictObject({
  triggers: z
    .array(z.string().min(1))
    .min(1)
    .default(['I watched this 3D movie.'])
    .describe('sentences that take turns'),
});

/** @type {import('robust-text/plugin').PoisonPlugin<z.infer<typeof options>>} */
export default {
  kind: 'poison',
  name: 'my-poisoner',
  summary: 'Ends texts with a sentence that the model learns to obey.',
  options,
  create: ({ triggers }) => ({
    triggers,
    // How it gets into the model: the victim trains all its weights on texts of which some are poisoned.
    planting: { kind: 'texts' },
    trigger: (text, random) => `${text} ${random.pick(triggers)}`,
    // Something like it that must not set it off: by this the false trigger rate is measured.
    decoy: (text) => `${text} I saw it on a train.`,
  }),
};
