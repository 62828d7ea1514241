/** @file Does a text with guessed words in it still say the same? A language model guesses what fits, opposites included. */
import { z } from 'zod';
import { constraint } from '../core/component.js';
import { Draft } from '../core/draft.js';
import type { Constraint } from '../core/search.js';
import { areOpposed } from '../language/english/antonyms.js';
import { verdictOf, verdictWords } from '../language/english/negation/sentiment-words.js';
import { tagDraft } from '../language/english/part-of-speech.js';
import { wordSimilarity } from '../language/english/word-similarity.js';

/** Words that turn, narrow or weaken what stands beside them. */
const DENIES =
  /^(?:no|not|never|none|nothing|nobody|nowhere|neither|nor|without|hardly|barely|scarcely|rarely|seldom|less|least|few|little|too|only|almost|nearly|un\p{L}+|fail(?:s|ed|ing)?|lack(?:s|ed|ing)?)$/iu;

const judging = new Map<string, boolean>();

/** Does the word carry a verdict, or lie beside one that does in WordNet ("dreadful" for "terrible")? */
function judges(word: string): boolean {
  const lower = word.toLowerCase();
  let found = judging.get(lower);
  if (found === undefined) {
    found = verdictOf(lower) !== undefined || verdictWords().some((verdict) => wordSimilarity(lower, verdict) >= 0.7);
    judging.set(lower, found);
  }
  return found;
}

const descriptions = new Map<string, boolean>();

/** Is the word, by itself, an adjective or adverb: what may stand beside others without breaking the sentence? */
function describes(word: string): boolean {
  let found = descriptions.get(word);
  if (found === undefined) {
    found = /^AD[JV]$/.test(tagDraft(Draft.of(word))[0]?.universal ?? '');
    descriptions.set(word, found);
  }
  return found;
}

/** What stood in the slot, and in those behind it that were merged into it. */
function replaced(candidate: Draft, original: Draft, slot: number): string[] {
  const words = [original.word(slot)];
  for (let next = slot + 1; next < candidate.size && candidate.word(next) === ''; next++)
    words.push(original.word(next));
  return words;
}

/** What was put in before or after a word that stays; undefined where it does not stay. */
function besides(now: string, kept: string): string | undefined {
  if (now.startsWith(`${kept} `)) return now.slice(kept.length + 1);
  return now.endsWith(` ${kept}`) ? now.slice(0, -kept.length - 1) : undefined;
}

const isArticle = (word: string) => /^an?$/i.test(word);

/**
 * Each guessed word at least so near in WordNet to one it stands for, and no opposite of any; a word put in beside one that
 * stays is an adjective or adverb that neither judges nor denies.
 */
export function infillsFit(least: number): Constraint {
  const fits = (candidate: Draft, original: Draft, slot: number): boolean => {
    const now = candidate.word(slot);
    if (now === '') return slot > 0 && candidate.word(slot - 1) !== original.word(slot - 1);
    const before = replaced(candidate, original, slot);
    const kept = original.word(slot);
    const added = besides(now, kept);
    if (added !== undefined) {
      return describes(added) && !judges(added) && !DENIES.test(added) && added !== kept && !areOpposed(added, kept);
    }
    if (isArticle(now) && isArticle(kept)) return true;
    return (
      before.every((word) => !areOpposed(now, word)) &&
      Math.max(...before.map((word) => wordSimilarity(now, word))) >= least
    );
  };
  return {
    name: `guesses at least ${least} alike (WordNet), no opposites; additions describe, judge and deny nothing`,
    accepts: (candidates, original) =>
      candidates.map(
        (candidate) =>
          candidate.sharesOriginalWith(original) &&
          [...candidate.editedSince(original)].every((slot) => fits(candidate, original, slot)),
      ),
  };
}

export const infillConstraints = [
  constraint({
    name: 'guesses-fit',
    summary:
      'Each guessed word near in WordNet to what it replaces and no opposite; one put in describes, and judges nothing.',
    main: 'least',
    options: { least: z.number().min(0).max(1).default(0.45).describe('least closeness in WordNet') },
    create: ({ least }) => infillsFit(least),
  }),
];
