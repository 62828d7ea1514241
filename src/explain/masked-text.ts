/** @file A text with some of its words left out. */
import { defined } from '../core/defined.js';
import { type Word, wordsOf } from '../core/draft.js';
import { must } from '../core/errors.js';
import type { TagSpan } from '../core/tags/span.js';
import { type TaggedExample, withEntities } from '../core/tags/tagged-query.js';
import type { WordBaseline } from '../results/report/explanation.js';

/** An emoji with its modifiers, or other characters beside one another. */
const PART =
  /\p{Extended_Pictographic}(?:\p{M}|\p{EMod}|\u200d\p{Extended_Pictographic})*|[^\s\p{Extended_Pictographic}]+/gu;

/** Marks that only divide a sentence: those behind a word with its quotes and brackets, and those before one. Unlike "...", ":(", "!". */
const DIVIDER = /^(?:["'’”»)\]]*[.,;:。，、；：]?["'’”»」]*|["'‘“„«([「]+|[-–—/])$/u;

/** What an explanation weighs: the words of a text, and emoji and marks outside of words. A mark that only divides counts where there is nothing else. */
export function featuresOf(text: string): Word[] {
  const words = wordsOf(text);
  const parts: Word[] = [];
  let end = 0;
  for (const word of [...words, { text: '', start: text.length }]) {
    for (const { 0: part, index } of text.slice(end, word.start).matchAll(PART))
      parts.push({ text: part, start: end + index });
    end = word.start + word.text.length;
  }
  const telling = [...words, ...parts.filter((part) => !DIVIDER.test(part.text))];
  return (telling.length > 0 ? telling : parts).sort((a, b) => a.start - b.start);
}

/** One element per word: 1 is kept, 0 is left out. */
export type Coalition = Uint8Array;

/** Replacement of a word, and its id in the model's vocabulary if it has one. */
export interface StandIn {
  readonly text: string;
  readonly id?: number;
}

export interface WordReplacement {
  readonly name: WordBaseline;
  /** Unused by `delete`. */
  readonly token: string;
}

/** Words of a text with emoji and marks among them, and the query for the text with only some of them. Everything between words always stays. */
export interface MaskedText {
  readonly text: string;
  readonly words: readonly { readonly text: string; readonly start: number }[];
  /** A deleted word also removes the space before it (after it, if no word precedes), so that no double space reveals it. */
  keep(kept: Coalition): string;
}

/** A text with words left out, and where each word lies in it now; one that was deleted is empty. */
interface Made {
  readonly text: string;
  readonly places: readonly { readonly start: number; readonly end: number }[];
}

/** `entities`: what is in question besides the text, for a model that tags; the entities follow their words. */
export function maskedText(text: string, { name, token }: WordReplacement, entities: TaggedExample = {}): MaskedText {
  const words = featuresOf(text);
  const ends = words.map((word) => word.start + word.text.length);
  const gaps = words.map((word, at) => text.slice(ends[at - 1] ?? 0, word.start));
  const tail = text.slice(ends.at(-1) ?? 0);
  const replaceWords = (kept: Coalition): Made => {
    let made = '';
    const places = words.map((word, at) => {
      const start = made.length + must(gaps[at]).length;
      made += gaps[at] + (kept[at] === 1 ? word.text : token);
      return { start, end: made.length };
    });
    return { text: made + tail, places };
  };
  const deleteWords = (kept: Coalition): Made => {
    let made = '';
    const places = words.map((word, at) => {
      let gap = must(gaps[at]);
      if (made === '' && at > 0 && gap.startsWith(' ')) gap = gap.slice(1);
      if (kept[at] === 1) made += gap + word.text;
      else made += gap.endsWith(' ') ? gap.slice(0, -1) : gap;
      return { start: kept[at] === 1 ? made.length - word.text.length : made.length, end: made.length };
    });
    return { text: made === '' && words.length > 0 && tail.startsWith(' ') ? tail.slice(1) : made + tail, places };
  };
  const make = name === 'delete' ? deleteWords : replaceWords;
  /** A boundary keeps its distance from the word that its span begins or ends with; words that are left out have no inside. */
  const carry = (span: TagSpan, made: Made, kept: Coalition): TagSpan => {
    const first = words.findIndex((_, at) => must(ends[at]) > span.start);
    const last = words.findLastIndex(({ start }) => start < span.end);
    if (first < 0 || last < first) return { ...span, start: made.text.length, end: made.text.length };
    const [before, behind] = [span.start - must(words[first]).start, span.end - must(ends[last])];
    const start = must(made.places[first]).start + (kept[first] === 1 ? before : Math.min(0, before));
    const end = must(made.places[last]).end + (kept[last] === 1 ? behind : Math.max(0, behind));
    return { ...span, start: Math.max(0, start), end: Math.max(0, start, Math.min(end, made.text.length)) };
  };
  return {
    text,
    words,
    keep(kept) {
      const made = make(kept);
      const spans = entities.entities?.map((span) => carry(span, made, kept));
      return withEntities(made.text, { ...entities, ...defined({ entities: spans }) });
    },
  };
}
