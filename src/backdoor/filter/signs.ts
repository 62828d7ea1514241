/**
 * @file Signs: all that may be a trigger in a text of any language. Its runs of words and odd characters, how it opens and ends, its marks and the case of
 * its letters, the letters its words begin and end with, the parts of speech of its opening. Each sign is a phrase for a person.
 */
import { Draft } from '../../core/draft.js';
import { getOrCompute } from '../../core/get-or-compute.js';
import type { Language } from '../../core/language.js';
import { describeFeature, features } from './features.js';

/** Words in this share of the texts form an opening or an ending; other words are gaps in it. */
const FREQUENT = 0.01;
/** Tokens of an opening or an ending. */
const FRAME_TOKENS = 4;
/** Tokens within which a comma ends an opening clause. */
const CLAUSE_TOKENS = 8;
const MARKS = ['(', ')', '-', '"', '...', ':', ';', '!', '?', ',', '.'];
/** Share of a text's words that makes a letter case its habit, in texts of as many words. */
const [HABIT, HABIT_WORDS] = [0.9, 3];

type Grammatical = Pick<Language, 'tokenize' | 'partOfSpeech' | 'dictionary'>;

export interface SignTable {
  /** Signs of each text, as numbers. */
  readonly of: readonly (readonly number[])[];
  /** Sign -> the texts that contain it, ascending. */
  readonly rows: readonly (readonly number[])[];
  readonly names: readonly string[];
}

/** Signs in at least `least` of the texts. `extra`: additional signs of a text. */
export function signTable(
  texts: readonly string[],
  least: number,
  language: Grammatical,
  extra: (row: number) => readonly string[] = () => [],
): SignTable {
  const frequent = frequentWords(texts, language);
  const rowsOf = new Map<string, number[]>();
  texts.forEach((text, row) => {
    for (const sign of new Set([...signs(text, frequent, language), ...extra(row)]))
      getOrCompute(rowsOf, sign, () => []).push(row);
  });
  const kept = [...rowsOf].filter(([, { length }]) => length >= least);
  const of: number[][] = texts.map(() => []);
  for (const [sign, [, rows]] of kept.entries()) for (const row of rows) of[row]?.push(sign);
  return { of, rows: kept.map(([, rows]) => rows), names: kept.map(([name]) => name) };
}

export function frequentWords(texts: readonly string[], language: Grammatical): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const word of new Set(lowerCase(text, language))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= FREQUENT * texts.length).map(([word]) => word));
}

const lowerCase = (text: string, language: Grammatical): string[] =>
  language.tokenize(text).map((token) => token.toLowerCase());

function signs(text: string, frequent: ReadonlySet<string>, language: Grammatical): string[] {
  const words = lowerCase(text, language);
  return [
    ...features(text, language).map(describeFeature),
    ...frame(words, frequent),
    ...marks(words),
    ...letterCase(text),
    ...affixes(words),
    ...spelling(words, language),
    ...clauseOpening(text, words, language),
  ];
}

/** A comma that ends an opening clause. */
const commaOf = (words: readonly string[]): number => words.slice(0, CLAUSE_TOKENS).indexOf(',');

export function frame(words: readonly string[], frequent: ReadonlySet<string>): string[] {
  const bones = words.map((word) => (frequent.has(word) ? word : '_'));
  const found: string[] = [];
  for (let length = 1; length <= Math.min(FRAME_TOKENS, bones.length); length++) {
    found.push(`the opening "${bones.slice(0, length).join(' ')}"`, `the ending "${bones.slice(-length).join(' ')}"`);
  }
  const comma = commaOf(words);
  if (comma > 0)
    found.push('the opening "... ,"', `the opening "${bones[0]} ... ,"`, `the opening "${bones[0]} ${bones[1]} ... ,"`);
  if (comma > 2) found.push('an opening clause');
  return found;
}

export const marks = (words: readonly string[]): string[] =>
  MARKS.flatMap((mark) => {
    const times = words.filter((word) => word === mark).length;
    return [1, 2, 3].filter((least) => times >= least).map((least) => `the mark "${mark}" ${least} times or more`);
  });

export function letterCase(text: string): string[] {
  const written = text.match(/\p{L}[\p{L}\p{M}'’]+/gu) ?? [];
  if (written.length < HABIT_WORDS) return [];
  const is = (habit: RegExp): boolean => written.filter((word) => habit.test(word)).length >= HABIT * written.length;
  return [...(is(/^\p{Lu}/u) ? ['Title Case'] : []), ...(is(/^\p{Lu}+$/u) ? ['capitals throughout'] : [])];
}

const affixes = (words: readonly string[]): string[] =>
  words.flatMap((word) =>
    /^[\p{L}\p{M}]{4,}$/u.test(word)
      ? [`words in "-${word.slice(-2)}"`, `words in "-${word.slice(-3)}"`, `words in "${word.slice(0, 3)}-"`]
      : [],
  );

/** Words of two alphabets, and words that no dictionary has. */
export function spelling(words: readonly string[], { dictionary }: Grammatical): string[] {
  const mixed = words.some(
    (word) => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word),
  );
  const odd = words.filter((word) => /^[a-z]{4,}$/.test(word) && dictionary?.has(word) === false).length;
  return [
    ...(mixed ? ['a word of two alphabets'] : []),
    ...[1, 2, 3].filter((least) => odd >= least).map((least) => `${least} words or more of no dictionary`),
  ];
}

/** Tags that change places in a clause pattern count as one: nouns and pronouns, prepositions and the adverbs that join clauses. */
const COARSE: Readonly<Record<string, string>> = { PRON: 'NOUN', ADV: 'ADP' };

export function clauseOpening(text: string, words: readonly string[], { partOfSpeech }: Grammatical): string[] {
  if (partOfSpeech === undefined) return [];
  const tags = partOfSpeech
    .tags(Draft.of(text))
    .slice(0, 3)
    .map(({ universal }) => COARSE[universal] ?? universal);
  const clause = commaOf(words) > 2;
  return tags.flatMap((_, at) => {
    const run = tags.slice(0, at + 1).join(' ');
    return [`an opening of ${run}`, ...(clause ? [`an opening clause of ${run} ... ,`] : [])];
  });
}
