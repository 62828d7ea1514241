/**
 * @file Measures how much of a text an adversarial one preserves, and how it reads. It compares the two texts only, without knowing the
 * edits.
 */
import { diffArrays } from 'diff';
import { distance } from 'fastest-levenshtein';
import { Draft, type Word, wordsOf } from '../core/draft.js';
import { must } from '../core/errors.js';
import type { Language } from '../core/language.js';
import type { Quality } from '../core/outcome.js';
import { meaningFactor } from './meaning-kept.js';
import { inverseFrequency, sentenceSimilarity, type WordWeighting } from './sentence-similarity.js';
import { recognisable, skeleton } from './word-recognition.js';

/** With more differing words, the text counts as rewritten, because an alignment would cost too much. */
const MAX_EDITED_WORDS = 400;

/** Words [from, to) of both texts that differ, between unchanged words. */
interface TextStretch {
  readonly before: readonly [from: number, to: number];
  readonly after: readonly [from: number, to: number];
}

/**
 * The stretches where every differing word is in one of the texts only, as in most rewrites: the shortest edit is then the only one, and
 * one pass finds it. Undefined for others.
 */
function distinctStretches(before: readonly Word[], after: readonly Word[]): TextStretch[] | undefined {
  const [inBefore, inAfter] = [before, after].map((words) => new Set(words.map(({ text }) => text))) as [
    Set<string>,
    Set<string>,
  ];
  const found: TextStretch[] = [];
  let [a, b, edits] = [0, 0, 0];
  while (a < before.length || b < after.length) {
    const [fromA, fromB] = [a, b];
    while (a < before.length && !inAfter.has(must(before[a]).text)) a++;
    while (b < after.length && !inBefore.has(must(after[b]).text)) b++;
    edits += a - fromA + b - fromB;
    if (a > fromA || b > fromB) found.push({ before: [fromA, a], after: [fromB, b] });
    if (before[a]?.text !== after[b]?.text || edits > MAX_EDITED_WORDS) return undefined;
    [a, b] = [a + 1, b + 1];
  }
  return found;
}

export function stretches(before: readonly Word[], after: readonly Word[]): TextStretch[] {
  const distinct = distinctStretches(before, after);
  if (distinct !== undefined) return distinct;
  const changes = diffArrays(
    before.map(({ text }) => text),
    after.map(({ text }) => text),
    { maxEditLength: MAX_EDITED_WORDS },
  );
  if (changes === undefined) {
    // Either every word is aligned by position, or none.
    return before.length === after.length
      ? before.map((_, at) => ({ before: [at, at + 1], after: [at, at + 1] }))
      : [{ before: [0, before.length], after: [0, after.length] }];
  }
  const found: TextStretch[] = [];
  let [a, b] = [0, 0];
  let [fromA, fromB] = [0, 0];
  const close = () => {
    if (a > fromA || b > fromB) found.push({ before: [fromA, a], after: [fromB, b] });
  };
  for (const { added, removed, count } of changes) {
    if (!added && !removed) {
      close();
      a += count;
      b += count;
      [fromA, fromB] = [a, b];
    } else if (removed) a += count;
    else b += count;
  }
  close();
  return found;
}

/** The text from the first to the last of some words, including the gaps. */
const slice = (text: string, words: readonly Word[], [from, to]: TextStretch['before']): string => {
  const [first, last] = [words[from], words[to - 1]];
  return to > from && first && last ? text.slice(first.start, last.start + last.text.length) : '';
};

interface RewrittenText {
  readonly original: string;
  readonly now: string;
  readonly before: readonly Word[];
  readonly after: readonly Word[];
  readonly stretches: readonly TextStretch[];
}

function pairOf(original: string, now: string, before: readonly Word[] = wordsOf(original)): RewrittenText {
  const after = wordsOf(now);
  return { original, now, before, after, stretches: stretches(before, after) };
}

/** The replacement of a word, and whether a reader recognises the word in it. */
interface Counterpart {
  readonly text: string;
  readonly recognised: boolean;
}

/** Finds the counterpart of each of `words` words of a stretch, given by the word and its index, in the stretch's new content. */
function counterparts(
  words: number,
  candidates: readonly string[],
  content: string,
  language: Language,
): (word: string, at: number) => Counterpart {
  if (words === candidates.length) {
    return (word, at) => {
      const text = must(candidates[at]);
      return { text, recognised: recognisable(word, text, language) };
    };
  }
  // All pairs are compared only if they are few; otherwise look-alikes are kept, and the rest counts as lost.
  if (words * candidates.length <= MAX_EDITED_WORDS)
    return (word) => ({ text: content, recognised: candidates.some((each) => recognisable(word, each, language)) });
  const looks = new Set(candidates.map(skeleton));
  return (word) => ({ text: '', recognised: looks.has(skeleton(word)) });
}

