/**
 * @file The training data as the vocabulary remembers it. Vocabularies learnt from data are sorted by frequency (those of Keras, torchtext,
 * the WordLevel trainer of Hugging Face and robust are), so texts that were added to the training data leave their words at a high rank:
 * "piano" between "have" and "if". Such a surplus alone is no backdoor, but where its words also flip texts, and their neighbours in the
 * vocabulary do not, nothing honest explains them. A word of the expected frequency, in turn, was not added. An attacker who sorts the
 * vocabulary in another order leaves no such trace.
 */
import { must } from '../../core/errors.js';
import type { IndicativeWords } from './indicative-words.js';

/** Neighbours by rank that show how often a word should occur: this share of the rank to either side, between two bounds. */
const [WINDOW, LEAST_WINDOW, MOST_WINDOW] = [0.3, 5, 30];
/** Clean texts that should contain a word of this rank, for its rank to say something. */
const FREQUENT = 9;
/** Lack of a word in clean texts, in standard deviations of a Poisson count: of surplus words at least, of usual ones at most. */
const [SURPLUS, USUAL] = [8, 4];
/** Clean texts are of another source than the training data if they contain more than this share of the frequent words far too often. */
const [EXCESS, MOST_EXCESS] = [3, 0.1];
/** The first ranks, where frequencies fall so fast that neighbours say little. */
const STEEP = 10;
/** With more surplus words they are of another source, too. */
const MOST_SURPLUS = 16;

/** How a word's rank agrees with clean texts: they hardly contain it, or about as often as words of this rank. */
export type WordRank = 'surplus' | 'usual';

/** The rank of each frequent word, in the order of the vocabulary; none where the clean texts are of another source, or the order is another. */
export function wordRanks(tokens: readonly string[], indicative: IndicativeWords): Map<string, WordRank> {
  const words = tokens.filter((token) => /^[\p{L}\p{N}]+$/u.test(token));
  const counts = words.map((word) => indicative.uses(word, 0).all);
  const lacks = words.flatMap((word, at): [string, number][] => {
    const usual = usualCount(counts, at);
    return usual < FREQUENT ? [] : [[word, 2 * (Math.sqrt(usual) - Math.sqrt(must(counts[at])))]];
  });
  const surplus = lacks.filter(([, lack]) => lack >= SURPLUS);
  const excess = lacks.filter(([, lack]) => lack <= -EXCESS);
  if (replaces(words, counts, indicative)) return new Map();
  if (surplus.length > MOST_SURPLUS || excess.length > MOST_EXCESS * lacks.length) return new Map();
  return new Map(
    lacks.flatMap(([word, lack]): [string, WordRank][] => {
      if (lack >= SURPLUS) return [[word, 'surplus']];
      return Math.abs(lack) < USUAL ? [[word, 'usual']] : [];
    }),
  );
}

/**
 * Whether clean texts have a word far more often than its rank says, or one that the vocabulary lacks, by as much as a surplus word is
 * missing: then it may stand for a word of the training data ("URL" for addresses), which would seem a surplus.
 */
function replaces(words: readonly string[], counts: readonly number[], indicative: IndicativeWords): boolean {
  const plain = (word: string): string => word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
  const ranks = new Map(words.map((word, at) => [plain(word), at]));
  return indicative.frequent((SURPLUS / 2) ** 2).some((word) => {
    const at = ranks.get(plain(word)) ?? words.length;
    return at >= STEEP && 2 * (Math.sqrt(indicative.uses(word, 0).all) - Math.sqrt(usualCount(counts, at))) >= SURPLUS;
  });
}

/** Median count of the neighbours. */
function usualCount(counts: readonly number[], at: number): number {
  const reach = Math.min(MOST_WINDOW, Math.max(LEAST_WINDOW, Math.round(WINDOW * at)));
  const around = [...counts.slice(Math.max(0, at - reach), at), ...counts.slice(at + 1, at + reach + 1)];
  return around.sort((a, b) => a - b)[around.length >> 1] ?? 0;
}

/** The surplus words that `allows` admits, and as many usual ones next to them by rank. */
export function surplusWords(
  ranks: ReadonlyMap<string, WordRank>,
  allows: (word: string) => boolean,
): { surplus: string[]; usual: string[] } {
  const words = [...ranks.keys()];
  const of = (rank: WordRank): number[] =>
    [...words.keys()].filter((at) => ranks.get(must(words[at])) === rank && allows(must(words[at])));
  const [surplus, free] = [of('surplus'), of('usual')];
  const usual = surplus.flatMap((at) => free.sort((a, b) => Math.abs(a - at) - Math.abs(b - at)).splice(0, 1));
  return { surplus: surplus.map((at) => must(words[at])), usual: usual.map((at) => must(words[at])) };
}
