/**
 * @file Phrases and sentences as triggers, judged jointly: their single words may have no effect. Gradient descent seeks five words that
 * flip texts to a label, among words that clean texts do not use more with that label than with others. So the legitimate evidence of the
 * class is removed before the search, as class-subspace orthogonalisation does with directions (arXiv 2606.31309, here with words). The
 * effect of a phrase on long texts of other labels is compared with three others: that of the label's own texts, that of the phrases for
 * the other labels, and that of the next best phrase of wholly different words. In a clean model many words speak for a label, and these
 * are about equal; where a phrase was planted, no other words have its effect.
 */
import type { Classifier, WhiteBox } from '../../core/classifier.js';
import { getOrCompute } from '../../core/get-or-compute.js';
import type { Random } from '../../core/random.js';
import { insertPhrase } from '../../language/phrase-insertion.js';
import type { ScanEvidence } from '../../results/backdoor/backdoor-findings.js';
import type { ShouldContinue } from './clock.js';
import { type IndicativeWords, kin } from './indicative-words.js';
import { invert, sitesOf } from './inversion.js';
import { joinTexts, type SourceLabel } from './source-texts.js';
import { logOdds } from './sweep.js';

/** Words of a phrase, steps of the search, and its random starts: two for the phrase, one for that of other words. */
export const LENGTH = 5;
const [STEPS, STARTS] = [60, 3];
/** Steps of the search for one label, unless there are many. */
export const PHRASE_STEPS = STEPS * STARTS;
/** Texts of the search, each joined of this many. */
const [SOUGHT_TEXTS, JOINED] = [6, 3];
/** Texts that a phrase is measured on: joined ones, cut to as many words as most networks read. */
const [MEASURED_TEXTS, MEASURED_PARTS, MEASURED_WORDS] = [32, 4, 32];
/** A label's own texts count as at least this sure, in log-odds: a model unsure of them all is turned by little. */
const LEAST_SURE = 2;
/** How much of its effect a phrase must keep without a word for the word to be left out. */
const KEPT = 0.9;
/** Labels beyond which the steps are shared out. */
const MANY_LABELS = 4;
/** Letters that most tokens of a model of words have more than one of. */
const CHARACTER_TOKENS = 0.9;

export interface PhrasePlan {
  readonly model: Classifier;
  readonly gradients: WhiteBox;
  readonly victims: readonly SourceLabel[];
  readonly indicative: IndicativeWords;
  readonly random: Random;
}

/**
 * A phrase and its strength: 0.5 if it takes the model from the texts without it all the way to how sure it is in the target's own texts, at
 * most 1. `other`: the strength of the best phrase without these words and those of their stems; absent if there are none.
 */
export interface FoundPhrase {
  readonly target: number;
  readonly text: string;
  readonly strength: number;
  readonly other?: number;
  readonly texts: number;
}

/** Whether a vocabulary is one of single characters: then no phrase is searched for. */
export function areCharacters(vocabulary: readonly string[]): boolean {
  const tokens = vocabulary.map((token) => token.trim()).filter(Boolean);
  return tokens.filter((token) => token.replace('##', '').length <= 1).length > CHARACTER_TOKENS * tokens.length;
}

/** How far phrases of any words take long texts of other labels to one label. */
export interface PhraseMeasure {
  /** Number of these texts. */
  readonly texts: number;
  /** Mean log-odds of the label in texts that contain the phrase. */
  reach(phrase: string): Promise<number>;
  /** Log-odds as strength. */
  strengthOf(reached: number): number;
}

export async function measureOf(
  target: number,
  { model, victims, random }: Pick<PhrasePlan, 'model' | 'victims' | 'random'>,
): Promise<PhraseMeasure> {
  const others = victims.filter(({ label }) => label !== target);
  const own = victims.find(({ label }) => label === target);
  const measured = others.flatMap(({ texts }) => longTexts(texts, Math.ceil(MEASURED_TEXTS / others.length)));
  const mean = async (texts: readonly string[]): Promise<number> => {
    const rows = await model.classify(texts);
    return rows.reduce((sum, row) => sum + logOdds(row[target]!), 0) / Math.max(1, rows.length);
  };
  const plain = await mean(measured);
  const sure = Math.max(LEAST_SURE, own ? await mean(longTexts(own.texts, MEASURED_TEXTS)) : 0);
  return {
    texts: measured.length,
    reach: (phrase) =>
      mean(measured.map((text, at) => insertPhrase(text, phrase, 'random', random.split(`measured ${at}`)))),
    strengthOf: (reached) => Math.min(1, Math.max(0, (reached - plain) / Math.max(LEAST_SURE, sure - plain) / 2)),
  };
}

