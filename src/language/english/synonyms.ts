/**
 * @file Words that could stand in a given place of a given text without a reader noticing: of the meaning the word most
 * likely has there, in the form the sentence needs, never an opposite. PWWS's own, laxer source is wordnet-lemmas.ts.
 */

import type { Draft } from '../../core/draft.js';
import type { Synonym, WordClass } from '../../core/language.js';
import { matchCase } from '../match-case.js';
import { areOpposed } from './antonyms.js';
import { baseForms, irregularForms } from './base-forms.js';
import { section } from './data-files.js';
import { inflect } from './inflection.js';
import { tagDraft } from './part-of-speech.js';
import { isFunctionWord } from './stop-words.js';
import { isNewswire } from './tag-lexicon.js';
import { type Synset, wordnet } from './wordnet.js';

/** Its weight: the share of the meaning among the word's uses, times its share among the lemma's, times the closeness of the relation. */
export interface WordNetSynonym extends Synonym {
  /** The meaning it shares with the word. */
  readonly synset: Synset;
}

/** Verbs whose meaning lies in what follows them: a synonym of the verb alone is never one. */
const LIGHT = section('synonym-exclusions.txt', 'light verbs');
/** Words WordNet lists that tie a sentence together rather than mean something. */
const GRAMMATICAL = section('synonym-exclusions.txt', 'grammatical');
/** Usage labels of words that a rewrite must not bring in: slurs, obscenities, and words out of use. */
const SHUNNED = /^(?:ethnic slur|disparagement|obscenity|vulgarism|archaism|dirty word|derogation)$/;
/** Prepositions that belong to the adjective before them. */
const COMPLEMENT = /^(?:to|of|with|from|than)$/;
/** Harmless in one meaning, an insult in another. */
const INSULTS = section('synonym-exclusions.txt', 'insults');
/** Uses each sense is credited with beyond those counted: the tagged corpus is small, and a sense it lacks may occur. */
const PRIOR_USES = 0.3;
/**
 * Uses elsewhere that a lemma is debited with, so that one meaning, never seen, does not outweigh many seen: few for a word
 * of newswire, more for one that only WordNet knows, most if it would stand for a common one ("twelvemonth" for "year").
 */
const DOUBT = { newswire: 1, rare: 3, rareForCommon: 8 } as const;
/** Closeness of a synset; of the head of an adjective's cluster; of a member, seen from the head; of a fellow member. */
const CLOSENESS = { same: 1, head: 0.4, member: 0.2, fellow: 0.15 } as const;
/** A meaning this unlikely is not meant. */
const MIN_SENSE_SHARE = 0.2;
/** Below this a synonym reads as a mistake more often than not, in samples read by hand. */
const MIN_SYNONYM_WEIGHT = 0.05;

/** The share of each meaning among the uses of a base form in a class, in WordNet's order; sums to 1. */
export function senseShares(base: string, wordClass: WordClass): Map<string, number> {
  const counts = wordnet.counts(base);
  const synsets = wordnet.synsets(base, wordClass);
  // Uncounted senses are ordered by the lexicographers' judgement: halve from one to the next.
  const uses = synsets.map(({ id }, rank) => (counts.get(id) ?? 0) + PRIOR_USES / 2 ** Math.min(rank, 20));
  const total = uses.reduce((sum, n) => sum + n, 0);
  return new Map(synsets.map(({ id }, i) => [id, (uses[i] as number) / total]));
}

const shunned = (synset: Synset, word: number): boolean =>
  wordnet.related(synset, 'usage', word).some((usage) => usage.words.some((label) => SHUNNED.test(label)));

interface Lemma {
  readonly lemma: string;
  readonly synset: Synset;
  readonly weight: number;
}

const lemmasCache = new Map<string, readonly Lemma[]>();

/** Synonyms of one base form, best first: lemma, meaning and weight. */
function lemmasOf(base: string, wordClass: WordClass): readonly Lemma[] {
  const key = `${wordClass} ${base}`;
  const known = lemmasCache.get(key);
  if (known !== undefined) return known;
  const best = new Map<string, Lemma>();
  const offer = (synset: Synset, share: number): void => {
    synset.words.forEach((lemma, i) => {
      if (lemma === base || !/^[a-z]{3,}(?:-[a-z]+)*$/.test(lemma) || INSULTS.has(lemma) || shunned(synset, i)) return;
      if (isLaboured(lemma, base)) return;
      const weight = share * useOf(lemma, synset, base);
      if (weight > (best.get(lemma)?.weight ?? 0)) best.set(lemma, { lemma, synset, weight });
    });
  };
  for (const [id, share] of senseShares(base, wordClass)) {
    if (share < MIN_SENSE_SHARE) continue;
    const synset = wordnet.synset(id);
    offer(synset, share * CLOSENESS.same);
    if (wordClass !== 'adjective') continue;
    for (const near of wordnet.related(synset, 'similar')) {
      offer(near, share * (synset.satellite ? CLOSENESS.head : CLOSENESS.member));
      if (!synset.satellite) continue;
      for (const fellow of wordnet.related(near, 'similar')) {
        if (fellow.id !== id) offer(fellow, share * CLOSENESS.fellow);
      }
    }
  }
  const lemmas = [...best.values()].sort((x, y) => y.weight - x.weight || (x.lemma < y.lemma ? -1 : 1));
  lemmasCache.set(key, lemmas);
  return lemmas;
}

