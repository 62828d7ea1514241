/** @file Search by labels alone: which words decide, what breaks each of them, and what of it the text needs. */
import { z } from 'zod';
import { search } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import type { Scored, SearchMethod, SearchSpace } from '../core/search.js';

/** Parts of a text that are edited together: an article with its word, two joined words. */
type Unit = readonly number[];

/**
 * A least part of `all` that `holds`, if whatever holds still holds with more (QuickXplain, Junker 2004): about log2(n) questions for each
 * member. Prefers the first. `given` belongs to it already; `grown`: it has grown since the last question.
 */
async function leastPart<T>(
  all: readonly T[],
  holds: (part: readonly T[]) => Promise<boolean>,
  given: readonly T[] = [],
  grown = false,
): Promise<T[]> {
  if (grown && (await holds(given))) return [];
  if (all.length < 2) return [...all];
  const [first, second] = [all.slice(0, Math.ceil(all.length / 2)), all.slice(Math.ceil(all.length / 2))];
  const ofSecond = await leastPart(second, holds, [...given, ...first], true);
  const ofFirst = await leastPart(first, holds, [...given, ...ofSecond], ofSecond.length > 0);
  return [...ofFirst, ...ofSecond];
}

const without = (draft: Draft, slots: readonly number[]): Draft =>
  slots.reduce((left, slot) => left.remove(slot), draft);

/** `onto` with what `from` has in these slots and beside them. */
function graft(onto: Draft, from: Draft, slots: Iterable<number>): Draft {
  let draft = onto;
  for (const slot of slots) {
    if (from.word(slot) === '') draft = draft.remove(slot);
    else if (draft.word(slot) !== from.word(slot)) draft = draft.replace(slot, from.word(slot));
    for (const gap of from.word(slot) === '' ? [] : [slot, slot + 1])
      if (from.gapBefore(gap) !== from.original.gapBefore(gap)) draft = draft.withGap(gap, from.gapBefore(gap));
  }
  return draft;
}

/** Letters of a slot that an edit changed. */
function visibleEdit(draft: Draft, slot: number): number {
  const [before, after] = [draft.originalWord(slot), draft.word(slot)];
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - same && before.at(-1 - end) === after.at(-1 - end)) end++;
  return Math.max(before.length, after.length) - same - end;
}

/** The edits of a draft that can be taken back alone, the least visible first. */
function unitsOf(draft: Draft, { language }: SearchSpace): Unit[] {
  const units: number[][] = [];
  for (const slot of [...draft.edited].sort((a, b) => a - b)) {
    const last = units.at(-1);
    const before = last?.at(-1) === slot - 1 ? slot - 1 : undefined;
    const joined =
      before !== undefined &&
      (language.articles?.has(draft.word(before).toLowerCase()) === true ||
        draft.gapBefore(slot) !== draft.original.gapBefore(slot));
    if (joined) last?.push(slot);
    else units.push([slot]);
  }
  const visible = (unit: Unit): number => unit.reduce((sum, slot) => sum + visibleEdit(draft, slot), 0);
  return units.sort((a, b) => visible(a) - visible(b) || (a[0] ?? 0) - (b[0] ?? 0));
}

/** Takes back every edit that the success does not need, the most visible first. */
async function takeBack(space: SearchSpace, found: Scored): Promise<Scored> {
  let best = found;
  await leastPart(unitsOf(found.draft, space), async (kept) => {
    const draft = graft(space.start.draft, found.draft, kept.flat());
    const [scored] = draft.text === space.start.draft.text ? [] : await space.visit([draft]);
    if (scored?.reached && scored.draft.changed < best.draft.changed) best = scored;
    return scored?.reached === true;
  });
  return best;
}

/** The slots of a draft that can be edited, with their legal rewrites. */
async function offersOf(space: SearchSpace, draft: Draft): Promise<Map<number, Draft[]>> {
  const offers = new Map<number, Draft[]>();
  for (const slot of space.editable(draft)) {
    const rewrites = await space.legal(await space.neighbours(draft, [slot]));
    if (rewrites.length > 0) offers.set(slot, rewrites);
  }
  return offers;
}

