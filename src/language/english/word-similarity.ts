/**
 * @file Similarity of two words in WordNet, between 0 and 1, for runs without word vectors. It is a heuristic of this project, and reports
 * name it as such.
 */
import { getOrCompute } from '../../core/get-or-compute.js';
import { areOpposed } from './antonyms.js';
import { baseForms } from './base-forms.js';
import { WORD_CLASSES, wordnet } from './wordnet.js';

/** Similarity by the number of relations between the closest meanings; words further apart are unrelated. */
const BY_STEPS = [0.9, 0.7, 0.45] as const;

const reach = new Map<string, ReadonlyMap<string, number>>();

const RELATIONS = ['similar', 'hypernym', 'derived', 'pertains to', 'verb group', 'see also'] as const;

/** Synsets within one relation of a word's meanings, and the number of relations. */
function around(word: string): ReadonlyMap<string, number> {
  const meanings = WORD_CLASSES.flatMap((wordClass) =>
    baseForms(word, wordClass).flatMap((base) => wordnet.synsets(base, wordClass)),
  );
  const related = meanings.flatMap((synset) => RELATIONS.flatMap((relation) => wordnet.related(synset, relation)));
  return new Map([...related.map(({ id }) => [id, 1] as const), ...meanings.map(({ id }) => [id, 0] as const)]);
}

/**
 * 1 for forms of one word; 0.9 for words of one meaning; 0.7 and 0.45 for meanings one and two relations apart (similar, broader, derived);
 * 0 for all others, for opposites, and for words that WordNet lacks.
 */
export function wordSimilarity(a: string, b: string): number {
  const [first, second] = [a.toLowerCase(), b.toLowerCase()];
  if (first === second) return 1;
  for (const wordClass of WORD_CLASSES) {
    const bases = baseForms(second, wordClass);
    if (baseForms(first, wordClass).some((base) => bases.includes(base))) return 1;
  }
  const theirs = getOrCompute(reach, second, around);
  let least = Number.POSITIVE_INFINITY;
  for (const [id, steps] of getOrCompute(reach, first, around))
    least = Math.min(least, steps + (theirs.get(id) ?? Number.POSITIVE_INFINITY));
  return least > 2 || areOpposed(first, second) ? 0 : (BY_STEPS[least] as number);
}
