/** @file Everyday English words, and letters cut into them. */
import { WORD_LIST } from './word-list.js';

let known: Set<string> | undefined;

function commonWords(): Set<string> {
  if (known === undefined) {
    known = new Set();
    let before = '';
    for (const [, shared = '', rest = ''] of WORD_LIST.matchAll(/([A-Z])([a-z]*)/g)) {
      before = before.slice(0, shared.charCodeAt(0) - 65) + rest;
      known.add(before);
    }
  }
  return known;
}

/** Whether the letters are an everyday English word, whatever their case. */
export const isEnglish = (word: string): boolean => commonWords().has(word.toLowerCase());

/** Letters of the longest word; single letters that are words. */
const [MAX_WORD, LETTERS] = [20, /^[ai]$/];

/**
 * The letters cut into the fewest everyday words, of these the one whose first words are longest; undefined if they cannot be cut. Time is
 * linear in the letters.
 */
export function asWords(letters: string): string[] | undefined {
  const lower = letters.toLowerCase();
  const isWord = (word: string): boolean => (word.length === 1 ? LETTERS.test(word) : isEnglish(word));
  // From the end, so that the first words are the longest.
  const best: ({ readonly to: number; readonly words: number } | undefined)[] = [];
  best[lower.length] = { to: lower.length, words: 0 };
  for (let from = lower.length - 1; from >= 0; from--) {
    for (let to = Math.min(lower.length, from + MAX_WORD); to > from; to--) {
      const behind = best[to];
      if (behind === undefined || !isWord(lower.slice(from, to))) continue;
      if (behind.words + 1 < (best[from]?.words ?? Number.POSITIVE_INFINITY))
        best[from] = { to, words: behind.words + 1 };
    }
  }
  if (best[0] === undefined) return undefined;
  const words: string[] = [];
  for (let from = 0; from < lower.length; ) {
    const { to } = best[from] as { to: number };
    words.push(letters.slice(from, to));
    from = to;
  }
  return words;
}

/** Costs of a cut: of a known word, and of a stretch without known words, to begin and for each letter. */
const [KNOWN, UNKNOWN, UNKNOWN_LETTER] = [1.5, 2, 0.6];

/** The letters cut into everyday words and stretches without any, the cheapest way. Time is linear in the letters. */
export function asWordsAndRest(letters: string): string[] {
  const lower = letters.toLowerCase();
  /** Place -> the cheapest cut of what begins there, and where its first part ends. */
  const best = [...Array.from(lower, () => ({ cost: 0, to: 0 })), { cost: 0, to: lower.length }];
  /** From a place inside an unknown stretch: the cost to the end of the letters, and where the stretch ends. */
  let rest = { cost: 0, to: lower.length };
  for (let from = lower.length - 1; from >= 0; from--) {
    const ends = { cost: best[from + 1]!.cost, to: from + 1 };
    const { cost, to } = rest.cost < ends.cost ? rest : ends;
    rest = { cost: cost + UNKNOWN_LETTER, to };
    best[from] = { cost: rest.cost + UNKNOWN, to };
    for (let end = Math.min(lower.length, from + MAX_WORD); end > from + 1; end--) {
      const known = KNOWN + best[end]!.cost;
      if (known < best[from]!.cost && isEnglish(lower.slice(from, end))) best[from] = { cost: known, to: end };
    }
  }
  const words: string[] = [];
  let prefix = '';
  for (let from = 0; from < lower.length; from = best[from]!.to) {
    const part = letters.slice(from, best[from]!.to);
    // Two unknown letters before a word are its prefix.
    const isPrefix = part.length <= 2 && !isEnglish(part) && best[from]!.to < lower.length;
    if (isPrefix) prefix += part;
    else words.push(prefix + part);
    if (!isPrefix) prefix = '';
  }
  return words;
}
