/**
 * @file Greedy search over the positions of a text, for edits that change one character each. The rewrites of a position change the text at
 * the same place; the first of them is its test. Each round searches the positions with the best tests, and the best rewrite becomes the
 * base of the next round (Abad Rocamora et al. 2024, algorithms 1 and 2).
 */
import type { Draft } from '../core/draft.js';
import { must } from '../core/errors.js';
import { getOrCompute } from '../core/get-or-compute.js';
import type { Scored, SearchMethod, SearchSpace } from '../core/search.js';
import type { Ranking } from './ranking.js';
import { outranks } from './space.js';

export interface PositionOptions {
  /** Number of rounds, one edit each; minimum 1. */
  readonly rounds: number;
  /** Positions per round whose rewrites are all tried; minimum 1. */
  readonly positions: number;
  /** Restricts the tests to positions in and next to the first `words` words of a ranking. @default every position */
  readonly within?: { readonly words: number; readonly ranking: Ranking } | undefined;
  /**
   * Step of successive halving (Jamieson and Talwalkar 2016): this many rewrites of each position, then as many more of the better half,
   * and so on, until the goal is reached. @default all rewrites of a round together
   */
  readonly halving?: number | undefined;
}

/** Rewrites of a slot by the place where they change the text: a character replaced or deleted there, or one inserted before it. */
async function byPlace(space: SearchSpace, base: Draft, slot: number): Promise<Map<string, Draft[]>> {
  const places = new Map<string, Draft[]>();
  const from = base.text;
  const start = base.startOf(slot) - base.gapBefore(slot).length;
  for (const rewrite of await space.neighbours(base, [slot])) {
    const to = rewrite.text;
    let at = start;
    while (at < from.length && at < to.length && from[at] === to[at]) at++;
    getOrCompute(places, `${at} ${to.length > from.length}`, () => []).push(rewrite);
  }
  return places;
}

/**
 * Legal tests of all places in and next to these slots, each with its slot and place. Only tests are kept, because a text has many
 * rewrites.
 */
async function testsAt(space: SearchSpace, base: Draft, slots: readonly number[]): Promise<Test[]> {
  const tests = new Map<string, Test>();
  for (const slot of slots) {
    for (const [place, [test]] of await byPlace(space, base, slot)) {
      if (test !== undefined && !tests.has(place)) tests.set(place, { test, place, slot });
    }
  }
  const all = [...tests.values()];
  const legal = new Set(await space.legal(all.map(({ test }) => test)));
  return all.filter(({ test }) => legal.has(test));
}

/** The remaining rewrites of places, in order. */
async function withRest(
  space: SearchSpace,
  base: Draft,
  places: readonly (Test & Pick<Place, 'best'>)[],
): Promise<Place[]> {
  const rest = new Map<string, readonly Draft[]>();
  for (const slot of new Set(places.map((each) => each.slot))) {
    const all = await byPlace(space, base, slot);
    for (const each of places) if (each.slot === slot) rest.set(each.place, all.get(each.place)?.slice(1) ?? []);
  }
  return places.map(({ best, place }) => ({ best, rest: rest.get(place) ?? [] }));
}

const bestOf = (scored: readonly Scored[]): Scored | undefined =>
  scored.reduce<Scored | undefined>(
    (best, each) => (best === undefined || outranks(each, best) ? each : best),
    undefined,
  );

/** The first rewrite of a place, with its slot. */
interface Test {
  readonly test: Draft;
  readonly place: string;
  readonly slot: number;
}

/** A position with its best rewrite so far, and the untried ones. */
interface Place {
  readonly best: Scored;
  readonly rest: readonly Draft[];
}

const byScore = (a: Pick<Place, 'best'>, b: Pick<Place, 'best'>): number => b.best.score - a.best.score;

/** The best of all rewrites, queried together. */
async function bestOfAll(space: SearchSpace, places: readonly Place[]): Promise<Scored | undefined> {
  return space.done ? undefined : bestOf(await space.visit(places.flatMap(({ rest }) => rest)));
}

/** The best rewrite found by successive halving. */
async function bestByHalving(space: SearchSpace, places: readonly Place[], step: number): Promise<Scored | undefined> {
  const left: Place[] = [];
  let found: Scored | undefined;
  for (const { best, rest } of places) {
    if (space.done) return found;
    const scored = bestOf(await space.visit(rest.slice(0, step)));
    if (scored === undefined) continue;
    found = bestOf(found === undefined ? [scored] : [found, scored]);
    left.push({ best: must(bestOf([best, scored])), rest: rest.slice(step) });
  }
  if (left.length === 0) return found;
  const deeper = await bestByHalving(space, left.sort(byScore).slice(0, Math.ceil(left.length / 2)), step);
  return bestOf([found, deeper].filter((each) => each !== undefined));
}

export function byPositions({ rounds, positions, within, halving }: PositionOptions): SearchMethod {
  const where = within === undefined ? 'the text' : `${within.words} words by ${within.ranking.name}`;
  return {
    name: `greedy over ${positions} positions of ${where}${halving === undefined ? '' : `, halved after ${halving} rewrites each`}`,
    ...(within?.ranking.needs && { needs: within.ranking.needs }),
    async search(space) {
      const order = await within?.ranking.order(space);
      let base = space.start.draft;
      for (let round = 0; round < rounds && !space.done; round++) {
        const editable = space.editable(base);
        const free = new Set(editable);
        const slots = order?.filter((slot) => free.has(slot)).slice(0, within?.words) ?? editable;
        const tests = await testsAt(space, base, slots);
        // A test is also a rewrite, so it may succeed.
        const tested = await space.visit(tests.map(({ test }) => test));
        if (space.done) return;
        const promising = tested
          .map((best, at) => ({ best, ...must(tests[at]) }))
          .sort(byScore)
          .slice(0, positions);
        const places = await withRest(space, base, promising);
        const found = [
          bestOf(tested),
          await (halving === undefined ? bestOfAll : bestByHalving)(space, places, halving ?? 0),
        ];
        const next = bestOf(found.filter((each) => each !== undefined));
        if (next === undefined) return;
        base = next.draft;
      }
    },
  };
}
