/**
 * CheckList's perturbations: contractions and other names, places and numbers, none of which may matter.
 *
 * Threat: no attacker is needed: a prediction that changes with a name or a place is unfair, one that changes with "it's" is brittle.
 * Example: "Peter doesn't live in Paris" -> "Simon does not live in Paris"
 * Readable because: each edit replaces a name, place or number by another of its kind, or expands or forms a contraction.
 * Paper: Marco Tulio Ribeiro, Tongshuang Wu, Carlos Guestrin and Sameer Singh, "Beyond Accuracy: Behavioral Testing of NLP Models with
 * CheckList", ACL 2020, section 3; https://arxiv.org/abs/2005.04118
 * Differs: names and places are found by rules and lists, not by an entity tagger, so few are found in lower-case text. First names keep
 * their gender because of the pronouns around them. Dates stay, because the text may refer to their years and days elsewhere.
 */
import type { Entities, Entity } from '../src/core/language.js';
import {
  beam,
  type Draft,
  type Language,
  languagePart,
  matchCase,
  noRepeat,
  type Random,
  searchAttack,
  z,
} from '../src/plugin.js';

const options = { others: z.int().min(1).default(5).describe('other names, places or numbers tried for each') };

/** `count` random members of a set, without the current one. */
const some = (from: readonly string[], not: string, count: number, random: Random): string[] =>
  random.shuffle(from.filter((name) => name !== not)).slice(0, count);

/** Replacements of the first word of an entity; undefined if it stays. */
function* others(
  word: string,
  kind: Entity['kind'],
  count: number,
  random: Random,
  entities: Entities,
): Iterable<string> {
  if (kind === 'number') yield* otherNumbers(word, count, random, entities);
  const { person, place } = entities.names;
  // A first name may be in both lists; a place is taken from the first list that has it.
  if (kind === 'person') for (const list of person) if (list.has(word)) yield* some(list.words, word, count, random);
  const list = kind === 'place' ? place.find((each) => each.has(word)) : undefined;
  if (list !== undefined) yield* some(list.words, word, count, random);
}

function* otherNumbers(
  word: string,
  count: number,
  random: Random,
  { numberToWords, wordsToNumber }: Entities,
): Iterable<string> {
  const value = /^\d{1,6}$/.test(word) ? Number(word) : wordsToNumber(word);
  if (value === undefined || value < 2) return;
  // Within a fifth, as CheckList changes them.
  const spread = Math.max(1, Math.floor(value / 5));
  for (let i = 0; i < count; i++) {
    const other = Math.max(2, value - spread + random.int(2 * spread + 1));
    yield /^\d/.test(word) ? String(other) : matchCase(numberToWords(other), word);
  }
}

function* edits(
  draft: Draft,
  at: readonly number[],
  random: Random,
  count: number,
  language: Language,
): Iterable<Draft> {
  const [known, { contractions }] = [languagePart(language, 'entities'), language];
  const entities = known.of(draft);
  // A first name before a family name is also replaced.
  const exchanged = entities.filter(({ kind, first, last }) => first === last || kind === 'person');
  const kinds = new Map(exchanged.map(({ first, kind }) => [first, kind]));
  for (const slot of at) {
    const expanded = contractions?.expand(draft, slot);
    if (expanded !== undefined) yield expanded;
    const contracted = contractions?.contract(draft, slot);
    if (contracted !== undefined) yield contracted;
    const kind = kinds.get(slot);
    if (kind === undefined) continue;
    for (const other of others(draft.word(slot), kind, count, random, known)) yield draft.replace(slot, other);
  }
}

export const checklist = searchAttack({
  name: 'checklist',
  level: 'word',
  summary: 'Replaces names, places and numbers, expands and forms contractions: "it\'s" -> "it is".',
  paper: {
    title: 'Beyond Accuracy: Behavioral Testing of NLP Models with CheckList',
    url: 'https://arxiv.org/abs/2005.04118',
  },
  options,
  edits: ({ others: count }) => ({
    name: 'names, places, numbers, contractions',
    language: ['entities'],
    edits: (draft, at, random, { language }) => edits(draft, at, random, count, language),
  }),
  constraints: () => [noRepeat],
  search: () => beam(1),
});
