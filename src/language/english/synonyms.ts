/**
 * @file Synonyms that fit a place of a text without a reader noticing: of the word's most probable meaning there, correctly inflected,
 * never an opposite. PWWS's laxer source is wordnet-lemmas.ts.
 */
import type { Draft } from '../../core/draft.js';
import { must } from '../../core/errors.js';
import { getOrCompute } from '../../core/get-or-compute.js';
import type { Synonym, WordClass } from '../../core/language.js';
import type { Polarity } from '../../core/negation.js';
import { lazily } from '../data-files.js';
import { matchCase } from '../match-case.js';
import { areOpposed } from './antonyms.js';
import { baseForms, irregularForms } from './base-forms.js';
import { section, wordList } from './data-files.js';
import { inflect } from './inflection.js';
import { polarityOf } from './negation/sentiment-words.js';
import { isFunctionWord } from './stop-words.js';
import { tagDraft } from './tag-draft.js';
import { isNewswire } from './tag-lexicon.js';
import { wordCloseness } from './word-closeness.js';
import { EnglishFrequency } from './word-frequency.js';
import { type Synset, wordnet } from './wordnet.js';

/** Its weight is the probability that a reader accepts it, from `acceptance`. */
export interface WordNetSynonym extends Synonym {
  /** The meaning it shares with the word. */
  readonly synset: Synset;
}

/** Verbs whose meaning comes from their complement, so a synonym of the verb alone is wrong. */
const LIGHT = section('synonym-exclusions.txt', 'light verbs');
/** Words in WordNet that are grammatical rather than meaningful. */
const GRAMMATICAL = section('synonym-exclusions.txt', 'grammatical');
/** Usage labels of words that a rewrite must not introduce: slurs, obscenities and archaisms. */
const SHUNNED = /^(?:ethnic slur|disparagement|obscenity|vulgarism|archaism|dirty word|derogation)$/;
/** Prepositions that belong to the preceding adjective. */
const COMPLEMENT = /^(?:to|of|with|from|than)$/;
/** Pronouns that stand for people as objects. */
const PERSON = /^(?:me|us|him|you)$/;
/** Harmless in one meaning, an insult in another. */
const INSULTS = section('synonym-exclusions.txt', 'insults');
/** Uses added to each sense's count, because the tagged corpus is small and may lack a sense. */
const PRIOR_USES = 0.3;
/** Uses subtracted from a lemma's other senses, so that one unseen meaning does not outweigh many observed ones. */
const DOUBT = 1;
/**
 * Words that are never offered because they change what the sentence says or refers to. Fellow members of an adjective's cluster are not
 * offered either: of 75 in CoInCo's design half ("eighth" -> "sixth", "stunning" -> "dramatic"), annotators wrote 25 %, against 62 % to 79 %
 * of the other candidates.
 */
const NEVER_OFFERED = section('synonym-exclusions.txt', 'never offered');
/** They replace each other only ("someone" -> "somebody"), because nouns need an article. */
const INDEFINITE_PRONOUNS = section('synonym-exclusions.txt', 'indefinite pronouns');
/** Closeness of a synset: the same, the head of an adjective's cluster, a member as seen from the head. */
const CLOSENESS = { same: 1, head: 0.4, member: 0.2 } as const;
/**
 * Logistic model of whether people accept a substitution. It was fitted to SWORDS' dev part (at least 30 % of the raters accept) and to the
 * half of CoInCo that shares no document with SWORDS' test part (at least one annotator wrote it). Evaluation: docs/research/synonyms.md.
 */
const ACCEPTANCE = { bias: -1.46, cosine: 6.14, from: 0.3, meaning: 0.52, lemma: 0.21, common: -0.24, newswire: 1.02 };
/** Minimum acceptance of an offered synonym: at this value, at least one rater accepted four of five offers in SWORDS' dev part. */
const LEAST_ACCEPTANCE = 0.45;

/** Share of each meaning among the uses of a base form in a class, in WordNet's order; sums to 1. */
export function senseShares(base: string, wordClass: WordClass): Map<string, number> {
  const counts = wordnet.counts(base);
  const synsets = wordnet.synsets(base, wordClass);
  // Uncounted senses are in the lexicographers' order: each gets half of the previous one.
  const uses = synsets.map(({ id }, rank) => (counts.get(id) ?? 0) + PRIOR_USES / 2 ** Math.min(rank, 20));
  const total = uses.reduce((sum, n) => sum + n, 0);
  return new Map(synsets.map(({ id }, i) => [id, must(uses[i]) / total]));
}