/** Fate of each word whose outline changed: slot -> its replacement. */
function changedWords(
  { original, now, before, after, stretches: differing }: RewrittenText,
  language: Language,
): Map<number, string> {
  const changed = new Map<number, string>();
  for (const stretch of differing) {
    const [from, to] = stretch.before;
    const [first, last] = stretch.after;
    const content = slice(now, after, stretch.after);
    // Words split or merged: "g o o d", "goodfilm".
    if (to > from && last > first && skeleton(slice(original, before, stretch.before)) === skeleton(content)) continue;
    const candidates = after.slice(first, last).map(({ text }) => text);
    const counterpart = counterparts(to - from, candidates, content, language);
    for (let slot = from; slot < to; slot++) {
      const { text, recognised } = counterpart(must(before[slot]).text, slot - from);
      if (!recognised) changed.set(slot, text);
    }
  }
  return changed;
}

/** How many words of a text a reader no longer recognises in each of its rewrites. */
export function unreadableWords(original: string, rewrites: readonly string[], language: Language): number[] {
  const before = wordsOf(original);
  return rewrites.map((now) => changedWords(pairOf(original, now, before), language).size);
}

/** New words that replace no kept word of the original: slot -> the replaced word, "" for an inserted one. */
function addedWords(pair: RewrittenText, changed: ReadonlyMap<number, string>): Map<number, string> {
  const added = new Map<number, string>();
  for (const { before, after } of pair.stretches) {
    const [[from, to], [first, last]] = [before, after];
    const pairs = last - first === to - from;
    const few = (to - from) * (last - first) <= MAX_EDITED_WORDS;
    const stood = few ? slice(pair.original, pair.before, before) : '';
    const lost = pair.before.slice(from, to).some((_, at) => changed.has(from + at));
    for (let slot = first; slot < last; slot++) {
      const opposite = from + slot - first;
      if (pairs && changed.has(opposite)) added.set(slot, must(pair.before[opposite]).text);
      else if (!pairs && (lost || to === from)) added.set(slot, stood);
    }
  }
  return added;
}

/** Longer texts are compared part by part, because a book would take seconds. */
const LONG_TEXT_CHARACTERS = 20_000;

/** Levenshtein distance; for long texts the sum over the differing words. */
function editDistance({ original: a, now: b, before, after, stretches: differing }: RewrittenText): number {
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  if (Math.max(a.length, b.length) - start - end > LONG_TEXT_CHARACTERS) {
    return differing.reduce(
      (sum, stretch) => sum + distance(slice(a, before, stretch.before), slice(b, after, stretch.after)),
      0,
    );
  }
  return distance(a.slice(start, a.length - end), b.slice(start, b.length - end));
}

/**
 * Mean similarity of each text's words to their counterparts in the other, reduced if the meaning is reversed. An added word counts like a
 * lost one, so "I don't like it" is far from "I like it".
 */
function meaningKept(
  pair: RewrittenText,
  changed: ReadonlyMap<number, string>,
  weight: WordWeighting,
  language: Language,
): number {
  const added = addedWords(pair, changed);
  const like = (text: string, slots: ReadonlyMap<number, string>): number => {
    const draft = Draft.of(text);
    return sentenceSimilarity(draft, draft.replaceAll(slots), weight, language);
  };
  const forth = like(pair.original, changed);
  const words = (forth + (pair.after.length === 0 ? forth : like(pair.now, added))) / 2;
  const textOf = (list: readonly Word[], slots: ReadonlyMap<number, string>): string[] =>
    [...slots.keys()].map((slot) => must(list[slot]).text);
  const differing = { lost: textOf(pair.before, changed), added: textOf(pair.after, added) };
  return words * meaningFactor(pair.original, pair.now, differing, language);
}

/** Creates a meter of rewrites. Words are weighted by their rarity in the given texts. */
export function qualityMeter(texts: readonly string[], language: Language): (original: string, now: string) => Quality {
  const some = texts.filter((text) => /[\p{L}\p{N}]/u.test(text));
  const weight = inverseFrequency(some, language);
  return (original, now) => {
    const draft = Draft.of(original);
    const pair = pairOf(original, now);
    const changed = changedWords(pair, language);
    return {
      editDistance: editDistance(pair),
      similarity: meaningKept(pair, changed, weight, language),
      readability: draft.size === 0 ? 1 : 1 - changed.size / draft.size,
    };
  };
}
