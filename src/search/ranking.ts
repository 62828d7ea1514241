/** @file In which order a greedy search tries the words: word importance ranking. */
import { z } from 'zod';
import type { Draft } from '../core/draft.js';
import type { SearchSpace } from '../core/types.js';
import { addSlotGradient } from './slot-gradient.js';

/** An order of a text's editable slots, the most promising first. */
export interface Ranking {
  readonly name: string;
  /** Present where it asks for gradients. */
  readonly needs?: 'gradients';
  order(space: SearchSpace): Promise<number[]>;
}

/** Slots probed at once: enough to fill batches, few enough that a long text's copies fit in memory. */
const PROBES = 256;

/** By how far the goal's score rises when the word is spoiled. Equal scores keep the order of the text. */
function bySpoiling(name: string, spoil: (draft: Draft, slot: number) => Draft): Ranking {
  return {
    name,
    async order(space) {
      const { draft } = space.start;
      const slots = space.editable(draft);
      const ranked: { slot: number; score: number }[] = [];
      for (let from = 0; from < slots.length; from += PROBES) {
        const asked = slots.slice(from, from + PROBES);
        const scored = await space.probe(asked.map((slot) => spoil(draft, slot)));
        scored.forEach(({ score }, at) => {
          ranked.push({ slot: asked[at] as number, score });
        });
      }
      return ranked.sort((a, b) => b.score - a.score || a.slot - b.slot).map(({ slot }) => slot);
    },
  };
}

/** Each word replaced by the model's unknown token (Gao et al. 2018 and TextAttack's default). */
export const byUnknown = (token = '[UNK]'): Ranking =>
  bySpoiling('unk importance', (draft, slot) => draft.replace(slot, token));

/** Each word deleted (Jin et al. 2020). */
export const byDeletion: Ranking = bySpoiling('delete importance', (draft, slot) => draft.remove(slot));

/**
 * Weighted saliency (Ren et al. 2019, equations 4 to 8): softmax over the text of how far the score rises when the word is
 * unknown, times how far its best rewrite raises it. Asks one query a word and one a rewrite; none of them becomes the
 * result, as in TextAttack's recipe.
 */
export const byWeightedSaliency = (token = '[UNK]'): Ranking => ({
  name: 'weighted saliency',
  async order(space) {
    const { draft, score: before } = space.start;
    const slots = space.editable(draft);
    const weights: number[] = [];
    for (let from = 0; from < slots.length; from += PROBES) {
      const scored = await space.probe(slots.slice(from, from + PROBES).map((slot) => draft.replace(slot, token)));
      weights.push(...scored.map(({ score }) => Math.exp(score)));
    }
    const gains = new Map<number, number>();
    let waiting: { slot: number; rewrite: Draft }[] = [];
    const ask = async () => {
      const scored = await space.probe(waiting.map(({ rewrite }) => rewrite));
      scored.forEach(({ score }, at) => {
        const { slot } = waiting[at] as { slot: number };
        gains.set(slot, Math.max(gains.get(slot) ?? Number.NEGATIVE_INFINITY, score - before));
      });
      waiting = [];
    };
    for (const slot of slots) {
      if (space.done) break;
      const rewrites = await space.legal(await space.neighbours(draft, [slot]));
      waiting.push(...rewrites.map((rewrite) => ({ slot, rewrite })));
      if (waiting.length >= PROBES) await ask();
    }
    await ask();
    // The softmax's denominator is the same for all.
    const rank = (slot: number, at: number) => (weights[at] ?? 0) * (gains.get(slot) ?? 0);
    return slots
      .map((slot, at) => ({ slot, rank: rank(slot, at) }))
      .sort((a, b) => b.rank - a.rank || a.slot - b.slot)
      .map(({ slot }) => slot);
  },
});

/** Shuffled: no queries spent on ranking. */
export const atRandom: Ranking = {
  name: 'random order',
  order: async (space) => space.random.shuffle(space.editable(space.start.draft)),
};

/**
 * By the gradient of the loss: L1 norm of the sum over a word's sub-words (Yoo and Qi 2021, section 3.1, who take the mean).
 * One query for the whole text, where the others cost one a word.
 */
export const byGradient: Ranking = {
  name: 'gradient importance',
  needs: 'gradients',
  async order(space) {
    const model = space.gradients;
    if (model === undefined) throw new RangeError('expected a victim with gradients');
    const { draft } = space.start;
    const slots = space.editable(draft);
    if (slots.length === 0) return [];
    const answer = await model.gradient(draft.text, space.label);
    const importance = new Map<number, number>();
    for (const slot of slots) {
      const sum = addSlotGradient(new Float64Array(model.hidden), answer, draft, slot);
      importance.set(
        slot,
        sum.reduce((total, value) => total + Math.abs(value), 0),
      );
    }
    return slots.sort((a, b) => (importance.get(b) as number) - (importance.get(a) as number) || a - b);
  },
};

/** Rankings by the name an option gives them. */
export const rankings = { unk: byUnknown(), delete: byDeletion, gradient: byGradient, random: atRandom } as const;

/** The option `ranking` of an attack, with the default its paper calls for. */
export const rankingOption = (standard: keyof typeof rankings = 'unk') =>
  z
    .enum(['unk', 'delete', 'gradient', 'random'])
    .default(standard)
    .describe(
      'which words first: whose replacement by the unknown token, or deletion, hurts most; the steepest gradient; any',
    );
