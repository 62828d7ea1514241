/**
 * @file The plugin API, `robust-text/plugin`: what an author of a plugin needs. Types of results that a reporter takes apart are exported by `robust-text`.
 */

// Every plugin: options, errors, seeded randomness.

export { z } from 'zod';
export { type ErrorCode, type ErrorDetails, RobustError } from './core/errors.js';
export type { Random } from './core/random.js';
export { visible } from './core/visible.js';

// What a plugin of each kind is, and what it is given.

export type { Classifier, EmbeddingGradient, Token, WhiteBox } from './core/classifier.js';
export type { OptionValues } from './core/component.js';
export { constraint, goal, search, transformation } from './core/component.js';
export type { Dataset, DatasetPlugin, DatasetReader, Example } from './core/dataset.js';
export type { Decision } from './core/decision.js';
export type { Defence, DefenceContext, DefencePlugin } from './core/defence.js';
export type { FillMask } from './core/fill-mask.js';
export { type Language, languagePart } from './core/language.js';
export type { Attempt, Outcome } from './core/outcome.js';
export type { ComponentPlugin, EvasionAttack, Parts, PoisonPlugin, Suite } from './core/plugin.js';
export type { Poisoner } from './core/poisoner.js';
export type {
  Constraint,
  Goal,
  Scored,
  SearchMethod,
  SearchSpace,
  Transformation,
} from './core/search.js';
export type { MeteredVictim, Victim } from './core/victim.js';
export type { VictimPlugin } from './core/victim-plugin.js';

// A text under attack.

export { Draft, type PieceEdit, type Word, wordsChanged, wordsOf } from './core/draft.js';

// Attacks made of parts.

export { cascadeAttack } from './recipes/cascade-attack.js';
export { letterAttack } from './recipes/letter-attack.js';
export { nearWords, presetAttack } from './recipes/preset-attack.js';
export { searchAttack } from './recipes/search-attack.js';
export { textAttack } from './recipes/text-attack.js';
export { embeddingAttack } from './search/embedding-attack.js';

// Transformations: edits of letters, of words, of the whole text.

export {
  dropped,
  graphemesOf,
  insertText as inserted,
  mistyped,
  substituted,
  swapLetters as swapped,
  typedBefore,
  writtenApart,
} from './language/character-edits.js';
export { homoglyph, leetSigns } from './language/confusables.js';
export { infilling, mlmOption } from './language/masked-lm-edits.js';
export { matchCase } from './language/match-case.js';
export { INSERT_POSITIONS, insertPhrase, insertPhrases, wordTriggers } from './language/phrase-insertion.js';
export { swapSynonyms } from './language/synonym-swaps.js';
export { vectorsAt, vectorsOption } from './language/vector-file.js';
export { swapWords } from './search/swap-words.js';

// Constraints.

export { maxEdits, maxFraction, maxWords, noRepeat } from './constraints/edits.js';
export { likelihoodKept } from './constraints/fluency.js';
export { infillsFit } from './constraints/infills.js';
export { meaningKept, samePartOfSpeech, wordsAlike } from './constraints/meaning.js';
export { keepStopWords, minLength, readableWords } from './constraints/words.js';

// Search methods and rankings of words.

export { anyEdit } from './search/any-edit.js';
export { beam } from './search/beam.js';
export { boundary } from './search/boundary.js';
export { compose } from './search/compose.js';
export { firstOrder } from './search/first-order.js';
export { genetic } from './search/genetic.js';
export { greedy } from './search/greedy.js';
export { inOrder, rewriteText } from './search/in-order.js';
export { isolate } from './search/isolate.js';
export { leaveOut } from './search/leave-out.js';
export { randomSearch } from './search/random-search.js';
export { byDeletion, byGradient, byWeightedSaliency, rankings } from './search/ranking.js';
export { swarm } from './search/swarm.js';

// Measures that an attack determines besides its success, and documents, which all reports print.

export { type Rate, rateSchema } from './core/statistics/rate.js';
export { wilson } from './core/statistics/stats.js';
export type { EvasionPlugin } from './results/attack-plugin.js';
export { type Evidence, type Measure, rateMeasure, valueAt } from './results/measures/measure.js';
export { note, table } from './results/report/document.js';
export type { Report, ReporterPlugin } from './results/report/report.js';
