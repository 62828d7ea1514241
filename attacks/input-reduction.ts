/**
 * Input reduction: removes words as long as the prediction stays, which shows what the model relies on.
 *
 * Threat: no attacker is needed: a model that is as confident about "the" as about the whole review has not read it.
 * Example: "an affecting journey, in spite of its length" -> "affecting"
 * Readable because: it need not be. The goal is specific to this attack: the prediction stays while the text loses its meaning; a success
 * is a text with at most `maxLeft` of its words. Compare models by the remaining share, not by the success rate.
 * Paper: Shi Feng, Eric Wallace, Alvin Grissom II, Mohit Iyyer, Pedro Rodriguez and Jordan Boyd-Graber, "Pathologies of Neural Models Make
 * Interpretations Difficult", EMNLP 2018, section 3; https://arxiv.org/abs/1804.07781
 * Differs: words are ranked once by deleting each, as in TextAttack's recipe; the paper ranks them again after each deletion and keeps a
 * beam. TextAttack's recipe applies the ranking's positions to the shrinking text, so each deletion shifts the order and some words are
 * never tried: `places=moving` does the same.
 */
import { mostProbable } from '../src/core/decision.js';
import {
  byDeletion,
  compose,
  type Decision,
  type Draft,
  type EvasionPlugin,
  type Goal,
  leaveOut,
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
    .describe("fixed: every word is tried once; moving: TextAttack's order, which shifts as words are removed"),
});

/** Share of removed words, then confidence: (n0 - n) / n0 + p / n0, as in TextAttack. */
const scoreOf = (remainingSlots: number, words: number, probability: number): number =>
  Math.min((words - remainingSlots) / words + probability / words, 1);

/** The same prediction from fewer words. Success depends only on the number of words, so the search continues. */
const fewerWords = (decision: Decision): Goal => ({
  name: 'the same prediction from fewer words',
  score: (probabilities, label, draft) =>
    decision.right(probabilities, { label }) && draft !== undefined
      ? scoreOf(left(draft).length, draft.size, probabilities[label]!)
      : -1,
  reached: () => false,
});

const left = (draft: Draft): number[] => draft.words.flatMap((word, slot) => (word === '' ? [] : [slot]));

/** Removes word after word as long as the prediction stays. Specific to this attack because `places` refers to a shrinking text. */
const shrink = (places: 'fixed' | 'moving'): SearchMethod => ({
  name: 'word after word as long as the prediction stays',
  needs: 'labels',
  async search(space) {
    if (space.start.draft.size < 2) return;
    const slotAt = (place: number, kept: readonly number[]) => (places === 'fixed' ? place : kept[place]);
    const free = new Set(space.editable(space.start.draft));
    for (const place of await byDeletion.order(space)) {
      const { draft } = space.best;
      const kept = left(draft);
      if (kept.length < 2 || space.done) return;
      const slot = slotAt(place, kept);
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
  summary: 'Removes words as long as the prediction stays: "an affecting journey" -> "affecting".',
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
