/** @file Parts of a log: by language, by length, and by words that occur together. */
import { wordsOf } from '../../core/draft.js';
import { SIGNIFICANCE_LEVEL } from '../../core/hardening.js';
import { holm } from '../../core/paired.js';
import type { LogSlice } from '../../core/unlabelled-comparison.js';
import { MIN_EXAMPLES } from '../../gate/index.js';
import { languageOfText, stopWordsOf } from '../language.js';
import { type AnsweredText, disagreementOf } from './differences.js';

/** Upper bounds of the ranges of length, in words. */
const LENGTHS = [10, 50, 200] as const;
/** Most frequent words that are grouped. */
const MOST_WORDS = 60;
/** Groups of words that are reported, the largest first. */
const MOST_CLUSTERS = 15;
/** Two words belong together if they share this part of the texts that have either. */
const LEAST_OVERLAP = 0.5;
/** Words that name a group. */
const NAMING_WORDS = 3;

interface LogPart {
  readonly kind: LogSlice['kind'];
  readonly name: string;
  readonly texts: readonly AnsweredText[];
}

/** The figures of each part; p-values are corrected over all parts of at least 30 texts. */
export function slicesOf(texts: readonly AnsweredText[]): LogSlice[] {
  const read = texts.map((text) => ({ text, ...readText(text.text) }));
  const parts: LogPart[] = [
    ...withOthers(grouped(read, 'language', ({ language }) => language)),
    ...grouped(read, 'length', ({ length }) => lengthName(length)),
    ...wordClusters(read),
  ];
  const figures = parts.map(({ texts: of }) => disagreementOf(of));
  const judged = figures.map(({ mcnemarP, laxer }) => (laxer.n < MIN_EXAMPLES ? null : mcnemarP));
  const adjusted = holm(judged.filter((p) => p !== null));
  return parts.map(({ kind, name }, at) => {
    const { other: _, ...figure } = figures[at]!;
    const adjustedP = judged[at] === null ? null : adjusted.shift()!;
    return { kind, name, ...figure, adjustedP, verdict: verdictOf(figure, adjustedP) };
  });
}

function verdictOf(
  { laxer, difference }: Pick<LogSlice, 'laxer' | 'difference'>,
  adjustedP: number | null,
): LogSlice['verdict'] {
  if (laxer.n < MIN_EXAMPLES) return 'inconclusive';
  if (adjustedP === null || adjustedP >= SIGNIFICANCE_LEVEL) return 'none';
  return (difference.value ?? 0) < 0 ? 'laxer' : 'stricter';
}

interface SlicedText {
  readonly text: AnsweredText;
  readonly language: string;
  /** Number of words. */
  readonly length: number;
  /** Its different words, lower case, without stop words, numbers and short words. */
  readonly words: ReadonlySet<string>;
}

function readText(text: string): Omit<SlicedText, 'text'> {
  const language = languageOfText(text) ?? 'unknown';
  const stopWords = stopWordsOf(language);
  const words = wordsOf(text).map((word) => word.text.toLowerCase());
  const kept = words.filter((word) => /^\p{L}{3,}$|^\p{Lo}{2,}$/u.test(word) && !stopWords?.has(word));
  return { language, length: words.length, words: new Set(kept) };
}

function lengthName(length: number): string {
  const at = LENGTHS.findIndex((most) => length <= most);
  if (at === -1) return `more than ${LENGTHS.at(-1)} words`;
  return at === 0 ? `up to ${LENGTHS[0]} words` : `${LENGTHS[at - 1]! + 1} to ${LENGTHS[at]} words`;
}

/** The parts of one kind, the largest first. */
function grouped(read: readonly SlicedText[], kind: LogPart['kind'], nameOf: (text: SlicedText) => string): LogPart[] {
  const groups = new Map<string, SlicedText[]>();
  for (const one of read) append(groups, nameOf(one), one);
  return [...groups]
    .map(([name, members]) => ({ kind, name, texts: members.map(({ text }) => text) }))
    .toSorted((x, y) => y.texts.length - x.texts.length || (x.name < y.name ? -1 : 1));
}

/** Puts the parts of fewer than 30 texts together. */
function withOthers(parts: readonly LogPart[]): LogPart[] {
  const small = parts.filter(({ texts }) => texts.length < MIN_EXAMPLES);
  if (small.length < 2) return [...parts];
  const others = { kind: small[0]!.kind, name: 'others', texts: small.flatMap(({ texts }) => texts) };
  return [...parts.filter((part) => !small.includes(part)), others];
}

/**
 * Texts that share frequent words. A word must occur in at least 30 different texts, which also keeps rare words, such as names, out of
 * reports, and in at most half of them. Words that mostly occur in the same texts form one group (single linkage on Jaccard's index).
 */
function wordClusters(read: readonly SlicedText[]): LogPart[] {
  const places = new Map<string, number[]>();
  for (const [at, { words }] of read.entries()) {
    for (const word of words) append(places, word, at);
  }
  const frequent = [...places]
    .filter(([, { length }]) => length >= MIN_EXAMPLES && 2 * length <= read.length)
    .toSorted(([x, xs], [y, ys]) => ys.length - xs.length || (x < y ? -1 : 1))
    .slice(0, MOST_WORDS);
  const clusters: { words: string[]; sets: Set<number>[] }[] = [];
  for (const [word, of] of frequent) {
    const set = new Set(of);
    const near = clusters.filter(({ sets }) => sets.some((other) => overlap(set, other) >= LEAST_OVERLAP));
    const merged = {
      words: [...near.flatMap(({ words }) => words), word],
      sets: [...near.flatMap(({ sets }) => sets), set],
    };
    clusters.splice(0, clusters.length, ...clusters.filter((one) => !near.includes(one)), merged);
  }
  return clusters
    .map(({ words, sets }) => ({
      kind: 'words' as const,
      name: words.slice(0, NAMING_WORDS).join(', '),
      texts: [...new Set(sets.flatMap((set) => [...set]))].sort((x, y) => x - y).map((at) => read[at]!.text),
    }))
    .toSorted((x, y) => y.texts.length - x.texts.length || (x.name < y.name ? -1 : 1))
    .slice(0, MOST_CLUSTERS);
}

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** Jaccard's index. */
function overlap(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  const common = [...a].filter((each) => b.has(each)).length;
  return common / (a.size + b.size - common);
}
