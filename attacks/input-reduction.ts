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
import { argmax, Draft, type EvasionPlugin, reachOf, type Target, z } from '../src/index.js';

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

/** Slots, those first whose loss leaves the model surest. */
async function order(draft: Draft, slots: readonly number[], label: number, target: Target): Promise<number[]> {
  const asked = slots.slice(0, Math.max(0, Math.min(slots.length, target.remaining)));
  const answers = await target.classify(asked.map((slot) => draft.remove(slot).text));
  const score = answers.map((answer) => (argmax(answer) === label ? (answer[label] as number) : 0));
  return asked
    .map((slot, at) => ({ slot, at }))
    .sort((a, b) => (score[b.at] as number) - (score[a.at] as number))
    .map(({ slot }) => slot);
}

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
  create: ({ maxLeft, places }) => ({
    constraints: [`at most ${Math.round(maxLeft * 100)} % of the words left`, 'prediction kept'],
    async run({ text, label }, target) {
      const start = Draft.of(text);
      const words = start.size;
      const { constraints } = target;
      const free = Array.from({ length: words }, (_, slot) => slot).filter((slot) =>
        constraints.every((constraint) => constraint.editable?.(start, slot) ?? true),
      );
      const ranked = words > 1 ? await order(start, free, label, target) : [];
      let best = {
        draft: start,
        probabilities: target.original,
        score: scoreOf(words, words, target.original[label] as number),
      };
      let left = Array.from({ length: words }, (_, slot) => slot);
      for (const place of ranked) {
        if (left.length < 2 || target.remaining <= 0) break;
        const slot = places === 'fixed' ? place : left[place];
        if (slot === undefined || !free.includes(slot)) continue;
        const draft = best.draft.remove(slot);
        const [probabilities] = (await target.classify([draft.text])) as [Float32Array];
        if (argmax(probabilities) !== label) continue;
        const score = scoreOf(left.length - 1, words, probabilities[label] as number);
        if (score <= best.score) continue;
        best = { draft, probabilities, score };
        left = left.filter((other) => other !== slot);
      }
      return {
        succeeded: left.length < words && left.length <= Math.ceil(words * maxLeft),
        text: best.draft.text,
        probabilities: best.probabilities,
        words,
        changed: words - left.length,
        ...(target.remaining > 0 && { reach: reachOf(text, new Set(ranked.length === 0 ? [] : free)) }),
        details: { left: left.length, shareLeft: words === 0 ? 1 : left.length / words },
        ...(ranked.length === 0 && { reason: words < 2 ? 'fewer than two words' : 'no word that may be left out' }),
      };
    },
  }),
};
