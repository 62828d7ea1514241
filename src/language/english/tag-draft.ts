/**
 * @file Parts of speech of the slots of a draft. A search edits a word of a long text thousands of times: of an edited draft, only the tokens
 * are tagged again whose tags may depend on the edit.
 */
import type { Draft } from '../../core/draft.js';
import { must } from '../../core/errors.js';
import { getOrCompute } from '../../core/get-or-compute.js';
import type { PartOfSpeech } from '../../core/language.js';
import { lazily } from '../data-files.js';
import { wordList } from './data-files.js';
import { partOfSpeech, tagTokens } from './part-of-speech.js';
import type { TaggedWord } from './tag-corrections.js';
import { type DraftToken, draftTokens } from './tokens.js';

/** Shorter texts are tagged whole: nothing would be saved. */
const LONG = 150;
/** Drafts kept for each text, the last used first: the text itself, the draft that is edited, and its latest edits. */
const KEPT = 32;

/** The rules look at most three tokens back. */
const BACK = 3;
/** Two passes of rules look three tokens ahead each; the first letter of the next word counts, too. */
const AHEAD = 7;
/** One correction looks ahead to the next of these marks, the others less far than this many tokens. */
const STOP = /^[.,;:!?]$/;
const CORRECTION = 4;

const MARK = /^[.,;:!?()]$/;
/** Words that have one tag in every context. */
export const settledWords = lazily(
  (): ReadonlySet<string> => new Set(wordList('settled-words.txt').flatMap((line) => line.split(' '))),
);

interface TaggedDraft {
  readonly draft: Draft;
  readonly tokens: readonly DraftToken[];
  readonly tagged: readonly TaggedWord[];
  readonly bySlot: readonly PartOfSpeech[];
}

const cache = new WeakMap<Draft, readonly PartOfSpeech[]>();
const kept = new WeakMap<Draft, TaggedDraft[]>();

/** Part of speech of each slot of a draft: that of its first word if it contains several, `X` if it is empty. */
export const tagDraft = (draft: Draft): readonly PartOfSpeech[] => getOrCompute(cache, draft, tagSlots);

function tagSlots(draft: Draft): readonly PartOfSpeech[] {
  if (draft.size < LONG) return taggedWhole(draft).bySlot;
  const drafts = getOrCompute(kept, draft.original, (): TaggedDraft[] => []);
  const base = nearest(drafts, draft);
  if (base !== undefined) toFront(drafts, base);
  const tagged = (base && taggedAgain(base, draft)) ?? taggedWhole(draft);
  drafts.unshift(tagged);
  drafts.length = Math.min(drafts.length, KEPT);
  return tagged.bySlot;
}

function taggedWhole(draft: Draft): TaggedDraft {
  const tokens = draftTokens(draft);
  const tagged = tagTokens(tokens.map(({ text }) => text));
  const bySlot = Array.from({ length: draft.size }, () => partOfSpeech('SYM'));
  setSlots(bySlot, tokens, tagged);
  return { draft, tokens, tagged, bySlot };
}

function setSlots(bySlot: PartOfSpeech[], tokens: readonly DraftToken[], tagged: readonly TaggedWord[]): void {
  tokens.forEach(({ slot, head }, at) => {
    if (head) bySlot[slot] = partOfSpeech(must(tagged[at]).tag);
  });
}

/** The draft that differs in the fewest slots. */
function nearest(drafts: readonly TaggedDraft[], draft: Draft): TaggedDraft | undefined {
  let [found, least]: [TaggedDraft | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const each of drafts) {
    const differing = draft.editedSince(each.draft).size;
    if (differing < least) [found, least] = [each, differing];
    if (differing <= 1) break;
  }
  return found;
}

function toFront(drafts: TaggedDraft[], one: TaggedDraft): void {
  drafts.splice(drafts.indexOf(one), 1);
  drafts.unshift(one);
}

/**
 * The tags of a draft from those of another of the same text, exactly as if it were tagged whole: three tokens in a row that have one tag in
 * every context keep all rules before them from those behind. Undefined where that would save nothing.
 */
