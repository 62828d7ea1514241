/** @file THE KIT, `robust-text/plugin`: all that an attack, a data set reader or a report renderer may import. */
export { z } from 'zod';
export { defineConfig } from './config/define-config.js';
export type { Config } from './config/schema.js';
export { maxEdits, maxFraction, maxWords, noRepeat } from './constraints/edits.js';
export { articlesAgree, likelihoodKept, maxPerplexityRatio } from './constraints/fluency.js';
export { constraints } from './constraints/index.js';
export { infillsFit } from './constraints/infills.js';
export { meaningKept, noOpposites, samePartOfSpeech, thoughtKept, wordsAlike } from './constraints/meaning.js';
export { constraintsOption, type Preset, presetConstraints, presets } from './constraints/presets.js';
export { keepDescriptions, keepStopWords, minLength, protect } from './constraints/words.js';
export { argmax } from './core/argmax.js';
export type * from './core/attack-metrics.js';
export type * from './core/classifier.js';
export type * from './core/clean-metrics.js';
export type * from './core/comparison.js';
export { type Chosen, constraint, goal, search, transformation } from './core/component.js';
export type * from './core/dataset.js';
export { degeneracy, degenerateLine, degenerateModels } from './core/degenerate.js';
export type * from './core/detection.js';
export type * from './core/document.js';
export { code, dim, note, prose, strong, table } from './core/document.js';
export { Draft, type Word, wordsChanged, wordsOf } from './core/draft.js';
export * from './core/errors.js';
export type * from './core/explanation.js';
export type * from './core/fill-mask.js';
export {
  COMPARED,
  type Gain,
  type HardeningReport,
  type SeedComparison,
  SIGNIFICANT,
  type Spread,
  significant,
  verdictsOn,
} from './core/hardening.js';
export * from './core/language.js';
export { type LeftOut, leftOutLines } from './core/left-out.js';
export {
  type AttackValue,
  type Evidence,
  type Measure,
  type MeasureFold,
  type Metric,
  rateMeasure,
  rateSchema,
  valueAt,
} from './core/measure.js';
export {
  type CapabilityMetrics,
  capabilities,
  type ProbeEvidence,
  type ProbeRelation,
} from './core/measures/capabilities.js';
export { GENERAL as generalMeasures } from './core/measures/index.js';
export * from './core/negation.js';
export type * from './core/outcome.js';
export type * from './core/output-reading.js';
export { packageRoot } from './core/package-root.js';
export { holm, mcnemarExact, type PairedCounts, pairedDifference } from './core/paired.js';
export type * from './core/planting.js';
export type * from './core/plugin.js';
export type * from './core/poisoner.js';
export type { Random } from './core/random.js';
export { random } from './core/random.js';
export type * from './core/rate.js';
export { reachOf } from './core/reach.js';
export type * from './core/report.js';
export type * from './core/search.js';
export { wilson } from './core/stats.js';
export { didYouMean, nearest } from './core/suggest.js';
export type * from './core/verdict.js';
export type * from './core/victim.js';
export {
  dropped,
  graphemesOf,
  inserted,
  LETTERS,
  substituted,
  swapped,
  writtenApart,
} from './language/character-edits.js';
export { homoglyph, leetSigns } from './language/confusables.js';
export { CorpusStatistics } from './language/corpus-statistics.js';
export { english } from './language/english/index.js';
export { withEntities } from './language/entity-swaps.js';
export { foreignWarning } from './language/language-check.js';
export { type InfillMode, infilling, infillModes, mlmOption } from './language/masked-lm-edits.js';
export { matchCase } from './language/match-case.js';
export { NgramModel } from './language/ngram-model.js';
export { INSERT_POSITIONS, insertPhrase, insertPhrases, rareWordExcept } from './language/phrase-insertion.js';
export { qualityMeter } from './language/quality.js';
export { inverseFrequency, sentenceSimilarity } from './language/sentence-similarity.js';
export { rankByFit } from './language/synonym-fit.js';
export { swapLemmas, swapSynonyms } from './language/synonym-swaps.js';
export { VectorFile, vectorsAt, vectorsOption } from './language/vector-file.js';
export { swapNeighbours } from './language/vector-neighbours.js';
export { readWordVectors, WordVectors } from './language/word-vectors.js';
export { type NamedPart, type NamedRecipe, recipeAttack } from './recipes/named-recipe.js';
export { nearWords, presetAttack } from './recipes/preset-attack.js';
export { searchAttack } from './recipes/search-attack.js';
export { sharedTransformations } from './recipes/transformations.js';
export { beam } from './search/beam.js';
export { boundary } from './search/boundary.js';
export { compose, type Recipe } from './search/compose.js';
export { ascent, type EmbeddedText, moved, type Norm, noise, withinBall } from './search/embedding.js';
export { type EmbeddingRecipe, embeddingAttack, SIZES, type Start, startAt } from './search/embedding-attack.js';
export { embeddingMeasures, noiseMeasure } from './search/embedding-measures.js';
export { firstOrder, wordIds } from './search/first-order.js';
export { type GeneticOptions, genetic } from './search/genetic.js';
export { goals, surely, targeted, untargeted } from './search/goals.js';
export { greedy } from './search/greedy.js';
export { inOrder, rewriteText } from './search/in-order.js';
export { leaveOut } from './search/leave-out.js';
export { randomSearch } from './search/random-search.js';
export {
  atRandom,
  byDeletion,
  byGradient,
  byGradientInput,
  byUnknown,
  byWeightedSaliency,
  type Ranking,
  rankingOption,
  rankings,
} from './search/ranking.js';
export { searches } from './search/searches.js';
export { addSlotGradient } from './search/slot-gradient.js';
export { Space } from './search/space.js';
export { swapWords } from './search/swap-words.js';
export { type SwarmOptions, swarm } from './search/swarm.js';