const isShunned = (synset: Synset, word: number): boolean =>
  wordnet.related(synset, 'usage', word).some((usage) => usage.words.some((label) => SHUNNED.test(label)));

interface Lemma {
  readonly lemma: string;
  readonly synset: Synset;
  /** Share of the word's uses in the common meanings, each times the closeness of the relation. */
  readonly meaning: number;
  /** Share of the meaning among the lemma's uses. */
  readonly use: number;
}

/** The meaning itself; for an adjective also those of its cluster. */
function closeSynsets(synset: Synset, wordClass: WordClass): (readonly [Synset, number])[] {
  if (wordClass !== 'adjective') return [[synset, CLOSENESS.same]];
  const closeness = synset.satellite ? CLOSENESS.head : CLOSENESS.member;
  return [[synset, CLOSENESS.same], ...wordnet.related(synset, 'similar').map((near) => [near, closeness] as const)];
}

/** Polarities of an adjective, or of the adjectives behind an adverb ("badly"). */
function polarities(base: string, wordClass: WordClass): Polarity[] {
  const adjectives =
    wordClass === 'adjective'
      ? [base]
      : wordnet
          .synsets(base, 'adverb')
          .flatMap(({ words, pointers }) =>
            pointers
              .filter(({ relation, source }) => relation === 'pertains to' && words[source] === base)
              .map(({ to, target }) => wordnet.synset(to).words[target]),
          );
  return adjectives.flatMap((word) => polarityOf(word ?? '') ?? []);
}

/** Does the lemma praise or blame as the adjective or adverb does? "badly written" is not "seriously written". */
function keepsPolarity(lemma: string, base: string, wordClass: WordClass): boolean {
  if (wordClass !== 'adjective' && wordClass !== 'adverb') return true;
  const now = polarities(lemma, wordClass);
  return polarities(base, wordClass).every((polarity) => now.includes(polarity));
}

/** Can the lemma replace the base form in any sentence? Not function words, insults, or the act for its result ("flight" -> "flying"). */
const isOfferable = (lemma: string, base: string, wordClass: WordClass): boolean =>
  lemma !== base &&
  /^[a-z]{3,}(?:-[a-z]+)*$/.test(lemma) &&
  !INSULTS.has(lemma) &&
  !NEVER_OFFERED.has(lemma) &&
  wrongSenses().get(base)?.has(lemma) !== true &&
  !isFunctionWord(lemma) &&
  INDEFINITE_PRONOUNS.has(lemma) === INDEFINITE_PRONOUNS.has(base) &&
  keepsPolarity(lemma, base, wordClass) &&
  !(wordClass === 'noun' && lemma.endsWith('ing') && !base.endsWith('ing') && baseForms(lemma, 'verb').length > 0);

/** Word -> synonyms that people do not take for it, because it seldom has that meaning. */
const wrongSenses = lazily(
  () =>
    new Map(
      section('synonym-exclusions.txt', 'wrong senses')
        .words.map((entry) => entry.split(' '))
        .map(([word = '', ...others]) => [word, new Set(others)] as const),
    ),
);

const lemmasCache = new Map<string, readonly Lemma[]>();

/** Lemmas that share a meaning with a base form, or are close to one of its meanings, and are as close by their use in texts. */
function lemmasOf(base: string, wordClass: WordClass): readonly Lemma[] {
  const found = new Map<string, Lemma & { readonly best: number }>();
  const offer = (synset: Synset, share: number): void => {
    synset.words.forEach((lemma, i) => {
      if (!isOfferable(lemma, base, wordClass) || isShunned(synset, i)) return;
      if (wordCloseness(base, lemma) === undefined) return;
      const before = found.get(lemma);
      const use = useOf(lemma, synset);
      const meaning = (before?.meaning ?? 0) + share;
      found.set(
        lemma,
        before !== undefined && before.best >= share * use
          ? { ...before, meaning }
          : { lemma, synset, meaning, use, best: share * use },
      );
    });
  };
  for (const [id, share] of senseShares(base, wordClass)) {
    for (const [synset, closeness] of closeSynsets(wordnet.synset(id), wordClass)) offer(synset, share * closeness);
  }
  return [...found.values()];
}

/** Probability that a lemma is read in one of its meanings: "easy" is rarely "pleasing". */
function useOf(lemma: string, synset: Synset): number {
  const counts = wordnet.counts(lemma);
  let total: number = DOUBT;
  for (const count of counts.values()) total += count;
  return ((counts.get(synset.id) ?? 0) + PRIOR_USES) / (total + PRIOR_USES);
}