/**
 * Isolates the words that decide: a least set without which the answer is as wanted. Rewrites each of them while the others are left out,
 * where every answer tells, and puts the rewrites together; again in what came of it until nothing breaks any more. Undefined where it does
 * not succeed. `broken`: receives the rewrites by their slots.
 */
async function isolateAndBreak(space: SearchSpace, broken: Map<number, Draft>): Promise<Scored | undefined> {
  const { start, random } = space;
  const flips = async (draft: Draft): Promise<boolean> => (await space.probe([draft]))[0]?.reached === true;
  let base = start.draft;
  for (let offers = await offersOf(space, base); offers.size > 0; offers = await offersOf(space, base)) {
    let words = random.shuffle([...offers.keys()]);
    const decide = (slots: readonly number[]) => flips(without(base, slots));
    if (base === start.draft) space.survey(words);
    if (!(await decide(words))) {
      const all = Array.from({ length: base.size }, (_, slot) => slot);
      if (base !== start.draft || !(await decide(all))) return undefined;
      words = await leastPart(random.shuffle(all), decide);
      space.survey([], words);
    } else words = await leastPart(words, decide);
    let now = base;
    for (const word of words) {
      const others = words.filter((other) => other !== word);
      for (const rewrite of space.editable(now).includes(word) ? (offers.get(word) ?? []) : []) {
        if (!(await flips(without(rewrite, others)))) continue;
        broken.set(word, rewrite);
        now = graft(now, rewrite, rewrite.editedSince(base));
        const [scored] = await space.visit([now]);
        if (scored?.reached) return scored;
        break;
      }
    }
    if (now === base) return undefined;
    base = now;
  }
  return undefined;
}

/** Rewrites random words, looking after one, two, four and so on, until the label flips. The words of `broken` are the first of every second stream. */
async function crossOver(
  space: SearchSpace,
  broken: ReadonlyMap<number, Draft>,
  streams: number,
): Promise<Scored | undefined> {
  for (let stream = 0; stream < streams; stream++) {
    let { draft } = space.start;
    let [edits, seen] = [0, 0];
    const order = space.random.shuffle(space.editable(draft));
    const first = stream % 2 === 0 ? order.filter((slot) => broken.has(slot)) : [];
    for (const slot of [...first, ...order.filter((slot) => !first.includes(slot)), undefined]) {
      if (slot !== undefined) {
        const rewrites = await space.legal(await space.neighbours(draft, [slot]));
        if (rewrites.length === 0) continue;
        draft = space.random.pick(rewrites);
        edits++;
      }
      if (edits === seen || (slot !== undefined && edits < 2 * seen)) continue;
      seen = edits;
      const [scored] = await space.visit([draft]);
      if (scored === undefined || scored.reached) return scored;
    }
  }
  return undefined;
}

/**
 * For victims that answer labels only. Where leaving words out changes the label, isolates the words that decide and breaks each of them;
 * otherwise, and where that fails, edits random words until the label flips, in several streams. At last takes back what the success does
 * not need.
 */
export function isolate(streams = 16): SearchMethod {
  return {
    name: `words isolated and broken, else ${streams} crossings of the boundary`,
    needs: 'labels',
    async search(space) {
      const broken = new Map<number, Draft>();
      const found = (await isolateAndBreak(space, broken)) ?? (await crossOver(space, broken, streams));
      if (found?.reached) space.settle(await takeBack(space, found));
    },
  };
}

export const isolateSearch = search({
  name: 'isolate',
  summary:
    'By labels alone: finds the words that decide, breaks each with the others left out, and puts the rewrites together; else crosses the boundary by random edits and takes back those that are not needed.',
  main: 'crossings',
  options: {
    crossings: z.int().min(1).default(16).describe('streams of random edits where no words can be isolated and broken'),
  },
  create: ({ crossings }) => isolate(crossings),
});
