/** @file Constraints on fluency. */
import { z } from 'zod';
import { constraint } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import type { Constraint } from '../core/search.js';
import { CorpusStatistics } from '../language/corpus-statistics.js';

/** Grammar by rule: an article that agreed with its noun still does. */
export const articlesAgree: Constraint = {
  name: 'articles agree',
  accepts(candidates, original, { articles }) {
    const before = articles?.wrongIn(original.text) ?? 0;
    return candidates.map((candidate) => (articles?.wrongIn(candidate.text) ?? 0) <= before);
  },
};

/**
 * Perplexity of at most `ratio` times the original's, by an n-gram model of the data set; every text passes until the model is trained. The
 * training data may contain the original, which then scores better than any rewrite, so the limit is strict.
 */
export function maxPerplexityRatio(ratio: number): Constraint {
  const texts = new CorpusStatistics();
  return {
    prepare: (sample, victim) => texts.learn(sample, victim),
    name: `perplexity at most ${ratio} times (n-grams of the data set)`,
    accepts(candidates, original) {
      const { model } = texts;
      if (model === undefined) return candidates.map(() => true);
      const most = model.perplexity(original.text) * ratio;
      return candidates.map((candidate: Draft) => model.perplexity(candidate.text) <= most);
    },
  };
}

/**
 * Log-probability of the whole text at least the original's minus `nats`, by an n-gram model of the data set (Kuleshov et al. 2018,
 * equation 5, which also bounds increases); every text passes until the model is trained.
 */
export function likelihoodKept(nats: number): Constraint {
  const texts = new CorpusStatistics();
  return {
    prepare: (sample, victim) => texts.learn(sample, victim),
    name: `at most ${nats} nats less likely (n-grams of the data set)`,
    accepts(candidates, original) {
      const { model } = texts;
      if (model === undefined) return candidates.map(() => true);
      const nat = (text: string) => model.surprisals(text).bits.reduce((sum, bits) => sum + bits, 0) * Math.LN2;
      const most = nat(original.text) + nats;
      return candidates.map((candidate: Draft) => nat(candidate.text) <= most);
    },
  };
}

export const fluencyConstraints = [
  constraint({
    name: 'articles-agree',
    summary: 'Keeps the agreement of "a" and "an" with the next word.',
    create: () => articlesAgree,
  }),
  constraint({
    name: 'max-perplexity-ratio',
    summary: 'Limits the perplexity relative to the original text, by n-grams of the data set.',
    main: 'ratio',
    options: { ratio: z.number().positive().default(2).describe('perplexity over that of the original text') },
    create: ({ ratio }) => maxPerplexityRatio(ratio),
  }),
  constraint({
    name: 'max-likelihood-loss',
    summary: 'Limits the loss of log-probability in nats, by n-grams of the data set.',
    paper: {
      title: 'Adversarial Examples for Natural Language Classification Problems',
      url: 'https://openreview.net/forum?id=r1QZ3zbAZ',
    },
    main: 'nats',
    options: { nats: z.number().min(0).default(15).describe('largest loss of log-probability') },
    create: ({ nats }) => likelihoodKept(nats),
  }),
];
