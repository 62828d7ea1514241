/**
 * @file The default filter, our own method. It joins two finders: signs (a word, a phrase, an opening) and patterns of form (parts of speech,
 * punctuation, letters). The unit of each is the score that one in a hundred clean texts reaches, and a text has the higher of its two scores.
 */

import { suspicionsByForm } from '../form-suspicions.js';
import type { FilterMethod, Suspicion } from '../method.js';
import { suspicionsBySign } from '../sign-suspicions.js';
import { quantileThreshold } from '../threshold.js';

/** Share of clean texts above the unit of a finder's scores. */
const UNIT_SHARE = 0.01;

export const auto: FilterMethod = {
  name: 'auto',
  summary:
    'a word, phrase, spelling, set of words or form of sentence in more texts of a label than clean texts have, against what their other words say',
  covers: ['rare words', 'sets of words', 'sentences', 'look-alike letters', 'archaic English'],
  blind:
    'misspellings of ordinary words, fillers of speech, words left out, marks such as dashes, clauses, and paraphrases',
  judges: 'training set',
  needs: 'texts',
  reference: 'left out',
  async fit(material) {
    const { suspects, reference } = material;
    const finders = reference.length === 0 ? [suspicionsBySign] : [suspicionsBySign, suspicionsByForm];
    const found = finders.map((finder) => inUnits(finder(material), suspects.length));
    const rowOf = new Map([...suspects, ...reference].map((example, row) => [example, row]));
    return async (examples) =>
      examples.map((example) => {
        const row = rowOf.get(example);
        if (row === undefined) throw new RangeError(`expected a text that was learnt from, got ${example.id}`);
        const both = found.map((of) => of[row]!);
        const strongest = both.reduce((a, b) => (b.score > a.score ? b : a));
        return { ...strongest, evidence: Math.max(...both.map(({ evidence = 0 }) => evidence)) };
      });
  },
};

/** Scores in units of what clean texts reach, where there are any. */
function inUnits(found: readonly Suspicion[], suspects: number): Suspicion[] {
  const clean = Float64Array.from(found.slice(suspects), ({ score }) => score);
  const unit = clean.length === 0 ? 1 : Math.max(quantileThreshold(clean, UNIT_SHARE), Number.EPSILON);
  return found.map((each) => ({ ...each, score: each.score / unit }));
}