const frequency = lazily(() => new EnglishFrequency());

/** Probability, 0 to 1, that people accept the lemma, inflected as `form`, for the base form. */
function acceptance(base: string, { lemma, meaning, use }: Lemma, form: string): number {
  const { bias, cosine, from, meaning: ofMeaning, lemma: ofLemma, common, newswire } = ACCEPTANCE;
  const logit =
    bias +
    cosine * ((wordCloseness(base, lemma) ?? from) - from) +
    ofMeaning * Math.log(meaning + 0.01) +
    ofLemma * Math.log(use + 0.01) +
    common * Math.log1p(frequency().of(base)) +
    (isNewswire(form) ? newswire : 0);
  return 1 / (1 + Math.exp(-logit));
}

/** Words of each idiom, by each of its words. */
const idiomsWith = lazily(() => {
  const found = new Map<string, (readonly string[])[]>();
  for (const idiom of wordList('idioms.txt').map((line) => line.split(' '))) {
    for (const word of new Set(idiom)) found.set(word, [...(found.get(word) ?? []), idiom]);
  }
  return found;
});

/** The word and its possible base forms. */
const formsOf = (word: string): string[] => [word, ...baseForms(word, 'verb'), ...baseForms(word, 'noun')];

/** Is the slot part of an idiom ("raise the bar")? */
function inIdiom(draft: Draft, at: number): boolean {
  const matches = (idiom: readonly string[], start: number): boolean =>
    start >= 0 &&
    idiom.every(
      (word, i) =>
        formsOf((draft.words[start + i] ?? '').toLowerCase()).includes(word) &&
        (i === 0 || draft.gapAfter(start + i - 1) === ' '),
    );
  return formsOf(must(draft.words[at]).toLowerCase()).some((word) =>
    idiomsWith()
      .get(word)
      ?.some((idiom) => idiom.some((part, i) => part === word && matches(idiom, at - i))),
  );
}

/** Is the slot part of an expression in WordNet ("special effects", "high school", "give up"), or of an idiom? */
export function inExpression(draft: Draft, at: number): boolean {
  const lower = (i: number): string => must(draft.words[i]).toLowerCase();
  const pair = (i: number): boolean => {
    if (i < 0 || i + 1 >= draft.words.length || draft.gapAfter(i) !== ' ') return false;
    const [first, second] = [lower(i), lower(i + 1)];
    const phrases = [
      ...baseForms(second, 'noun').map((base) => ['noun', `${first} ${base}`] as const),
      ...baseForms(first, 'verb').map((base) => ['verb', `${base} ${second}`] as const),
      ['adverb', `${first} ${second}`] as const,
      ['adjective', `${first} ${second}`] as const,
    ];
    return phrases.some(([wordClass, phrase]) => wordnet.has(phrase, wordClass));
  };
  /** "kick the bucket", "point of view", "at long last". */
  const triple = (i: number): boolean => {
    if (i < 0 || i + 2 >= draft.words.length || draft.gapAfter(i) !== ' ' || draft.gapAfter(i + 1) !== ' ')
      return false;
    const [first, second, third] = [lower(i), lower(i + 1), lower(i + 2)];
    return (
      baseForms(first, 'verb').some((base) => wordnet.has(`${base} ${second} ${third}`, 'verb')) ||
      baseForms(third, 'noun').some((base) => wordnet.has(`${first} ${second} ${base}`, 'noun')) ||
      wordnet.has(`${first} ${second} ${third}`, 'adverb')
    );
  };
  return [at - 1, at].some(pair) || [at - 2, at - 1, at].some(triple) || inIdiom(draft, at);
}

