/** @file Named sets of constraints, the same for every attack that swaps words: an attack success rate is meaningless without its set. */
import { z } from 'zod';
import type { Constraint } from '../core/search.js';
import { noRepeat } from './edits.js';
import { articlesAgree, maxPerplexityRatio } from './fluency.js';
import { meaningKept, noOpposites, samePartOfSpeech, wordsAlike } from './meaning.js';
import { noNewStopWords } from './words.js';

export const presets = ['default', 'textattack', 'strict', 'none'] as const;
export type Preset = (typeof presets)[number];

export const isPreset = (name: string): name is Preset => presets.some((preset) => preset === name);

/** The option `constraints` of an attack that swaps words. */
export const constraintsOption = () =>
  z
    .enum(presets)
    .default('default')
    .describe(
      "default: synonyms of the meaning and part of speech meant, no opposites; textattack: TextAttack's recipe, ties judged by argmax; strict: the default and words 0.9, text 0.98 alike; none",
    );

/**
 * Combines the constraints of a preset with those of a recipe.
 * - default: the recipe's, and `more`: no opposites, part of speech, no new stop words, articles.
 * - strict: the default, fluency, and the thresholds at which people found no fault (Morris et al. 2020, "Reevaluating Adversarial Examples
 *   in Natural Language", section 5: word cosine 0.9, sentence cosine 0.98), applied to our own measures.
 * - textattack: the recipe's only. Success is judged by argmax as in TextAttack: of tied labels, the first one is predicted.
 * - none: each word once, so that a search ends.
 */
export function presetConstraints(
  preset: Preset,
  recipe: readonly Constraint[],
  more: readonly Constraint[] = [noOpposites, samePartOfSpeech(), noNewStopWords, articlesAgree],
): Constraint[] {
  const named = new Set(recipe.map(({ name }) => name));
  const usual = [...recipe, ...more.filter(({ name }) => !named.has(name))];
  switch (preset) {
    case 'none':
      return [noRepeat];
    case 'textattack':
      return [...recipe];
    case 'default':
      return usual;
    case 'strict':
      return [...usual, wordsAlike(0.9), meaningKept(0.98), maxPerplexityRatio(2)];
  }
}
