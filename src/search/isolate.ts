/** @file Search by labels alone: which words decide, what breaks each of them, and what of it the text needs. */
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

/** Words whose blanks are closed when they are left out: it takes the square of their number. */
const CLOSED = 64;

const without = (draft: Draft, slots: readonly number[]): Draft =>
  slots.length > CLOSED
    ? draft.replaceAll(new Map(slots.map((slot) => [slot, ''])))
    : slots.reduce((left, slot) => left.remove(slot), draft);

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

/** `onto` with a rewrite of a word of the text. */
const put = (onto: Draft, rewrite: Draft | undefined): Draft =>
  rewrite === undefined ? onto : graft(onto, rewrite, rewrite.edited);

/** The draft with these words out of the way. */
type Spoil = (draft: Draft, slots: readonly number[]) => Draft;

/**
 * Queries of a search that finds nothing: for each rewrite of a word, of which at most `counted` count, and for each word, at most as many as for
 * so many rewrites. `idle`: rounds without a text that was not asked before, after which it ends.
 */
const BUDGET = { rewrites: 2, counted: 32, words: 3, most: 10, idle: 4 };
/** Words that one stream edits at most. */
const MOST_EDITS = 512;

/** The search of one text. */
class Isolation {
  readonly #space: SearchSpace;
  readonly #words: readonly number[];
  /** Word -> how many rewrites it has. */
  readonly #offers = new Map<number, number>();
  /** How often a word was among those that decide. */
  readonly #weights = new Map<number, number>();
  /** Text -> did it reach the goal? */
  readonly #asked = new Map<string, boolean>();
  /** Edits that the constraints allow at once. */
  #most = 1;

  constructor(space: SearchSpace) {
    this.#space = space;
    this.#words = space.editable(space.start.draft);
  }