/** Splits a word from its clitic: "film's" -> film, 's. */
function parts(word: string): { stem: string; clitic: string } {
  const clitic = /['’]s?$/.exec(word)?.[0] ?? '';
  return { stem: word.slice(0, word.length - clitic.length), clitic };
}

/** A word in a sentence. */
interface WordInUse {
  /** Lower case, without a clitic. */
  readonly word: string;
  readonly penn: string;
  readonly wordClass: WordClass;
  /** The next word, in lower case. */
  readonly next: string;
  /** Complement of a verb, if it is "to" with an infinitive or a person ("him"). */
  readonly complement?: 'infinitive' | 'person' | undefined;
}

/**
 * WordNet's sentence frames (wninput(5WN)) in which a verb takes a complement: "Somebody ----s to INFINITIVE", "Somebody ----s somebody to
 * INFINITIVE"; "Somebody ----s somebody", "Something ----s somebody" and the like.
 */
const FRAMES = { infinitive: /^(?:24|28|35)$/, person: /^(?:5|9|10|14|15|16|17|18|19|20|24|25|30)$/ } as const;

const takes = (synset: Synset, lemma: string, complement: keyof typeof FRAMES): boolean =>
  synset.frames.some(
    ({ frame, word }) => FRAMES[complement].test(String(frame)) && (word === undefined || synset.words[word] === lemma),
  );

/** Does the synonym take the verb's complement, as the verb itself does? "manages to" has no synonym "handles to". */
function takesComplement(base: string, { lemma, synset }: Lemma, complement: keyof typeof FRAMES): boolean {
  const governs = wordnet.synsets(base, 'verb').some((meaning) => takes(meaning, base, complement));
  return !governs || takes(synset, lemma, complement);
}

/** A synonym of `base` in the word's form; undefined if it has none, or would mean something else there. */
function formIn(
  { word, penn, wordClass, next, complement: governed }: WordInUse,
  base: string,
  near: Lemma,
): string | undefined {
  const { lemma, synset } = near;
  if (governed !== undefined && !takesComplement(base, near, governed)) return undefined;
  // WordNet lists some nouns in the plural ("castanets").
  const plural = wordClass === 'noun' && /[^isu]s$/.test(lemma);
  const form = plural ? (penn === 'NNS' ? lemma : undefined) : inflect(lemma, penn);
  if (form === word || areOpposed(base, lemma)) return undefined;
  if (wordClass !== 'adjective') return form;
  // "larger" is a WordNet entry, but it means more than "big".
  const comparative = baseForms(lemma, 'adjective').length > 1;
  // "superior to it", "fond of it": only synonyms in the same synset take the same complement.
  const complement = COMPLEMENT.test(next) && !synset.words.includes(base);
  return comparative || complement ? undefined : form;
}

/** Dictionary forms of a word in context: here "found" is not a form of "to found", nor "Mendes" of "to mend". */
const basesOf = ({ word, penn, wordClass }: WordInUse): string[] =>
  baseForms(word, wordClass).filter(
    (base) => inflect(base, penn) === word || irregularForms(base, wordClass).includes(word),
  );

/** The word of a slot, given without its clitic; undefined if no synonym can replace it. */
function wordInUse(draft: Draft, at: number, word: string): WordInUse | undefined {
  const tags = tagDraft(draft);
  const { penn, wordClass } = tags[at] ?? { penn: 'SYM', wordClass: undefined };
  if (wordClass === undefined || /^NNPS?$/.test(penn) || !/^[a-z-]{3,}$/.test(word)) return undefined;
  if (GRAMMATICAL.has(word) || isFunctionWord(word) || inExpression(draft, at)) return undefined;
  if (wordClass === 'verb' && baseForms(word, 'verb').some((base) => LIGHT.has(base))) return undefined;
  const next = (draft.words[at + 1] ?? '').toLowerCase();
  const complement = wordClass === 'verb' ? complementAfter(next, tags[at + 2]?.penn) : undefined;
  return { word, penn, wordClass, next, complement };
}

function complementAfter(next: string, pennAfterNext: string | undefined): WordInUse['complement'] {
  if (next === 'to' && pennAfterNext === 'VB') return 'infinitive';
  return PERSON.test(next) ? 'person' : undefined;
}

/**
 * Synonyms for slot `at` in its sentence, best first, at most `limit`. Empty for function words, names, numbers, light verbs ("make") and
 * parts of fixed expressions. Each differs from the slot's word and is a single word, except for comparisons such as "more amusing".
 */
export function synonymsAt(draft: Draft, at: number, limit = 20): WordNetSynonym[] {
  const { stem, clitic } = parts(must(draft.words[at]));
  const use = wordInUse(draft, at, stem.toLowerCase());
  if (use === undefined) return [];
  const found = new Map<string, WordNetSynonym>();
  for (const base of basesOf(use)) {
    for (const near of getOrCompute(lemmasCache, `${use.wordClass} ${base}`, () => lemmasOf(base, use.wordClass))) {
      const { lemma, synset } = near;
      const form = found.has(lemma) ? undefined : formIn(use, base, near);
      const weight = form === undefined ? 0 : acceptance(base, near, form);
      if (form !== undefined && weight >= LEAST_ACCEPTANCE)
        found.set(lemma, { text: matchCase(form, stem) + clitic, lemma, synset, weight });
    }
  }
  return [...found.values()].sort((a, b) => b.weight - a.weight || (a.lemma < b.lemma ? -1 : 1)).slice(0, limit);
}
