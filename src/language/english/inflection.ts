/**
 * @file Inflects dictionary forms: films, charmed, funnier. Regular rules, irregular forms from lists, and WordNet's exceptions read
 * backwards ("permitted" is listed under "permit", so permit doubles its t). en-inflectors was measured and rejected: its plural of
 * "marinate" is "marineats", and its past tense of "retreat" is "retreat".
 */
import type { WordClass } from '../../core/language.js';
import { lazily } from '../data-files.js';
import { irregularForms } from './base-forms.js';
import { section, table, wordList } from './data-files.js';

const irregularVerbs = lazily(
  () => new Map(table('irregular-verbs.tsv').map(([base = '', ...forms]) => [base, forms as [string, string]])),
);
const participles = lazily(() => new Set([...irregularVerbs().values()].map(([, participle]) => participle)));
const irregularNouns = lazily(() => new Map(table('irregular-nouns.tsv') as [string, string][]));
const massNouns = lazily(() => new Set(wordList('mass-nouns.txt')));

const irregularComparison = lazily(
  () => new Map(table('irregular-comparison.tsv').map(([base = '', ...degrees]) => [base, degrees])),
);
/** Adjectives of two syllables that compare with endings, besides those in -y, -le, -ow and -er. */
const SHORT = section('comparison.txt', 'adjectives with endings');
/** Short adjectives that compare with "more" or hardly at all. */
const LONG = section('comparison.txt', 'with more');
/** Adverbs that compare with endings. */
const SHORT_ADVERBS = section('comparison.txt', 'adverbs with endings');

/** Approximate number of spoken syllables: groups of vowels, without a silent final e. */
const syllables = (word: string): number =>
  Math.max(1, (word.replace(/(?:[^l]e|[aeiou][^aeiou]?es|[^dt]ed)$/, '').match(/[aeiouy]+/g) ?? []).length);
/** One vowel, one consonant, one syllable: big, stop. Longer words that double are in WordNet's exceptions. */
const doubles = (word: string): boolean =>
  syllables(word) === 1 && /^[^aeiou]*(?:qu)?[aeiou][bdfgklmnprtvz]$/.test(word);

/** The word with -s, as in "boxes", "cities", "films": plural and third person. */
function withS(word: string): string {
  if (/(?:[sxz]|[cs]h)$/.test(word))
    return /[^aeiou][aeiou]z$/.test(word)
      ? `${word}zes`
      : /(?:stomach|monarch|epoch)$/.test(word)
        ? `${word}s`
        : `${word}es`;
  if (/[^aeiou]y$|quy$/.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}s`;
}

/** The stem before -ed or -ing: a final e is dropped, a final consonant doubled. */
const stem = (word: string): string => (doubles(word) ? word + word.at(-1) : word);

function past(verb: string): string {
  if (verb.endsWith('e')) return `${verb}d`;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`;
  return `${stem(verb)}ed`;
}

function gerund(verb: string): string {
  if (verb.endsWith('ie')) return `${verb.slice(0, -2)}ying`;
  if (/[^eoy]e$/.test(verb) && verb.length > 2 && !/^(?:singe|tinge|binge)$/.test(verb))
    return `${verb.slice(0, -1)}ing`;
  return `${stem(verb)}ing`;
}

function verbForm(verb: string, tag: string): string {
  const listed = irregularForms(verb, 'verb');
  const [vbd, vbn] = irregularVerbs().get(verb) ?? [];
  switch (tag) {
    case 'VBZ':
      if (verb === 'have') return 'has';
      if (verb === 'be') return 'is';
      return /[^aeiou]o$/.test(verb) ? `${verb}es` : withS(verb);
    case 'VBG':
      return listed.find((form) => form.endsWith('ing')) ?? gerund(verb);
    case 'VBD':
      return vbd ?? listed.find((form) => form.endsWith('ed')) ?? past(verb);
    case 'VBN':
      return vbn ?? listed.find((form) => form.endsWith('ed')) ?? past(verb);
    default:
      return verb;
  }
}

