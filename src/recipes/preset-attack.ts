/** @file Attacks that replace words, with a set of constraints that the run may choose (`--constraint textattack`). */
import { z } from 'zod';
import { noRepeat } from '../constraints/edits.js';
import { articlesAgree } from '../constraints/fluency.js';
import { constraintsOption, type Preset, presetConstraints } from '../constraints/presets.js';
import { keepStopWords, noNewStopWords } from '../constraints/words.js';
import type { OptionsShape, OptionValues } from '../core/component.js';
import type { Constraint, SearchMethod, Transformation } from '../core/search.js';
import { swapLemmas, swapSynonyms } from '../language/synonym-swaps.js';
import { vectorsAt } from '../language/vector-file.js';
import { swapNeighbours } from '../language/vector-neighbours.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import { compose } from '../search/compose.js';
import type { rankings } from '../search/ranking.js';
import { type AttackFacts, searchOf } from './search-attack.js';

export interface PresetAttack<S extends OptionsShape> extends Omit<AttackFacts, 'level'> {
  /** Options besides the set of constraints. */
  readonly options?: S;
  /**
   * Replacement words. `lax`: the set asks for everything that the paper's attack would try, as in TextAttack's recipe. @default synonyms,
   * or all lemmas if lax
   */
  words?(chosen: OptionValues<S>, lax: boolean): Transformation;
  /** The recipe's constraints, besides that each word is edited once and stop words are kept. */
  constraints?(chosen: OptionValues<S>): readonly Constraint[];
  /** Constraints that the sets `default` and `strict` add, besides no new stop words and articles. @default no opposites, part of speech */
  readonly ours?: readonly Constraint[];
  /** @default greedy, as of `searchAttack` */
  search?(chosen: OptionValues<S>): SearchMethod;
  /** Default of the option `ranking`. */
  readonly ranking?: keyof typeof rankings;
}

/** An attack on words under a set of constraints. */
export function presetAttack<S extends OptionsShape = Record<never, never>>({
  options: attackOptions,
  words = (_, lax) => (lax ? swapLemmas : swapSynonyms()),
  constraints = () => [],
  ours,
  search,
  ranking,
  ...about
}: PresetAttack<S>): EvasionPlugin {
  const found = searchOf(search, ranking);
  const more = ours && [...ours, noNewStopWords, articlesAgree];
  return {
    kind: 'evasion',
    level: 'word',
    needs: 'scores',
    ...about,
    options: z.strictObject({ constraints: constraintsOption(), ...attackOptions, ...found.options }),
    create(given) {
      const chosen = given as OptionValues<S>;
      const { constraints: preset } = given as { constraints: Preset };
      const lax = preset === 'textattack' || preset === 'none';
      const peerRule = preset === 'textattack';
      const recipe = [noRepeat, keepStopWords, ...constraints(chosen)];
      const attack = compose({
        // Judges ties by argmax.
        ...(peerRule && { goal: (ofTheRun) => ofTheRun.peer ?? ofTheRun }),
        transformation: words(chosen, lax),
        constraints: presetConstraints(preset, recipe, more),
        search: found.search(chosen),
      });
      return peerRule ? { ...attack, peerRule } : attack;
    },
  };
}

/** The nearest words by the user's vectors; without vectors, synonyms, or all lemmas if `lax`. */
export function nearWords(vectors: string, candidates: number, cosine: number, lax: boolean): Transformation {
  const file = vectorsAt(vectors);
  if (file !== undefined) return swapNeighbours(file, candidates, cosine);
  return lax ? swapLemmas : swapSynonyms(candidates, true);
}
