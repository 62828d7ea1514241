/**
 * @file The antonym guard: may two words be each other's opposite? A swap that turns a text round is no adversarial
 * example; published attacks counted "unthinkable -> imaginable" as successes.
 */

import { lazily } from '../data-files.js';
import { baseForms } from './base-forms.js';
import { wordList } from './data-files.js';
import { type Synset, WORD_CLASSES, wordnet } from './wordnet.js';

const negatingPrefixes = lazily(() => wordList('negating-prefixes.txt'));

/** Where the opposites of a meaning are looked for: the meaning, what it is like, and what it is a kind of. */
const neighbours = (synset: Synset): Synset[] => [
  synset,
  // A satellite ("charming") has no antonym of its own; the head of its cluster ("pleasing") has.
  ...wordnet.related(synset, synset.wordClass === 'adjective' ? 'similar' : 'hypernym'),
];

const sensesCache = new Map<string, readonly Synset[]>();

/** All meanings of a word in all classes, and the adjectives behind its adverbs. */
function senses(word: string): readonly Synset[] {
  let found = sensesCache.get(word);
  if (found === undefined) {
    const own = WORD_CLASSES.flatMap((wordClass) =>
      baseForms(word, wordClass).flatMap((base) => wordnet.synsets(base, wordClass)),
    );
    // "beautifully" is the opposite of what "beautiful" is the opposite of.
    found = own.flatMap((synset) => [
      synset,
      ...(synset.wordClass === 'adverb' ? wordnet.related(synset, 'pertains to') : []),
    ]);
    sensesCache.set(word, found);
  }
  return found;
}

const oppositesCache = new Map<string, ReadonlySet<string>>();

/** Ids of the synsets that are opposed to some meaning of the word, with the clusters round them. */
function oppositesOf(word: string): ReadonlySet<string> {
  let ids = oppositesCache.get(word);
  if (ids === undefined) {
    const found = new Set<string>();
    for (const sense of senses(word)) {
      for (const near of neighbours(sense)) {
        for (const opposite of wordnet.related(near, 'antonym')) {
          found.add(opposite.id);
          if (opposite.wordClass === 'adjective')
            for (const like of wordnet.related(opposite, 'similar')) found.add(like.id);
        }
      }
    }
    ids = found;
    oppositesCache.set(word, ids);
  }
  return ids;
}

/** Is one the other behind a negating prefix ("unthinkable", "dislike"), or -less against -ful or the bare noun? */
function negates(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (negatingPrefixes().some((prefix) => long === prefix + short && short.length > 2)) return true;
  const root = /^(.{2,})less(ly|ness)?$/.exec(a)?.[1] ?? /^(.{2,})less(ly|ness)?$/.exec(b)?.[1];
  if (root === undefined) return false;
  const other = /less(?:ly|ness)?$/.test(a) ? b : a;
  return (
    other === root ||
    (other.startsWith(root) && /^(?:ful|fully|fulness|y|ed|s|ous|able)$/.test(other.slice(root.length)))
  );
}

/**
 * May the two words, in any inflection, be opposites? True for WordNet's antonyms of any of their meanings, for words
 * of the clusters round them, for what they are kinds of, and for one word negated by a prefix or -less; false where
 * WordNet lists both in one meaning ("flammable", "inflammable"), unless they are adjectives or adverbs told apart by un-:
 * it has "intentional" and "unintentional" in one meaning by mistake.
 */
export function areOpposed(a: string, b: string): boolean {
  const [first, second] = [a.toLowerCase(), b.toLowerCase()];
  if (first === second) return false;
  const [mine, theirs] = [senses(first), senses(second)];
  const own = new Set(mine.map((sense) => sense.id));
  const shared = theirs.filter((sense) => own.has(sense.id));
  if (shared.length > 0) {
    return (
      (first === `un${second}` || second === `un${first}`) && shared.every(({ wordClass }) => /^ad/.test(wordClass))
    );
  }
  const opposed = (word: string, others: readonly Synset[]): boolean => {
    const opposites = oppositesOf(word);
    return others.some((sense) => opposites.has(sense.id));
  };
  if (opposed(first, theirs) || opposed(second, mine)) return true;
  const bases = (word: string): string[] => [word, ...WORD_CLASSES.flatMap((wordClass) => baseForms(word, wordClass))];
  return bases(first).some((x) => bases(second).some((y) => negates(x, y)));
}