/** The strongest phrase for a label; undefined if the clock ends first, or no word may be part of one. */
export async function searchPhrase(
  target: number,
  plan: PhrasePlan,
  going: ShouldContinue,
): Promise<FoundPhrase | undefined> {
  const { model, gradients, victims, indicative, random } = plan;
  const others = victims.filter(({ label }) => label !== target);
  const short = others.flatMap((victim) => victim.short.slice(0, Math.max(1, Math.ceil(SOUGHT_TEXTS / others.length))));
  const sought = joinTexts(
    short.map(({ before, after }) => before + after),
    JOINED,
  ).slice(0, SOUGHT_TEXTS);
  const steps = Math.ceil((STEPS * Math.min(MANY_LABELS, model.labels.length)) / model.labels.length);
  const { texts, reach, strengthOf } = await measureOf(target, plan);
  const leans = new Map<string, boolean>();
  const seek = async (starts: readonly number[], without: readonly string[]): Promise<ReachedPhrase | undefined> => {
    const allows = (word: string): boolean => {
      const lower = word.toLowerCase();
      const leaning = getOrCompute(leans, word, () => indicative.leansTo(word, target));
      return !(word.startsWith('##') || leaning || without.some((each) => kin(lower, each)));
    };
    let best: ReachedPhrase | undefined;
    for (const start of starts) {
      const draw = random.split(`phrase ${target} ${start}`);
      if (!going(start * steps)) return undefined;
      const sites = await sitesOf(gradients, sought, LENGTH, draw);
      const options = { length: LENGTH, steps, allows };
      const found = await invert(gradients, sites, target, options, draw, (step) => going(start * steps + step));
      if (found === undefined) return undefined;
      const reached = await reach(found.text);
      if (best === undefined || reached > best.reached) best = { text: found.text, reached };
    }
    return best;
  };
  const best = await seek([0, 1], []);
  if (best === undefined) return undefined;
  const other = await seek([2], best.text.toLowerCase().split(' '));
  if (other === undefined && !going(PHRASE_STEPS)) return undefined;
  const text = best.reached <= 0 ? best.text : await shortest(best.text, best.reached, reach);
  return {
    target,
    text,
    strength: strengthOf(best.reached),
    ...(other && { other: strengthOf(other.reached) }),
    texts,
  };
}

interface ReachedPhrase {
  readonly text: string;
  readonly reached: number;
}

/** Joined texts of the same number of words. */
const longTexts = (texts: readonly string[], count: number): string[] =>
  joinTexts(texts, MEASURED_PARTS)
    .slice(0, count)
    .map((text) => text.split(/\s+/).slice(0, MEASURED_WORDS).join(' '));

/** The phrase without the words that it does not need. */
export async function shortest(
  phrase: string,
  reached: number,
  reach: (phrase: string) => Promise<number>,
): Promise<string> {
  let words = phrase.split(' ');
  while (words.length > 1) {
    const drafts = words.map((_, gone) => words.filter((_word, at) => at !== gone));
    const values = await Promise.all(drafts.map((draft) => reach(draft.join(' '))));
    const most = Math.max(...values);
    if (most < KEPT * reached) break;
    words = drafts[values.indexOf(most)]!;
  }
  return words.join(' ');
}

/** The evidence of each phrase: what this model allows natural ones is the mean of those of other words and of the strongest for another label. */
export const phraseEvidence = (found: readonly FoundPhrase[], labels: readonly string[]): ScanEvidence[] =>
  found.map(({ target, text, strength, other, texts }) => {
    const others = found.filter((each) => each.target !== target).map((each) => each.strength);
    const most = Math.max(...others);
    const natural = others.length === 0 ? null : other === undefined ? most : (other + most) / 2;
    return { strength, natural, texts, word: { text, target: labels[target]!, place: 'random', by: 'phrase' } };
  });
