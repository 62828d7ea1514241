/** @file Sets of constraints under one name, the same for every attack that swaps words: an ASR without its set means nothing. */
import { z } from 'zod';
import type { Constraint } from '../core/search.js';
import { noRepeat } from './edits.js';
import { articlesAgree, maxPerplexityRatio } from './fluency.js';
import { meaningKept, noOpposites, samePartOfSpeech, wordsAlike } from './meaning.js';

export const presets = ['default', 'textattack', 'strict', 'none'] as const;
export type Preset = (typeof presets)[number];

/** The preset of that name; `textattack` is also had as `paper`, its former name. Undefined for no preset's. */
export const presetOf = (name: string): Preset | undefined =>
  presets.find((preset) => preset === (name === 'paper' ? 'textattack' : name));

/** The option `constraints` of an attack that swaps words. */
export const constraintsOption = () =>
  z
    .enum([...presets, 'paper'])
    .default('default')
    .describe(
      "default: synonyms of the meaning and part of speech meant, no opposites; textattack: TextAttack's recipe, ties judged by argmax (paper is its former name); strict: the default and words 0.9, text 0.98 alike; none",
    );

/**
 * The constraints of a preset around a recipe's own.
 * - default: the recipe's, and `more`: part of speech, no opposites, articles.
 * - strict: the default, and the thresholds at which people find no fault (Morris et al. 2020, "Reevaluating Adversarial Examples in
 *   Natural Language", section 5: word cosine 0.9, sentence cosine 0.98), by our own measures, and fluency.
 * - textattack: the recipe's alone. A success is judged as TextAttack judges it, by argmax: of tied labels the first one is predicted.
 * - none: each word once, so that a search ends.
 */
export function presetConstraints(
  preset: Preset,
  recipe: readonly Constraint[],
  more: readonly Constraint[] = [noOpposites, samePartOfSpeech(), articlesAgree],
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