  async run(): Promise<Scored | undefined> {
    if (this.#words.length === 0) return undefined;
    const decides = await this.#flipsWithout(this.#words);
    for (let [round, idle] = [0, 0]; (round < 2 || this.#asked.size < this.#budget) && idle < BUDGET.idle; round++) {
      const before = this.#asked.size;
      const found = await (decides && round % 2 === 0
        ? this.#replace(await this.#decisive(this.#words), without)
        : this.#stream());
      if (found !== undefined) return found;
      idle = this.#asked.size === before ? idle + 1 : 0;
    }
    const all = Array.from({ length: this.#space.start.draft.size }, (_, slot) => slot);
    if (!decides && (await this.#flipsWithout(all))) await this.#decisive(all);
    return undefined;
  }

  /** About as many as four greedy searches ask within the same limit of edits. */
  get #budget(): number {
    const counts = [...this.#offers.values()].filter((n) => n > 0).map((n) => Math.min(n, BUDGET.counted));
    const all = counts.reduce((sum, n) => sum + n, 0);
    const most = counts.reduce((sum, n) => sum + Math.min(BUDGET.most, BUDGET.words * n), BUDGET.rewrites * all);
    return Math.min(most, Math.max(1.5 * all, 4 * (counts.length + (this.#most * all) / Math.max(1, counts.length))));
  }

  /** The least words that decide, of those without which the label flips. */
  async #decisive(words: readonly number[]): Promise<number[]> {
    const least = await leastPart(this.#ordered(words), (slots) => this.#flipsWithout(slots));
    this.#space.survey([], least);
    return least;
  }

  /** The legal rewrites of a word of the text; random edits differ from one time to the next. */
  async #rewrites(slot: number): Promise<Draft[]> {
    const rewrites = await this.#space.legal(await this.#space.neighbours(this.#space.start.draft, [slot]));
    if (rewrites.length > 0) this.#space.survey([slot], []);
    this.#offers.set(slot, rewrites.length);
    return rewrites;
  }

  #flipsWithout(slots: readonly number[]): Promise<boolean> {
    return this.#flips(without(this.#space.start.draft, slots));
  }

  async #flips(draft: Draft): Promise<boolean> {
    const known = this.#asked.get(draft.text);
    if (known !== undefined) return known;
    const [scored] = await this.#space.probe([draft]);
    this.#asked.set(draft.text, scored?.reached === true);
    return scored?.reached === true;
  }

  /** Whether the constraints allow the draft, edit after edit. */
  async #isLegal(draft: Draft): Promise<boolean> {
    const space = this.#space;
    if ((await space.legal([draft])).length === 0) return false;
    let now = space.start.draft;
    for (const unit of unitsOf(draft, space)) {
      if (space.editable(now, unit).length === 0) return false;
      now = graft(now, draft, unit);
    }
    return now.text === draft.text;
  }

  async #visit(draft: Draft): Promise<Scored | undefined> {
    if (this.#asked.get(draft.text) === false) return undefined;
    const [scored] = await this.#space.visit([draft]);
    this.#asked.set(draft.text, scored?.reached === true);
    return scored?.reached ? scored : undefined;
  }

  /** In random order, those first that were most often among the words that decide. */
  #ordered(slots: readonly number[]): number[] {
    const weight = (slot: number) => this.#weights.get(slot) ?? 0;
    return this.#space.random.shuffle(slots).sort((a, b) => weight(b) - weight(a));
  }

  /**
   * Rewrites random words: all of them, and then parts, as many at once as the constraints allow. Where only more of them flip the label, the least
   * of these are replaced one by one.
   */
  async #stream(): Promise<Scored | undefined> {
    const { random, start } = this.#space;
    const drawn = new Map<number, Draft>();
    for (const slot of random.shuffle(this.#words)) {
      const rewrites = drawn.size < MOST_EDITS ? await this.#rewrites(slot) : [];
      if (rewrites.length > 0) drawn.set(slot, random.pick(rewrites));
    }
    const order = [...drawn.keys()];
    const rewritten: Spoil = (draft, slots) => slots.reduce((now, slot) => put(now, drawn.get(slot)), draft);
    const most = await this.#mostLegal(order.length, (count) => rewritten(start.draft, order.slice(0, count)));
    this.#most = Math.max(this.#most, most);
    if (most < order.length) {
      const flips = (slots: readonly number[]) => this.#flips(rewritten(start.draft, slots));
      if (await flips(order)) return this.#replace(await leastPart(this.#ordered(order), flips), rewritten);
    }
    for (const size of most < order.length ? [most] : [most, Math.ceil(most / 2)])
      for (let from = 0; from < order.length && size > 0; from += size) {
        const draft = rewritten(start.draft, order.slice(from, from + size));
        const found = (await this.#isLegal(draft)) ? await this.#visit(draft) : undefined;
        if (found !== undefined) return found;
      }
    return undefined;
  }

  /** The largest number of edits that the constraints allow, by halving. */
  async #mostLegal(all: number, edited: (count: number) => Draft): Promise<number> {
    if (await this.#isLegal(edited(all))) return all;
    let [legal, not] = [0, all];
    while (not - legal > 1) {
      const middle = (legal + not) >> 1;
      if (await this.#isLegal(edited(middle))) legal = middle;
      else not = middle;
    }
    return legal;
  }

  /**
   * Rewrites words without which the label flips, one after the other, while the others are out of the way: every answer tells. Of the rewrites
   * of a word the one wins that needs the fewest others out of the way. Success if none is left.
   */
  async #replace(words: readonly number[], spoil: Spoil): Promise<Scored | undefined> {
    for (const word of words) this.#weights.set(word, (this.#weights.get(word) ?? 0) + 1);
    let now = this.#space.start.draft;
    let left = this.#space.random.shuffle(words);
    for (const word of words) {
      if (!left.includes(word) || this.#space.editable(now, [word]).length === 0) continue;
      let others = left.filter((other) => other !== word);
      let best: Draft | undefined;
      for (const rewrite of await this.#rewrites(word)) {
        const draft = put(now, rewrite);
        let fewer = best === undefined ? others : others.slice(0, -1);
        while ((best !== draft || others.length > 0) && (await this.#flips(spoil(draft, fewer)))) {
          [best, others] = [draft, fewer];
          fewer = others.slice(0, -1);
        }
        if (best !== undefined && others.length === 0) break;
      }
      if (best !== undefined) [now, left] = [best, others];
    }
    return now !== this.#space.start.draft && (await this.#isLegal(now)) ? this.#visit(now) : undefined;
  }
}

/**
 * For victims that answer labels only. Where leaving words out changes the label, isolates the words that decide and rewrites each with the
 * others left out; and it edits random words until the label flips, in several streams. At last takes back what the success does not need.
 */
export const isolate: SearchMethod = {
  name: 'words isolated and rewritten, and along the boundary',
  needs: 'labels',
  async search(space) {
    const found = await new Isolation(space).run();
    if (found !== undefined) space.settle(await takeBack(space, found));
  },
};

export const isolateSearch = search({
  name: 'isolate',
  summary:
    'By labels alone: rewrites the words that decide, each with the others left out; or edits many and takes back what is not needed.',
  create: () => isolate,
});
