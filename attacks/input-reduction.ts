/**
 * Input reduction: leaves out words for as long as the prediction stays: what the model holds on to need not be what a reader would.
 *
 * Threat: nobody at all: a model that is as sure of "the" as of the whole review has not read it, and is sure of nonsense.
 * Example: "an affecting journey, in spite of its length" -> "affecting"
 * Readable because: it need not be. Its goal is its own: the prediction must stay while the text loses its sense; a success is a
 * text with at most `maxLeft` of its words left. The share left is what to compare between models, not the success rate.
 * Paper: Shi Feng, Eric Wallace, Alvin Grissom II, Mohit Iyyer, Pedro Rodriguez and Jordan Boyd-Graber, "Pathologies of Neural Models
 * Make Interpretations Difficult", EMNLP 2018, section 3; https://arxiv.org/abs/1804.07781
 * Differs: words are ranked once, by deleting each, as in TextAttack's recipe; the paper ranks them anew after each and keeps a beam.
 * TextAttack's recipe counts places in the text as it has become, so that a word left out moves the rest of its order one
 * word on and part of the words is never tried: `places=moving` does the same.
 */
import {
  byDeletion,
  compose,
  type Decision,
  type Draft,
  type EvasionPlugin,
  type Goal,
  leaveOut,
  mostProbable,
  type SearchMethod,
  z,
} from '../src/plugin.js';

const options = z.strictObject({
  maxLeft: z
    .number()
    .gt(0)
    .max(1)
    .default(0.5)
    .describe('largest share of the words left in a success (TextAttack: 1)'),
  places: z
    .enum(['fixed', 'moving'])
    .default('fixed')
    .describe("fixed: every word is tried once; moving: TextAttack's order, which slips as words go"),
});

/** How much is gone, then how sure the model is: (n0 - n) / n0 + p / n0, as TextAttack scores it. */
const scoreOf = (left: number, words: number, probability: number): number =>
  Math.min((words - left) / words + probability / words, 1);

/** The same prediction from fewer words. Success is told by the words left alone, so that the search goes on. */
const fewerWords = (decision: Decision): Goal => ({
  name: 'the same prediction from fewer words',
  score: (probabilities, label, draft) =>
    decision.right(probabilities, { label }) && draft !== undefined
      ? scoreOf(left(draft).length, draft.size, probabilities[label] as number)
      : -1,
  reached: () => false,
});

const left = (draft: Draft): number[] => draft.words.flatMap((word, slot) => (word === '' ? [] : [slot]));

/** Word after word left out for as long as the prediction stays. It is this attack's own: it follows `places` of a text that shrinks. */
const shrink = (places: 'fixed' | 'moving'): SearchMethod => ({
  name: 'word after word for as long as the prediction stays',
  async search(space) {
    if (space.start.draft.size < 2) return;
    const free = new Set(space.editable(space.start.draft));
    for (const place of await byDeletion.order(space)) {
      const { draft } = space.best;
      const kept = left(draft);
      if (kept.length < 2 || space.done) return;
      const slot = places === 'fixed' ? place : kept[place];
      if (slot !== undefined && free.has(slot)) await space.visit([draft.remove(slot)]);
    }
  },
});

export const inputReduction: EvasionPlugin<z.infer<typeof options>> = {
  kind: 'evasion',
  name: 'input-reduction',
  level: 'word',
  needs: 'scores',
  ownGoal: true,
  summary: 'Leaves out words for as long as the prediction stays: "an affecting journey" -> "affecting".',
  paper: {
    title: 'Pathologies of Neural Models Make Interpretations Difficult',
    url: 'https://arxiv.org/abs/1804.07781',
  },
  options,
  create({ maxLeft, places }) {
    const attack = compose({
      goal: (_, __, decision = mostProbable) => fewerWords(decision),
      transformation: leaveOut,
      constraints: [],
      search: shrink(places),
    });
    return {
      constraints: [`at most ${Math.round(maxLeft * 100)} % of the words left`, 'prediction kept'],
      async run(example, target) {
        const attempt = await attack.run(example, target);
        const { words, changed } = attempt;
        const stay = words - changed;
        return {
          ...attempt,
          succeeded: changed > 0 && stay <= Math.ceil(words * maxLeft),
          details: { left: stay, shareLeft: words === 0 ? 1 : stay / words },
        };
      },
    };
  },
};
