/** @file Which of several synonyms reads best where it stands: sense against fluency. */
import type { Draft } from '../core/draft.js';
import type { NgramModel } from './ngram-model.js';
import type { Synonym } from './synonyms.js';

export interface FittedSynonym extends Synonym {
  /** Log p of the words around with it, less that with the original: above 0, the model expects it rather. In nats. */
  readonly fit: number;
}

/** Words on either side that a model of order 6 or less can see. */
const REACH = 5;
/** What a nat of fit weighs against a nat of sense: a little, since the texts at hand are few and the senses counted. */
const FIT_WEIGHT = 0.3;

/** Log p of slot `at` with some content, and of the words around it. */
function logProbability(draft: Draft, at: number, content: string, model: NgramModel): number {
  const from = Math.max(0, at - REACH);
  const to = Math.min(draft.words.length - 1, at + REACH);
  let text = '';
  for (let i = from; i <= to; i++) text += (i === at ? content : draft.words[i]) + (i < to ? draft.gapAfter(i) : '');
  return -Math.LN2 * model.surprisals(text).bits.reduce((sum, bits) => sum + bits, 0);
}

/** The synonyms of slot `at`, best first by ln(weight) + 0.3 fit. */
export function rankByFit(synonyms: readonly Synonym[], draft: Draft, at: number, model: NgramModel): FittedSynonym[] {
  const now = logProbability(draft, at, draft.words[at] as string, model);
  const score = ({ weight, fit }: FittedSynonym): number => Math.log(weight) + FIT_WEIGHT * fit;
  return synonyms
    .map((synonym) => ({ ...synonym, fit: logProbability(draft, at, synonym.text, model) - now }))
    .sort((a, b) => score(b) - score(a) || (a.text < b.text ? -1 : 1));
}
