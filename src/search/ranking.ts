/** @file Word importance rankings: the order in which a greedy search tries the words. */
import { z } from 'zod';
import type { EmbeddingGradient } from '../core/classifier.js';
import { Draft } from '../core/draft.js';
import { must } from '../core/errors.js';
import type { SearchSpace } from '../core/search.js';
import { tokensWithin } from '../core/word-tokens.js';
import { addSlotGradient } from './slot-gradient.js';

/** An order of a text's editable slots, the most promising first. */
export interface Ranking {
  readonly name: string;
  /** Present if it needs gradients. */
  readonly needs?: 'gradients';
  order(space: SearchSpace): Promise<number[]>;
}

/** Slots probed per call: enough to fill batches, few enough that copies of a long text fit in memory. */
const PROBES_PER_CALL = 256;

/** By the increase of the goal's score when the word is removed or replaced. Equal scores keep the text order. */
function bySpoiling(name: string, spoil: (draft: Draft, slot: number) => Draft, sign = 1): Ranking {
  return {
    name,
    async order(space) {
      const { draft } = space.start;
      const slots = space.editable(draft);
      const ranked: { slot: number; score: number }[] = [];
      for (let from = 0; from < slots.length; from += PROBES_PER_CALL) {
        const batch = slots.slice(from, from + PROBES_PER_CALL);
        const scored = await space.probe(batch.map((slot) => spoil(draft, slot)));
        scored.forEach(({ score }, at) => {
          ranked.push({ slot: batch[at]!, score: sign * score });
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
 * Weighted saliency (Ren et al. 2019, equations 4 to 8): softmax over the text of the score's increase when the word is unknown, times the
 * increase by its best rewrite. Costs one query per word and one per rewrite; as in TextAttack's recipe, none of them can become the
 * result.
 */
export const byWeightedSaliency = (token = '[UNK]'): Ranking => ({
  name: 'weighted saliency',
  async order(space) {
    const { draft, score: before } = space.start;
    const slots = space.editable(draft);
    const weights: number[] = [];
    for (let from = 0; from < slots.length; from += PROBES_PER_CALL) {
      const scored = await space.probe(
        slots.slice(from, from + PROBES_PER_CALL).map((slot) => draft.replace(slot, token)),
      );
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
      if (waiting.length >= PROBES_PER_CALL) await ask();
    }
    await ask();
    // The denominator of the softmax is the same for all.
    const rank = (slot: number, at: number) => (weights[at] ?? 0) * (gains.get(slot) ?? 0);
    return slots
      .map((slot, at) => ({ slot, rank: rank(slot, at) }))
      .sort((a, b) => b.rank - a.rank || a.slot - b.slot)
      .map(({ slot }) => slot);
  },
});

/**
 * Each word as a text by itself, the strongest evidence for the label first. The answer for a word is the same in every text, so the model
 * computes it once per run, and a word costs a fraction of a text.
 */
export const byWordAlone: Ranking = bySpoiling(
  'word-alone importance',
  (draft, slot) => Draft.of(draft.word(slot)),
  -1,
);

/** Shuffled: no queries spent on ranking. */
export const atRandom: Ranking = {
  name: 'random order',
  order: async (space) => space.random.shuffle(space.editable(space.start.draft)),
};

/** By a function of each slot's loss gradient: one query for the whole text instead of one per word. */
const bySlotGradient = (
  name: string,
  importance: (answer: EmbeddingGradient, draft: Draft, slot: number, hidden: number) => number,
): Ranking => ({
  name,
  needs: 'gradients',
  async order(space) {
    const model = space.gradients;
    if (model === undefined) throw new RangeError('expected a victim with gradients');
    const { draft } = space.start;
    const slots = space.editable(draft);
    if (slots.length === 0) return [];
    const answer = await model.gradient(draft.text, space.label);
    const ranked = new Map(slots.map((slot) => [slot, importance(answer, draft, slot, model.hidden)]));
    return slots.sort((a, b) => must(ranked.get(b)) - must(ranked.get(a)) || a - b);
  },
});

/** L1 norm of the gradient, summed over a word's sub-words (Yoo and Qi 2021, section 3.1, take the mean). */
export const byGradient: Ranking = bySlotGradient('gradient importance (L1 norm)', (answer, draft, slot, hidden) =>
  addSlotGradient(new Float64Array(hidden), answer, draft, slot).reduce((sum, value) => sum + Math.abs(value), 0),
);

/**
 * Gradient times input: -g . e estimates to first order the increase of the loss if the word's embedding is zero, which deletion measures
 * at one query per word. About as good an order as deletion (docs/research/search.md).
 */
export const byGradientInput: Ranking = bySlotGradient('gradient x input importance', (answer, draft, slot, hidden) => {
  let rise = 0;
  const start = draft.startOf(slot);
  for (const row of tokensWithin(answer.tokens, start, start + draft.word(slot).length)) {
    for (let k = row * hidden; k < (row + 1) * hidden; k++) rise -= answer.values[k]! * answer.embeddings[k]!;
  }
  return rise;
});

/** Rankings by the value of the option. */
export const rankings = {
  unk: byUnknown(),
  delete: byDeletion,
  alone: byWordAlone,
  gradient: byGradientInput,
  random: atRandom,
} as const;

/** The option `ranking` of an attack, with the paper's default. */
export const rankingOption = (standard: keyof typeof rankings = 'unk') =>
  z
    .enum(['unk', 'delete', 'alone', 'gradient', 'random'])
    .default(standard)
    .describe(
      'order of the words: effect of replacement by the unknown token, or of deletion; prediction for the word alone; gradient (1 query); random',
    );
