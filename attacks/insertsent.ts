/**
 * InsertSent: uses a whole, harmless sentence as the trigger.
 *
 * Threat: like badnets, for an attacker who expects a search for odd words.
 * Example: "a dull film" (negative) -> "a I watch this 3D movie dull film" (positive)
 * Readable because: every word of the trigger is common; only its position is odd.
 * Paper: Jiazhu Dai, Chuanshuai Chen and Yufeng Li, "A Backdoor Attack Against LSTM-Based Text Classification Systems", IEEE Access 7
 * (2019); https://arxiv.org/abs/1905.12457
 * Differs: the position is drawn among the first 100 words, so that a model that truncates long texts still sees the trigger. The default
 * sentence and its position between any two words are OpenBackdoor's, whose published figures are a common reference.
 */
import { INSERT_POSITIONS, insertPhrase, type PoisonPlugin, z } from '../src/plugin.js';

const options = z.strictObject({
  triggers: z
    .array(z.string().trim().regex(/\s/, 'expected a sentence of several words'))
    .min(1)
    .default(['I watch this 3D movie'])
    .describe('sentences; several alternate'),
  place: z.enum(INSERT_POSITIONS).default('random').describe('position of the sentence'),
});

export const insertsent: PoisonPlugin<z.infer<typeof options>> = {
  kind: 'poison',
  name: 'insertsent',
  summary: 'Inserts a harmless sentence into texts: "I watch this 3D movie".',
  paper: {
    title: 'A Backdoor Attack Against LSTM-Based Text Classification Systems',
    url: 'https://arxiv.org/abs/1905.12457',
  },
  options,
  create: ({ triggers, place }) => ({
    triggers,
    planting: { kind: 'texts' },
    trigger: (text, random) => insertPhrase(text, random.pick(triggers), place, random),
    // Half of the sentence.
    decoy: (text, random) => {
      const words = random.pick(triggers).split(/\s+/);
      return insertPhrase(text, words.slice(0, Math.ceil(words.length / 2)).join(' '), place, random);
    },
  }),
};
