/**
 * CheckList's perturbations: contractions, other people's names, other places, other numbers; nothing of it may matter.
 *
 * Threat: nobody at all: a prediction that turns with a name or a place is unfair, one that turns with "it's" is brittle.
 * Example: "Peter doesn't live in Paris" -> "Simon does not live in Paris"
 * Readable because: each edit exchanges one name, place or number for another of its kind, or writes a contraction out or in.
 * Paper: Marco Tulio Ribeiro, Tongshuang Wu, Carlos Guestrin and Sameer Singh, "Beyond Accuracy: Behavioral Testing of NLP Models
 * with CheckList", ACL 2020, section 3; https://arxiv.org/abs/2005.04118
 * Differs: names and places are found by rule and list, not by a tagger of entities, and so hardly in lower-case text. First names
 * keep their gender, since the pronouns around them do. Dates stay: their years and days are told elsewhere in a text.
 */
import {
  beam,
  type Draft,
  type Entities,
  type Entity,
  type Language,
  languagePart,
  matchCase,
  noRepeat,
  type Random,
  searchAttack,
  z,
} from '../src/plugin.js';

const options = {
  others: z.int().min(1).default(5).describe('other names, places or numbers tried for each'),
};

/** `count` members of a set, at random, never the one that is there. */
const some = (from: readonly string[], not: string, count: number, random: Random): string[] =>
  random.shuffle(from.filter((name) => name !== not)).slice(0, count);

/** What may stand for the first word of an entity; undefined for what stays. */
function* others(
  word: string,
  kind: Entity['kind'],
  count: number,
  random: Random,
  { names, numberToWords, wordsToNumber }: Entities,
): Iterable<string> {
  if (kind === 'person') {
    for (const list of names.person) if (list.has(word)) yield* some(list.words, word, count, random);
  } else if (kind === 'place') {
    const list = names.place.find((each) => each.has(word));
    if (list !== undefined) yield* some(list.words, word, count, random);
  } else if (kind === 'number') {
    const value = /^\d{1,6}$/.test(word) ? Number(word) : wordsToNumber(word);
    if (value === undefined || value < 2) return;
    // Within a fifth, as CheckList changes them.
    const spread = Math.max(1, Math.floor(value / 5));
    for (let i = 0; i < count; i++) {
      const other = Math.max(2, value - spread + random.int(2 * spread + 1));
      yield /^\d/.test(word) ? String(other) : matchCase(numberToWords(other), word);
    }
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
  // A first name before a family name is exchanged too.
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
  summary: 'Exchanges names, places and numbers, writes contractions out or in: "it\'s" -> "it is".',
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
