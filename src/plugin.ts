/** @file The plugin API, `robust-text/plugin`: everything that a plugin may import. */

// Needed by every plugin: schemas of options, errors, seeded randomness, texts as words.

export { z } from 'zod';
export { argmax } from './core/argmax.js';
export type * from './core/classifier.js';
export type * from './core/dataset.js';
export type * from './core/decision.js';
export { mostProbable } from './core/decision.js';
export { Draft, type PieceEdit, type Word, wordsChanged, wordsOf } from './core/draft.js';
export { type ErrorCode, type ErrorDetails, ModelError, RobustError } from './core/errors.js';
export { MAX_JSON_DEPTH, parseJson } from './core/json.js';
export { labelHint, labelMeaning } from './core/label-words.js';
export { packaged, packageRoot } from './core/package-root.js';
export { besideText, type ExampleTexts, exampleTexts, otherText, textsInOrder } from './core/pair.js';
export { byName, NO_LABEL, predictedLabel, tiedLabels } from './core/prediction.js';
export type { Random } from './core/random.js';
export { type Decided, outcomeScores, scoreTexts, thresholdText } from './core/score-text.js';
export { didYouMean, nearest } from './core/suggest.js';
export { codePointOffsets } from './core/tags/code-points.js';
export { spansOfTags } from './core/tags/decode.js';
export { readTag, type TagPosition } from './core/tags/scheme.js';
export { NO_ENTITY, overlaps, type TagSpan } from './core/tags/span.js';
export { type CalendarDay, monthName, readDay, readValue } from './core/tags/value.js';
export { createReadStream, openToRead } from './files/for-plugins.js';
export { lineBlocks } from './files/line-blocks.js';
export { decisionText } from './tasks/decide.js';

// Plugin interfaces and the types of their arguments.

export type * from './core/component.js';
export { constraint, goal, search, transformation } from './core/component.js';
export type * from './core/defence.js';
export type * from './core/fill-mask.js';
export type * from './core/outcome.js';
export { besideGoal, hasFailed, STATUSES, wasAttacked } from './core/outcome.js';
export type * from './core/plugin.js';
export type * from './core/poisoner.js';
export type * from './core/search.js';
export type * from './core/victim.js';
export type * from './core/victim-plugin.js';
export { codePoint, INVISIBLE, lookAlikes, visible } from './core/visible.js';
export { type CascadeAttack, type CascadePlugin, cascadeAttack, type StageOf } from './recipes/cascade-attack.js';
export { type LetterAttack, letterAttack } from './recipes/letter-attack.js';
export { nearWords, type PresetAttack, presetAttack } from './recipes/preset-attack.js';
export { type SearchAttack, searchAttack } from './recipes/search-attack.js';
export { type TextAttack, textAttack } from './recipes/text-attack.js';
export type * from './results/attack-plugin.js';

// Languages.

export type * from './core/language.js';
export { languagePart } from './core/language.js';
export type { Capability, NegationPart, NegationProbe, Polarity } from './core/negation.js';

// Transformations and edits.

export { MORSE_CODE, NATO_WORDS, rot13, TURNED as TURNED_LETTERS } from '../packages/shield/src/spelling-alphabets.js';
export {
  caseOf,
  dropped,
  graphemesOf,
  insertText as inserted,
  mistyped,
  staysHidden,
  substituted,
  swapLetters as swapped,
  typedBefore,
  writtenApart,
} from './language/character-edits.js';
export { homoglyph, leetSigns, presentationForms } from './language/confusables.js';
export { continuations } from './language/continuations.js';
export { type InfillMode, type InfillOptions, infilling, infillModes, mlmOption } from './language/masked-lm-edits.js';
export { matchCase } from './language/match-case.js';
export { type NameOfOrigin, namesByOrigin } from './language/names-by-origin.js';
export type * from './language/phrase-insertion.js';
export {
  INSERT_POSITIONS,
  insertPhrase,
  insertPhrases,
  rareWordExcept,
  spaceBeforeMarks,
  wordTriggers,
} from './language/phrase-insertion.js';
export { swapLemmas, swapSynonyms } from './language/synonym-swaps.js';
export { type VectorFile, vectorsAt, vectorsOption } from './language/vector-file.js';
export type { Neighbour, WordVectors } from './language/word-vectors.js';
export { swapWords } from './search/swap-words.js';

// Constraints.

export { maxEditShare, maxEdits, maxFraction, maxWords, noRepeat } from './constraints/edits.js';
export { articlesAgree, likelihoodKept } from './constraints/fluency.js';
export { infillsFit } from './constraints/infills.js';
export { meaningKept, noOpposites, samePartOfSpeech, wordsAlike } from './constraints/meaning.js';
export {
  keepDenials,
  keepDescriptions,
  keepStopWords,
  minLength,
  noNewStopWords,
  readableWords,
} from './constraints/words.js';

