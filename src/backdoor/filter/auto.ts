/**
 * @file The filter, our own method. It joins two finders: signs (a word, a phrase, an opening) and patterns of form (parts of speech,
 * punctuation, letters). The unit of each is the score that one in a hundred clean texts reaches, and a text has the higher of its two scores.
 */
import { must } from '../../core/errors.js';
import { traitsOf } from './form.js';
import { type FilterInput, NOTHING, type Suspicion, type TextJudge } from './method.js';
import { patternsIn } from './patterns.js';
import { suspicionsBySign } from './sign-suspicions.js';
import { quantileThreshold } from './threshold.js';

/** Share of clean texts above the unit of a finder's scores. */
const UNIT_SHARE = 0.01;

/**
 * Kinds of triggers of which it found at least half of the poisoned texts, by the lower end of the interval, in every set of
 * docs/research/backdoor-filter.md with 40 or more poisoned texts.
 */
export const COVERS = ['rare words', 'sets of words', 'sentences', 'look-alike letters', 'archaic English'] as const;

/** Kinds of triggers that it hardly finds, as measured there. */
export const BLIND =
  'misspellings of ordinary words, fillers of speech, words left out, marks such as dashes, clauses, and paraphrases';

export const auto: TextJudge = (material) => {
  const { suspects, reference } = material;
  const finders = reference.length === 0 ? [suspicionsBySign] : [suspicionsBySign, suspicionsByForm];
  const found = finders.map((finder) => inUnits(finder(material), suspects.length));
  return [...suspects, ...reference].map((_, row) => {
    const both = found.map((of) => must(of[row]));
    return both.reduce((a, b) => (b.score > a.score ? b : a));
  });
};

/** One per text, suspects first, then the reference. */
function suspicionsByForm(material: FilterInput): Suspicion[] {
  const [suspects, reference] = [material.suspects, material.reference].map((of) => of.map(({ text }) => text));
  return patternsIn(material, traitsOf(must(suspects), must(reference), material.language)).map((match) =>
    match === undefined ? NOTHING : { score: match.score, trigger: match.pattern, reason: match.reason },
  );
}

/** Scores in units of what clean texts reach, where there are any. */
function inUnits(found: readonly Suspicion[], suspects: number): Suspicion[] {
  const clean = Float64Array.from(found.slice(suspects), ({ score }) => score);
  const unit = clean.length === 0 ? 1 : Math.max(quantileThreshold(clean, UNIT_SHARE), Number.EPSILON);
  return found.map((each) => ({ ...each, score: each.score / unit }));
}
