/** @file Measures of a rewrite that exist in the product, as inputs of a model that predicts whether readers keep the label. */
import { diffArrays } from 'diff';
import { Draft } from '../../src/core/draft.js';
import type { UniversalTag } from '../../src/core/language.js';
import { baseForms } from '../../src/language/english/base-forms.js';
import { english } from '../../src/language/english/index.js';
import { senseShares } from '../../src/language/english/synonyms.js';
import { wordCloseness } from '../../src/language/english/word-closeness.js';
import { EnglishFrequency } from '../../src/language/english/word-frequency.js';
import { WORD_CLASSES, wordnet } from '../../src/language/english/wordnet.js';
import type { NgramModel } from '../../src/language/ngram-model.js';
import type { qualityMeter } from '../../src/language/quality.js';
import type { WordVectors } from '../../src/language/word-vectors.js';

export interface FeatureTools {
  readonly meter: ReturnType<typeof qualityMeter>;
  readonly ngrams: NgramModel;
  readonly vectors?: WordVectors | undefined;
}

export type Features = Readonly<Record<string, number>>;

/** Bounds on what is compared in a completely rewritten text. */
const [MAX_CHANGES, MAX_CANDIDATES, MAX_WORDS] = [120, 12, 100];
/** Words on either side whose vectors stand for the context. */
const CONTEXT_WORDS = 5;
/** Closeness of a pair that the table lacks. */
const UNLISTED_CLOSENESS = 0.3;

const frequency = new EnglishFrequency();
const isContent = (word: string): boolean => /[\p{L}\p{N}]/u.test(word) && !english.stopWords.has(word);
const count = (words: Iterable<string>): number => Math.log1p([...words].filter(isContent).length);
const mean = (values: readonly number[], empty: number): number =>
  values.length === 0 ? empty : values.reduce((sum, value) => sum + value, 0) / values.length;

interface Side {
  /** Lower case. */
  readonly words: readonly string[];
  readonly tags: readonly (UniversalTag | undefined)[];
  readonly tokens: readonly string[];
  /** Capitalised words after the first, in lower case. */
  readonly names: ReadonlySet<string>;
}

function sideOf(text: string): Side {
  const draft = Draft.of(text);
  const lower = (words: readonly string[]): string[] => words.map((word) => word.toLowerCase());
  return {
    words: lower(draft.words),
    tags: english.partOfSpeech.tags(draft).map(({ universal }) => universal),
    tokens: lower(english.tokenize(text)),
    names: new Set(lower(draft.words.slice(1).filter((word) => /^\p{Lu}/u.test(word)))),
  };
}

/** Places of words between unchanged words. */
interface Change {
  readonly lost: number[];
  readonly added: number[];
}

function changesOf(before: readonly string[], after: readonly string[]): Change[] {
  const found: Change[] = [];
  let [a, b] = [0, 0];
  let open: Change | undefined;
  for (const { added, removed, count: length } of diffArrays([...before], [...after])) {
    if (!added && !removed) {
      [a, b, open] = [a + length, b + length, undefined];
      continue;
    }
    if (open === undefined) {
      open = { lost: [], added: [] };
      found.push(open);
    }
    for (let i = 0; i < length; i++) removed ? open.lost.push(a++) : open.added.push(b++);
  }
  return found;
}

interface Swap {
  readonly from: string;
  readonly to: string;
  readonly samePartOfSpeech: boolean;
  readonly at: number;
}

interface Alignment {
  readonly changes: number;
  readonly swaps: readonly Swap[];
  /** Lost words without a counterpart. */
  readonly left: readonly string[];
  /** Added words without a counterpart. */
  readonly inserted: readonly string[];
}

/** Pairs each lost word with the most similar added word of its change. Changes of unequal length pair related words only. */
function align(a: Side, b: Side): Alignment {
  const swaps: Swap[] = [];
  const [left, inserted]: [string[], string[]] = [[], []];
  const changes = changesOf(a.words, b.words);
  for (const { lost, added } of changes.slice(0, MAX_CHANGES)) {
    const free = new Set(added);
    for (const at of lost) {
      const from = a.words[at]!;
      const like = (place: number): number => english.synonyms.similarity(from, b.words[place]!);
      const [best] = [...free].slice(0, MAX_CANDIDATES).sort((x, y) => like(y) - like(x) || x - y);
      if (best === undefined || (lost.length !== added.length && like(best) === 0)) {
        left.push(from);
      } else {
        free.delete(best);
        swaps.push({ from, to: b.words[best]!, samePartOfSpeech: a.tags[at] === b.tags[best], at });
      }
    }
    for (const at of free) inserted.push(b.words[at]!);
  }
  return { changes: changes.length, swaps, left, inserted };
}

const bases = (word: string): string[] => [
  ...new Set([word, ...WORD_CLASSES.flatMap((wordClass) => baseForms(word, wordClass))]),
];

/** Cosine of two words' nearest base forms by the product's table. */
const closeness = (a: string, b: string): number =>
  Math.max(
    ...bases(a).flatMap((x) => bases(b).map((y) => (x === y ? 1 : (wordCloseness(x, y) ?? UNLISTED_CLOSENESS)))),
  );