// Search methods, word rankings, goals.

export { anyEdit } from './search/any-edit.js';
export { beam } from './search/beam.js';
export type { ScoredRow } from './search/best-rows.js';
export { boundary } from './search/boundary.js';
export type { Cascade, Stage } from './search/cascade.js';
export { compose, type Recipe } from './search/compose.js';
export { type CrossFitting, crossFitted, type UniversalPhrase } from './search/cross-fitted.js';
export { firstOrder } from './search/first-order.js';
export { type GeneticOptions, genetic } from './search/genetic.js';
export { greedy } from './search/greedy.js';
export { inOrder, rewriteText, type TextContext } from './search/in-order.js';
export { leaveOut } from './search/leave-out.js';
export { byPositions, type PositionOptions } from './search/positions.js';
export { randomSearch } from './search/random-search.js';
export {
  byDeletion,
  byGradient,
  byWeightedSaliency,
  type Ranking,
  rankings,
} from './search/ranking.js';
export { addSlotGradient } from './search/slot-gradient.js';
export { Space, type SpaceParts } from './search/space.js';
export { type SwarmOptions, swarm } from './search/swarm.js';

// Exhaustive checks.

export { EMPTY_SPACE, type ExhaustiveOptions, exhaustiveCheck, replacesWords } from './verify/exhaustive.js';
export { verificationMeasures } from './verify/measures.js';
export { SPACE_NAMES, type SpaceName } from './verify/spaces.js';

// Attacks on embeddings.

export { ascent, type EmbeddedText, move as moved, type Norm, noise, withinBall } from './search/embedding.js';
export type * from './search/embedding-attack.js';
export { embeddingAttack, fastGradient, startAt } from './search/embedding-attack.js';
export { embeddingMeasures, noiseMeasure } from './search/embedding-measures.js';

// Measures: figures that an attack determines besides success.

export type * from './results/measures/capabilities.js';
export { capabilities } from './results/measures/capabilities.js';
export {
  CURVES,
  CURVES_TITLE,
  type CurvePanel,
  type Curves,
  curveBlocks,
  curvesOfModel,
} from './results/measures/curves.js';
export { GENERAL_MEASURES as generalMeasures } from './results/measures/index.js';
export type * from './results/measures/measure.js';
export { rateMeasure, valueAt } from './results/measures/measure.js';
export type { MeanQuality } from './results/measures/quality.js';

// Reports.

export type * from './core/endpoint.js';
export { interval, percent, withBounds } from './core/figure-text.js';
export type * from './core/output-reading.js';
export type * from './core/override.js';
export type * from './core/statistics/rate.js';
export { rateSchema } from './core/statistics/rate.js';
export type * from './core/statistics/seed-differences.js';
export { wilson } from './core/statistics/stats.js';
export type * from './results/backdoor/backdoor-findings.js';
export type * from './results/backdoor/planting.js';
export type { StandingCard } from './results/card/card.js';
export type * from './results/card/guard-card.js';
export type * from './results/card/leaderboard.js';
export type * from './results/clean/clean-metrics.js';
export { CLASS_FIGURES, CLEAN_FIGURES, CLEAN_MEASURES } from './results/clean/clean-metrics.js';
export type { Cell, Recorded } from './results/clean/confusion.js';
export { cellsOf } from './results/clean/confusion.js';
export { type CleanAnswers, degeneracy, degenerateLine, degenerateModels } from './results/clean/degenerate.js';
export type { Coarseness } from './results/clean/scores.js';
export type * from './results/comparison/comparison.js';
export type { DecisionDifference } from './results/comparison/decision-difference.js';
export type * from './results/comparison/hardening.js';
export { MIN_COMPARED_EXAMPLES, SIGNIFICANCE_LEVEL, verdictsOn } from './results/comparison/hardening.js';
export type { DiagnosedCheck, Trustworthy } from './results/diagnostics/check.js';
export { titleOfCheck, trustLine } from './results/diagnostics/index.js';
export type * from './results/measures/attack-metrics.js';
export { DETECTOR_RATES } from './results/measures/attack-rates.js';
export type * from './results/report/explanation.js';
export { type LeftOut, leftOutLines } from './results/report/left-out.js';
export type * from './results/report/report.js';
export type * from './results/report/verdict.js';
export type * from './results/report/verification.js';
export type { CleanTags } from './results/tags/clean.js';
export type { TagFigures } from './results/tags/figures.js';

// Documents: results as data.

export type * from './results/report/document.js';
export { code, dim, legend, note, prose, strong, table } from './results/report/document.js';