function taggedAgain(base: TaggedDraft, draft: Draft): TaggedDraft | undefined {
  const { tokens, tagged } = base;
  // What is written before the first word or behind the last marks no slot.
  const ends = [0, draft.size];
  if (ends.some((at) => draft.gapBefore(at) !== base.draft.gapBefore(at))) return undefined;
  const slots = [...draft.editedSince(base.draft)];
  if (slots.length === 0) return { ...base, draft };
  const [first, last] = [Math.min(...slots), Math.max(...slots)];
  const edited = tokens.findLastIndex(({ slot }) => slot >= 0 && slot < first) + 1;
  let behind = tokens.findIndex(({ slot }) => slot > last);
  if (behind < 0) behind = tokens.length;
  const from = windowStart(tokens, edited);
  const fence = fenceFrom(tokens, behind);
  const settled = fence === undefined ? tokens.length : fence + BACK;
  const to = windowEnd(tokens, settled);
  if (to - from > tokens.length / 2) return undefined;
  const between = draftTokens(
    draft,
    from === 0 ? 0 : must(tokens[from]).slot,
    to === tokens.length ? draft.size : must(tokens[to]).slot,
  );
  const texts = between.map(({ text }) => text);
  // A text in capitals throughout is read otherwise.
  if (!texts.some(isLower) || !tokens.some(({ text }) => isLower(text))) return undefined;
  const again = tagTokens(texts);
  const start = from === 0 ? 0 : from + BACK;
  const bySlot = base.bySlot.slice();
  for (const { slot } of tokens.slice(from, to)) if (slot >= 0) bySlot[slot] = partOfSpeech('SYM');
  const merged = [
    ...tagged.slice(0, start),
    ...again.slice(start - from, again.length - (to - settled)),
    ...tagged.slice(settled),
  ];
  const all = [...tokens.slice(0, from), ...between, ...tokens.slice(to)];
  setSlots(bySlot, between, merged.slice(from, from + between.length));
  return { draft, tokens: all, tagged: merged, bySlot };
}

const isLower = (text: string): boolean => /\p{Ll}/u.test(text);

/** Where a fence begins, before all that may look ahead to the edited token; 0 for the whole beginning. */
function windowStart(tokens: readonly DraftToken[], edited: number): number {
  let stop = edited - AHEAD;
  while (stop >= 0 && !STOP.test(must(tokens[stop]).text)) stop--;
  for (let at = stop - CORRECTION - BACK; at > 0; at--) if (isFence(tokens, at) && opensSlot(tokens, at)) return at;
  return 0;
}

function fenceFrom(tokens: readonly DraftToken[], from: number): number | undefined {
  for (let at = from; at + BACK <= tokens.length; at++) if (isFence(tokens, at)) return at;
  return undefined;
}

/** Behind all that tokens before `settled` may look ahead to. */
function windowEnd(tokens: readonly DraftToken[], settled: number): number {
  let stop = settled;
  while (stop < tokens.length && !STOP.test(must(tokens[stop]).text)) stop++;
  for (let at = stop + CORRECTION + AHEAD; at < tokens.length; at++) if (opensSlot(tokens, at)) return at;
  return tokens.length;
}

/** With a word, so that what follows does not begin a sentence by an earlier mark. */
const isFence = (tokens: readonly DraftToken[], at: number): boolean => {
  const fence = tokens.slice(at, at + BACK);
  return (
    fence.length === BACK &&
    fence.every(({ text }) => settledWords().has(text) || MARK.test(text)) &&
    fence.some(({ text }) => isLower(text))
  );
};

/** The first token of a slot, and not what an apostrophe before it joined. */
const opensSlot = (tokens: readonly DraftToken[], at: number): boolean => {
  const { slot, head, text } = must(tokens[at]);
  return slot > 0 && head && !/^['’]/.test(text) && !/^['’]$/.test(must(tokens[at - 1]).text);
};