/** Log of the share of the first word's uses in meanings that list the second. */
function sharedMeaning(a: string, b: string): number {
  const others = new Set(bases(b));
  const shares = WORD_CLASSES.flatMap((wordClass) =>
    baseForms(a, wordClass).map((base) =>
      [...senseShares(base, wordClass)]
        .filter(([id]) => wordnet.synset(id).words.some((word) => others.has(word)))
        .reduce((sum, [, share]) => sum + share, 0),
    ),
  );
  return Math.log(Math.max(0, ...shares) + 0.02);
}

/** Share of pairs of common content words that occur in the other order. */
function inversions(before: readonly string[], after: readonly string[]): number {
  const place = new Map(after.map((word, at) => [word, at]));
  const common = [...new Set(before)].filter((word) => place.has(word) && isContent(word)).slice(0, MAX_WORDS);
  let [swapped, all] = [0, 0];
  for (let i = 0; i < common.length; i++)
    for (let j = i + 1; j < common.length; j++) {
      all++;
      if (place.get(common[i]!)! > place.get(common[j]!)!) swapped++;
    }
  return all === 0 ? 0 : swapped / all;
}

const numbersOf = ({ tokens }: Side): string =>
  tokens
    .flatMap((token) => (/\p{N}/u.test(token) ? [token] : (english.entities.wordsToNumber(token)?.toString() ?? [])))
    .sort()
    .join(' ');

/** Words that one text has and the other lacks, and what reverses a meaning. */
function reversals(a: Side, b: Side): Features {
  const [bagA, bagB] = [new Set(a.words), new Set(b.words)];
  const gone = [...bagA].filter((word) => !bagB.has(word)).slice(0, MAX_WORDS);
  const come = [...bagB].filter((word) => !bagA.has(word)).slice(0, MAX_WORDS);
  const [before, after] = [a, b].map(({ tokens }) => english.negation.denials?.(tokens).length ?? 0) as [
    number,
    number,
  ];
  return {
    'words gone': count(gone),
    'new words': count(come),
    negation: Number(before % 2 !== after % 2),
    opposites: Number(gone.some((x) => come.some((y) => english.antonyms.areOpposed(x, y)))),
    numbers: Number(numbersOf(a) !== numbersOf(b)),
    'names lost': count([...a.names].filter((word) => !bagB.has(word))),
    'new names': count([...b.names].filter((word) => !bagA.has(word))),
    'word order': inversions(a.words, b.words),
  };
}

/** The worst and the mean of each measure over the swapped content words. */
function swapFeatures(swaps: readonly Swap[]): Features {
  const measured = {
    'word similarity': [swaps.map(({ from, to }) => english.synonyms.similarity(from, to)), 1],
    'word closeness': [swaps.map(({ from, to }) => closeness(from, to)), 1],
    'meaning shared': [swaps.map(({ from, to }) => sharedMeaning(from, to)), 0],
    'use shared': [swaps.map(({ from, to }) => sharedMeaning(to, from)), 0],
    'word frequency': [swaps.map(({ to }) => Math.log1p(frequency.of(to))), 4],
  } as const;
  return Object.fromEntries(
    Object.entries(measured).flatMap(([name, [values, empty]]) => [
      [name, values.length === 0 ? empty : Math.min(...values)],
      [`${name}, mean`, mean(values, empty)],
    ]),
  );
}

/** Cosines of swapped words, and how much better their contexts suit the replacement than the original. */
function vectorFeatures(swaps: readonly Swap[], { words }: Side, vectors: WordVectors): Features {
  const suits = (word: string, at: number): number => {
    const near = words.slice(Math.max(0, at - CONTEXT_WORDS), at + CONTEXT_WORDS + 1).filter(isContent);
    const others = near.filter((other) => other !== words[at]);
    return mean(
      others.flatMap((other) => vectors.similarity(word, other) ?? []),
      0,
    );
  };
  const cosines = swaps.map(({ from, to }) => vectors.similarity(from, to) ?? 0);
  return {
    'vector cosine': cosines.length === 0 ? 1 : Math.min(...cosines),
    'vector cosine, mean': mean(cosines, 1),
    'vector fit': mean(
      swaps.map(({ from, to, at }) => suits(to, at) - suits(from, at)),
      0,
    ),
  };
}

/** All features are finite. */
export function featuresOf(before: string, after: string, { meter, ngrams, vectors }: FeatureTools): Features {
  const [a, b] = [sideOf(before), sideOf(after)];
  const { changes, swaps, left, inserted } = align(a, b);
  const content = swaps.filter(({ from, to }) => isContent(from) || isContent(to));
  const quality = meter(before, after);
  const bits = (text: string): number => ngrams.surprisals(text).bits.reduce((sum, value) => sum + value, 0);
  const length = Math.max(1, a.words.length);
  return {
    similarity: quality.similarity ?? 0,
    'readable words': quality.readability ?? 0,
    'edit distance': quality.editDistance / Math.max(1, before.length),
    edits: Math.log1p(changes),
    'words changed': (swaps.length + left.length) / length,
    length: Math.log(Math.max(1, b.words.length) / length),
    deletions: count(left),
    insertions: count(inserted),
    substitutions: Math.log1p(content.length),
    'part of speech': mean(
      swaps.map(({ samePartOfSpeech }) => Number(samePartOfSpeech)),
      1,
    ),
    surprisal: (bits(after) - bits(before)) / Math.max(1, changes),
    ...reversals(a, b),
    ...swapFeatures(content),
    ...(vectors && vectorFeatures(content, a, vectors)),
  };
}