function plural(noun: string): string | undefined {
  if (massNouns().has(noun) || /(?:ness|ism|ics)$/.test(noun)) return undefined;
  // WordNet lists Latin plurals that are obsolete in English: "camerae", "dramata".
  const latin = /(?:ae|ata)$/;
  const listed =
    irregularNouns().get(noun) ??
    irregularForms(noun, 'noun').find((form) => !latin.test(form) || /^(?:alg|larv|alumn|vertebr)ae$/.test(form));
  if (listed !== undefined) return listed;
  if (/[^aeiou]o$/.test(noun) && /(?:hero|tato|mato|[^n]cho|rpedo|veto|bargo)$/.test(noun)) return `${noun}es`;
  if (/.{2}man$/.test(noun) && !/(?:^hu|^ger|^ro|^sha|^nor|tali|otto|cai)man$/.test(noun))
    return `${noun.slice(0, -2)}en`;
  if (/sis$/.test(noun)) return `${noun.slice(0, -2)}es`;
  return withS(noun);
}

/** Adjectives and participles that compare with "more": "more famous", "more moving". */
const takesMore = (word: string): boolean =>
  LONG.has(word) ||
  (/ed$/.test(word) && word !== 'red') ||
  participles().has(word) ||
  /.(?:less|ful|ous|ish)$/.test(word) ||
  (/(?:ing|ive|al|ant|ent|ic)$/.test(word) && syllables(word) > 1);

function isShort(word: string): boolean {
  const size = syllables(word);
  if (size === 2) return /(?:[^aeiou](?:y|le|ow)|er)$/.test(word) || SHORT.has(word);
  return size === 1 || (size === 3 && /^un.*[^aeiou]y$/.test(word));
}

/** "funnier", "more moving"; the index is 0 for the comparative, 1 for the superlative. */
function compare(word: string, degree: 0 | 1, wordClass: WordClass): string {
  const irregular = irregularComparison().get(word)?.[degree];
  if (irregular !== undefined) return irregular;
  if (takesMore(word) || (wordClass === 'adverb' && !SHORT_ADVERBS.has(word)) || !isShort(word))
    return `${degree === 0 ? 'more' : 'most'} ${word}`;
  const ending = degree === 0 ? 'er' : 'est';
  if (word.endsWith('e')) return word + ending.slice(1);
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}i${ending}` : stem(word) + ending;
}

/** Indexed by Penn Treebank tag. */
const FORMS: ReadonlyMap<string, (base: string) => string | undefined> = new Map([
  ['NN', (base) => base],
  ['JJ', (base) => base],
  ['RB', (base) => base],
  ['NNS', plural],
  ['JJR', (base) => compare(base, 0, 'adjective')],
  ['JJS', (base) => compare(base, 1, 'adjective')],
  ['RBR', (base) => compare(base, 0, 'adverb')],
  ['RBS', (base) => compare(base, 1, 'adverb')],
  ...['VB', 'VBP', 'VBD', 'VBN', 'VBG', 'VBZ'].map((tag) => [tag, (base: string) => verbForm(base, tag)] as const),
]);

/**
 * Inflects a base form for a Penn Treebank tag: inflect("film", "NNS") = "films", inflect("enchant", "VBD") = "enchanted",
 * inflect("moving", "JJR") = "more moving". In a phrase the head inflects: the last word of a noun, the first of a verb. Undefined if the
 * form does not exist: the plural of "music", or a tag without inflection.
 */
export function inflect(base: string, tag: string): string | undefined {
  const form = FORMS.get(tag);
  if (base === '' || form === undefined) return undefined;
  const isVerb = tag.startsWith('V');
  const space = isVerb ? base.indexOf(' ') : base.lastIndexOf(' ');
  if (space <= 0) return form(base);
  const [first, last] = [base.slice(0, space), base.slice(space + 1)];
  const head = inflect(isVerb ? first : last, tag);
  return head && (isVerb ? `${head} ${last}` : `${first} ${head}`);
}