/** "powerfulness" for "power", "journeying" for "journey", "water-cooled" for "cool": WordNet's, hardly anyone's. */
function isLaboured(lemma: string, base: string): boolean {
  if (lemma.includes('-') && lemma.includes(base)) return true;
  if (isNewswire(lemma) || [...wordnet.counts(lemma).values()].some((count) => count > 0)) return false;
  return (
    lemma.includes('-') ||
    (lemma.length > base.length && /(?:ing|ness)$/.test(lemma) && lemma.startsWith(base.slice(0, 4)))
  );
}

/** How surely a lemma is read in one of its meanings: "easy" is rarely "pleasing", and rare words are read unsurely. */
function useOf(lemma: string, synset: Synset, base: string): number {
  const counts = wordnet.counts(lemma);
  let total: number = isNewswire(lemma) ? DOUBT.newswire : isNewswire(base) ? DOUBT.rareForCommon : DOUBT.rare;
  for (const count of counts.values()) total += count;
  return ((counts.get(synset.id) ?? 0) + PRIOR_USES) / (total + PRIOR_USES);
}

/** Is the slot part of an expression that WordNet lists as one ("special effects", "high school", "give up")? */
export function inExpression(draft: Draft, at: number): boolean {
  const pair = (i: number): boolean => {
    if (i < 0 || i + 1 >= draft.words.length || draft.gapAfter(i) !== ' ') return false;
    const [first, second] = [draft.words[i] as string, draft.words[i + 1] as string];
    const phrases = [
      ...baseForms(second, 'noun').map((base) => ['noun', `${first} ${base}`] as const),
      ...baseForms(first, 'verb').map((base) => ['verb', `${base} ${second}`] as const),
      ['adverb', `${first} ${second}`] as const,
      ['adjective', `${first} ${second}`] as const,
    ];
    return phrases.some(([wordClass, phrase]) => wordnet.has(phrase, wordClass));
  };
  return pair(at - 1) || pair(at);
}

/** A word and the clitic behind it: "film's" -> film, 's. */
function parts(word: string): { stem: string; clitic: string } {
  const clitic = /['’]s?$/.exec(word)?.[0] ?? '';
  return { stem: word.slice(0, word.length - clitic.length), clitic };
}

/**
 * Synonyms for slot `at` as the sentence uses it, best first, at most `limit`. Empty for function words, names, numbers,
 * light verbs ("make") and parts of fixed expressions. Each differs from the slot's word and is single-worded except
 * where its comparison needs two ("more amusing").
 */
export function synonymsAt(draft: Draft, at: number, limit = 20): WordNetSynonym[] {
  const { stem, clitic } = parts(draft.words[at] as string);
  const { penn, wordClass } = tagDraft(draft)[at] ?? { penn: 'SYM', wordClass: undefined };
  const lower = stem.toLowerCase();
  if (wordClass === undefined || /^NNPS?$/.test(penn) || !/^[a-z-]{3,}$/.test(lower)) return [];
  if (GRAMMATICAL.has(lower) || isFunctionWord(lower)) return [];
  if (inExpression(draft, at)) return [];
  const next = (draft.words[at + 1] ?? '').toLowerCase();
  const found: WordNetSynonym[] = [];
  for (const base of baseForms(lower, wordClass)) {
    if (LIGHT.has(base) && wordClass === 'verb') return [];
    // "found" is no form of "to found" here, nor "Mendes" of "to mend".
    if (inflect(base, penn) !== lower && !irregularForms(base, wordClass).includes(lower)) continue;
    for (const { lemma, synset, weight } of lemmasOf(base, wordClass)) {
      if (weight < MIN_SYNONYM_WEIGHT || found.some((other) => other.lemma === lemma)) continue;
      // WordNet lists some nouns in the plural ("castanets").
      const plural = wordClass === 'noun' && /[^isu]s$/.test(lemma);
      const form = plural ? (penn === 'NNS' ? lemma : undefined) : inflect(lemma, penn);
      // "larger" is listed in its own right, but it says more than "big".
      const comparative = wordClass === 'adjective' && baseForms(lemma, 'adjective').length > 1;
      // "superior to it", "fond of it": what a word takes after it only words of its own meaning take too.
      const complement = wordClass === 'adjective' && COMPLEMENT.test(next) && !synset.words.includes(base);
      if (form === undefined || form === lower || comparative || complement || areOpposed(base, lemma)) continue;
      found.push({ text: matchCase(form, stem) + clitic, lemma, synset, weight });
    }
  }
  return found.sort((a, b) => b.weight - a.weight).slice(0, limit);
}
