/**
 * @file Antonym guard: may two words be opposites? A swap that reverses a text's meaning is not an adversarial example; published attacks
 * counted "unthinkable -> imaginable" as successes.
 */
import { getOrCompute } from '../../core/get-or-compute.js';
import { RecentMap } from '../../core/recent-map.js';
import { lazily } from '../data-files.js';
import { baseForms } from './base-forms.js';
import { table, wordList } from './data-files.js';
import { type Synset, WORD_CLASSES, wordnet } from './wordnet.js';

const negatingPrefixes = lazily(() => new Set(wordList('negating-prefixes.txt')));

/** Where opposites of a meaning are looked up: the meaning, similar ones, and its hypernyms. */
const neighbours = (synset: Synset): Synset[] => [
  synset,
  // A satellite ("charming") has no antonyms; the head of its cluster ("pleasing") has.
  ...wordnet.related(synset, synset.wordClass === 'adjective' ? 'similar' : 'hypernym'),
];

/** Data to decide whether a word has an opposite. */
interface WordMeanings {
  /** All meanings of the word in all classes, and of the adjectives behind its adverbs. */
  readonly senses: readonly Synset[];
  /** Their ids. */
  readonly ids: ReadonlySet<string>;
  /** Ids of the synsets opposed to some of them, with the clusters around them. */
  readonly opposites: ReadonlySet<string>;
  /** The word and its dictionary forms. */
  readonly forms: readonly string[];
}

/** A cache, because every candidate is compared with the word that it replaces, in each draft again. */
const known = new RecentMap<WordMeanings>(16_384, 2 ** 19);

function meaningsOf(word: string): WordMeanings {
  const bases = WORD_CLASSES.flatMap((wordClass) =>
    baseForms(word, wordClass).map((base) => [base, wordClass] as const),
  );
  // "beautifully" has the same opposites as "beautiful".
  const senses = bases
    .flatMap(([base, wordClass]) => wordnet.synsets(base, wordClass))
    .flatMap((synset) => [synset, ...(synset.wordClass === 'adverb' ? wordnet.related(synset, 'pertains to') : [])]);
  return {
    senses,
    ids: new Set(senses.map(({ id }) => id)),
    opposites: oppositesOf(senses),
    forms: [...new Set([word, ...bases.map(([base]) => base)])],
  };
}

function oppositesOf(senses: readonly Synset[]): ReadonlySet<string> {
  const opposites = senses.flatMap(neighbours).flatMap((near) => wordnet.related(near, 'antonym'));
  const adjectives = opposites.filter(({ wordClass }) => wordClass === 'adjective');
  const clusters = adjectives.flatMap((opposite) => wordnet.related(opposite, 'similar'));
  return new Set([...opposites, ...clusters].map(({ id }) => id));
}

/** Is one word the other with a negating prefix ("unthinkable", "dislike"), or does -less replace -ful or nothing? */
function negates(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length > 2 && long.endsWith(short) && negatingPrefixes().has(long.slice(0, -short.length))) return true;
  const root = /^(.{2,})less(ly|ness)?$/.exec(a)?.[1] ?? /^(.{2,})less(ly|ness)?$/.exec(b)?.[1];
  if (root === undefined) return false;
  const other = /less(?:ly|ness)?$/.test(a) ? b : a;
  return (
    other === root ||
    (other.startsWith(root) && /^(?:ful|fully|fulness|y|ed|s|ous|able)$/.test(other.slice(root.length)))
  );
}

/** Adjective -> "+" for praise, "-" for blame. */
const verdicts = lazily(() => new Map(table('opposites.tsv') as [string, string][]));

/** Does one word praise and the other blame? WordNet lists "amazing" and "awful" in one meaning. */
function judgeOppositely(a: string, b: string): boolean {
  const [first, second] = [verdicts().get(a), verdicts().get(b)];
  return first !== undefined && second !== undefined && first !== second;
}

/**
 * May the two words, in any inflection, be opposites? True for WordNet's antonyms of any of their meanings, for words of the clusters
 * around them, for their hypernyms' antonyms, for a word of praise and one of blame, and for a word negated by a prefix or -less. False if
 * WordNet lists both in one meaning ("flammable", "inflammable"), except for adjectives or adverbs that differ by un-, because WordNet
 * wrongly has "intentional" and "unintentional" in one meaning.
 */
export function areOpposed(a: string, b: string): boolean {
  const [first, second] = [a.toLowerCase(), b.toLowerCase()];
  if (first === second) return false;
  if (judgeOppositely(first, second)) return true;
  const [mine, theirs] = [getOrCompute(known, first, meaningsOf), getOrCompute(known, second, meaningsOf)];
  const shared = theirs.senses.filter(({ id }) => mine.ids.has(id));
  if (shared.length > 0) {
    return (
      (first === `un${second}` || second === `un${first}`) && shared.every(({ wordClass }) => /^ad/.test(wordClass))
    );
  }
  const isOpposed = ({ opposites }: WordMeanings, others: WordMeanings): boolean =>
    others.senses.some(({ id }) => opposites.has(id));
  if (isOpposed(mine, theirs) || isOpposed(theirs, mine)) return true;
  return mine.forms.some((x) => theirs.forms.some((y) => negates(x, y)));
}
