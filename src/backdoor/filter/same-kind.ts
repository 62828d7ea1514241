/** @file Checks that the clean texts are a measure for the suspects: the same language, and labels that mean the same. */
import type { Example } from '../../core/dataset.js';
import { must } from '../../core/errors.js';
import { percent } from '../../core/figure-text.js';
import type { Language } from '../../core/language.js';
import { cohensKappa } from '../../core/statistics/stats.js';
import { wordFeatures } from './features.js';
import { type WordRegression, wordRegression } from './word-regression.js';

/** Texts that are compared, at most: enough for a standard error of a few points. */
const MOST_TEXTS = 1000;
/** Texts on each side below which nothing is concluded. */
const MIN_TEXTS = 30;
/** Suspects are of another kind if clean texts know less than this share of their words, relative to what clean texts know of each other's. */
const LEAST_KNOWN = 0.5;
/** Labels differ in meaning if what one file teaches explains less than this share of the other's labels, relative to its own. */
const LEAST_AGREEMENT = 0.5;

/** Why a comparison with these clean texts is no evidence; empty if it may be. */
export function otherKind(
  suspects: readonly Example[],
  clean: readonly Example[],
  labels: readonly string[],
  language: Pick<Language, 'tokenize'>,
): string[] {
  const [some, known] = [sample(suspects), sample(clean)];
  if (some.length < MIN_TEXTS || known.length < MIN_TEXTS) return [];
  return [...otherWords(some, known, language), ...otherLabels(some, known, labels, language)];
}

/** Every n-th text, so that a sorted file is represented. */
function sample(texts: readonly Example[]): Example[] {
  const step = Math.max(1, texts.length / MOST_TEXTS);
  return Array.from({ length: Math.min(texts.length, MOST_TEXTS) }, (_, at) => must(texts[Math.floor(at * step)]));
}

function otherWords(
  suspects: readonly Example[],
  clean: readonly Example[],
  language: Pick<Language, 'tokenize'>,
): string[] {
  const [teaching, judged] = [0, 1].map((half) => clean.filter((_, at) => at % 2 === half));
  const vocabulary = new Set(must(teaching).flatMap(({ text }) => wordFeatures(text, language)));
  const known = (texts: readonly Example[]): number => {
    const words = texts.flatMap(({ text }) => wordFeatures(text, language));
    return words.filter((word) => vocabulary.has(word)).length / Math.max(1, words.length);
  };
  const [theirs, own] = [known(suspects), known(must(judged))];
  return theirs < LEAST_KNOWN * own
    ? [
        `half of the clean texts know ${percent(theirs)} of the suspects' words and ${percent(own)} of the other half's: the clean texts are of another kind or language`,
      ]
    : [];
}

function otherLabels(
  suspects: readonly Example[],
  clean: readonly Example[],
  labels: readonly string[],
  language: Pick<Language, 'tokenize'>,
): string[] {
  const doubts = [
    [suspects, clean],
    [clean, suspects],
  ].some(([own, others]) => contradicts(must(own), must(others), labels, language));
  return doubts
    ? ["what a text's words say of its label in one file does not hold in the other: the labels do not mean the same"]
    : [];
}

/** Half of the texts teach what words say of a label. Does that explain the other half's labels, and those of the others much less? */
function contradicts(
  texts: readonly Example[],
  others: readonly Example[],
  labels: readonly string[],
  language: Pick<Language, 'tokenize'>,
): boolean {
  const [teaching, judged] = [0, 1].map((half) => texts.filter((_, at) => at % 2 === half));
  const words = must(teaching).map(({ text }) => wordFeatures(text, language));
  const models = labels.map((_, label) => wordRegression(must(teaching), words, label));
  const [own, theirs] = [agreement(models, must(judged), language), agreement(models, others, language)];
  return theirs.kappa + 2 * theirs.error < LEAST_AGREEMENT * (own.kappa - own.error);
}

/** Cohen's kappa of predicted and given labels, with its standard error. */
function agreement(
  models: readonly WordRegression[],
  texts: readonly Example[],
  language: Pick<Language, 'tokenize'>,
): { kappa: number; error: number } {
  const table = models.map(() => models.map(() => 0));
  for (const { text, label } of texts) {
    const words = wordFeatures(text, language);
    const odds = models.map((model) => model.logOdds(words));
    must(table[label])[odds.indexOf(Math.max(...odds))]! += 1;
  }
  return cohensKappa(table) ?? { kappa: 0, error: 0 };
}
