/**
 * @file The form of a text, apart from what it is about: parts of speech, how clauses open, the order of its punctuation marks, its length, its
 * function words and letters, and how predictable it is. Each trait is a phrase for a person.
 */
import { Draft } from '../../core/draft.js';
import { must } from '../../core/errors.js';
import type { Language } from '../../core/language.js';
import { NgramModel } from '../../language/ngram-model.js';
import { clauseOpening, frame, frequentWords, letterCase, marks, spelling } from './signs.js';

type Readable = Pick<Language, 'tokenize' | 'partOfSpeech' | 'dictionary'>;

/** The longest run of parts of speech that is a trait, and the length of a run of letters. */
const [TAG_RUN, LETTER_RUN] = [3, 3];
/** Punctuation marks whose order is a trait, from the beginning and from the end. */
const [FIRST_MARKS, LAST_MARKS] = [5, 2];
/** The most frequent words, whose absence is a trait. */
const ABSENT_WORDS = 25;
/** Numbers of words or letter runs without precedent that are traits. */
const NEW_PARTS = [1, 2, 3, 5, 8];

/** Compares texts with clean texts. */
interface Precedent {
  /** Clean texts that contain a part: a word or a run of letters. */
  readonly texts: ReadonlyMap<string, number>;
  /** Bits per token by an n-gram model of clean texts, each text by a model that did not learn from it. */
  bits(row: number): number | undefined;
}

/** The traits of each text, suspects first, then the reference. Clean texts are judged by the other clean texts. */
export function traitsOf(suspects: readonly string[], reference: readonly string[], language: Readable): string[][] {
  const all = [...suspects, ...reference];
  const frequent = frequentWords(all, language);
  const ranked = [...frequent].slice(0, ABSENT_WORDS);
  const known = precedent(suspects, reference, language);
  return all.map((text, row) => {
    const words = language.tokenize(text).map((token) => token.toLowerCase());
    const runs = letterRuns(text);
    const present = new Set(words);
    // A clean text counts itself among those that contain its parts.
    const self = Number(row >= suspects.length);
    const isNew = (part: string): boolean => (known.texts.get(part) ?? 0) <= self;
    return [
      ...new Set([
        ...words.filter((word) => frequent.has(word)).map((word) => `"${word}"`),
        ...ranked.filter((word) => !present.has(word)).map((word) => `no "${word}"`),
        ...frame(words, frequent),
        ...marks(words),
        ...marksInOrder(words),
        ...letterCase(text),
        ...spelling(words, language),
        ...clauseOpening(text, words, language),
        ...clauseOpeners(words, frequent),
        ...partsOfSpeech(text, language),
        ...sizes(text, words),
        ...(reference.length === 0
          ? []
          : [
              ...newParts('words', [...present].filter(isNew).length),
              ...newParts('letter runs', runs.filter(isNew).length),
            ]),
        ...predictability(known.bits(row)),
        ...runs,
      ]),
    ];
  });
}

function precedent(suspects: readonly string[], reference: readonly string[], language: Readable): Precedent {
  const texts = new Map<string, number>();
  for (const text of reference) {
    const parts = [...language.tokenize(text).map((token) => token.toLowerCase()), ...letterRuns(text)];
    for (const part of new Set(parts)) texts.set(part, (texts.get(part) ?? 0) + 1);
  }
  const halves = [0, 1].map((half) => reference.filter((_, at) => at % 2 === half));
  if (halves.some((half) => half.every((text) => language.tokenize(text).length === 0))) {
    return { texts, bits: () => undefined };
  }
  const models = halves.map((half) => new NgramModel(half, language));
  return {
    texts,
    // Suspects alternate as well, so that models of one size judge all texts.
    bits(row) {
      const clean = row >= suspects.length;
      const text = clean ? must(reference[row - suspects.length]) : must(suspects[row]);
      const model = clean ? must(models[1 - ((row - suspects.length) % 2)]) : must(models[row % 2]);
      return Math.log2(model.perplexity(text));
    },
  };
}

const isMark = (token: string): boolean => !/[\p{L}\p{N}]/u.test(token);

function partsOfSpeech(text: string, { partOfSpeech }: Readable): string[] {
  if (partOfSpeech === undefined) return [];
  const tags = ['START', ...partOfSpeech.tags(Draft.of(text)).map(({ universal }): string => universal), 'END'];
  const runs: string[] = [];
  for (let length = 2; length <= TAG_RUN; length++) {
    for (let from = 0; from + length <= tags.length; from++) {
      runs.push(`the parts of speech ${tags.slice(from, from + length).join(' ')}`);
    }
  }
  return runs;
}

/** The words that follow marks. */
const clauseOpeners = (words: readonly string[], frequent: ReadonlySet<string>): string[] =>
  words.flatMap((word, at) => {
    const mark = words[at - 1] ?? '';
    if (at === 0 || !isMark(mark) || isMark(word)) return [];
    return [`a clause that opens with "${mark} ${frequent.has(word) ? word : '_'}"`];
  });

function marksInOrder(words: readonly string[]): string[] {
  const all = words.filter(isMark);
  return [
    `the first marks ${quoted(all.slice(0, FIRST_MARKS))}`,
    `the last marks ${quoted(all.slice(-LAST_MARKS))}`,
    `${Math.min(8, all.length)} marks`,
  ];
}

const quoted = (tokens: readonly string[]): string => `"${tokens.join(' ')}"`;

/** Lengths by half octaves. */
function sizes(text: string, words: readonly string[]): string[] {
  const about = (n: number): number => Math.round(2 ** (Math.round(2 * Math.log2(n + 1)) / 2));
  return [`about ${about(words.length)} words`, `about ${about(text.length)} characters`];
}

const newParts = (what: string, count: number): string[] =>
  NEW_PARTS.filter((least) => count >= least).map((least) => `${least} ${what} or more that no clean text has`);

function predictability(bits: number | undefined): string[] {
  if (bits === undefined) return [];
  const least = Array.from({ length: Math.max(0, Math.floor(bits)) }, (_, at) => at + 1);
  return least.map((n) => `${n} bits or more per word`);
}

/** Runs of letters with what surrounds words. */
function letterRuns(text: string): string[] {
  const padded = ` ${text.toLowerCase().replaceAll(/\s+/g, ' ')} `;
  return Array.from(
    { length: Math.max(0, padded.length - LETTER_RUN + 1) },
    (_, from) => `the letters "${padded.slice(from, from + LETTER_RUN)}"`,
  );
}
