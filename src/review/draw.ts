/**
 * @file Draws the texts of a review from a run: successful adversarial texts stratified by attack and class, untouched originals as
 * controls, and repeats. A larger draw with the same seed contains every smaller one, so a review can be extended while it is read.
 */
import { getOrCompute } from '../core/get-or-compute.js';
import type { Outcome } from '../core/outcome.js';
import { exampleTexts } from '../core/pair.js';
import { random } from '../core/random.js';
import { opaqueId, type PlannedItem } from './plan.js';

/** Share of the examples whose originals are controls. Their adversarial texts come last, so that no reader sees both. */
const CONTROL_SHARE = 0.2;
/** Controls for each adversarial text, and at least; with fewer, a reader and a coin look alike. */
const CONTROLS_PER_TEXT = 1 / 3;
const FEWEST_CONTROLS = 20;
/** Every tenth drawn text is shown twice. */
const REPEAT_EVERY = 10;

/** An outcome that may be drawn: without texts, because a run may have millions. */
interface DrawCandidate {
  readonly example: string;
  /** Empty for an original. */
  readonly attack: string;
  readonly stratum: string;
  readonly reserved: boolean;
}

export interface DrawOptions {
  /** Number of adversarial texts, over all attacks. */
  readonly texts: number;
  readonly seed: number;
  /** Source of the ids; it must not be known to readers. */
  readonly of: string;
  /** Attacks whose successes are read. */
  readonly attacks: readonly string[];
  readonly truthOf: (outcome: Outcome) => PlannedItem['truth'];
}

/** Two passes over the outcomes: one to draw, one to fetch the texts. The items are in no order of meaning: they are sorted by id. */
export async function drawItems(outcomes: AsyncIterable<Outcome>, options: DrawOptions): Promise<PlannedItem[]> {
  const { seed, of, texts } = options;
  const { successes, originals } = await candidatesOf(outcomes, options);
  const available = new Map(Array.from(successes, ([attack, list]) => [attack, list.length]));
  const shares = allocate(texts, available);
  const controls = Math.max(FEWEST_CONTROLS, Math.ceil(texts * CONTROLS_PER_TEXT));
  const drawn = [
    ...Array.from(successes, ([attack, list]) =>
      stratified(list, seed, ({ reserved }) => (reserved ? 1 : 0)).slice(0, shares.get(attack)),
    ),
    evenly(originals, seed, ({ reserved }) => (reserved ? 0 : 1)).slice(0, controls),
  ];
  const wanted = new Map(drawn.flat().map((each) => [keyOf(each.example, each.attack), each]));
  const found = await textsOf(outcomes, wanted, options);
  const items = drawn.flatMap((list) =>
    list.flatMap((each, at) => {
      const item = found.get(keyOf(each.example, each.attack));
      if (item === undefined) return [];
      const named = { id: opaqueId(of, String(seed), 'first', each.attack, each.example), ...item };
      if (at % REPEAT_EVERY > 0) return [named];
      return [
        named,
        { ...named, id: opaqueId(of, String(seed), 'again', each.attack, each.example), repeats: named.id },
      ];
    }),
  );
  return items.sort((one, other) => (one.id < other.id ? -1 : 1));
}

const keyOf = (example: string, attack: string): string => JSON.stringify([attack, example]);

async function candidatesOf(
  outcomes: AsyncIterable<Outcome>,
  { seed, attacks, truthOf }: DrawOptions,
): Promise<{ readonly successes: ReadonlyMap<string, DrawCandidate[]>; readonly originals: readonly DrawCandidate[] }> {
  const successes = new Map<string, DrawCandidate[]>(attacks.map((name) => [name, []]));
  const originals = new Map<string, DrawCandidate>();
  for await (const outcome of outcomes) {
    const { id: example, attack, status, adversarial } = outcome;
    if (!successes.has(attack) || status === 'errored') continue;
    const reserved = random(seed, 'review', 'control', example).unit() < CONTROL_SHARE;
    const stratum = JSON.stringify(truthOf(outcome));
    if (!originals.has(example)) originals.set(example, { example, attack: '', stratum, reserved });
    if (status === 'succeeded' && adversarial !== undefined)
      successes.get(attack)?.push({ example, attack, stratum, reserved });
  }
  return { successes, originals: [...originals.values()] };
}

async function textsOf(
  outcomes: AsyncIterable<Outcome>,
  wanted: ReadonlyMap<string, DrawCandidate>,
  { truthOf }: DrawOptions,
): Promise<ReadonlyMap<string, Omit<PlannedItem, 'id'>>> {
  const found = new Map<string, Omit<PlannedItem, 'id'>>();
  for await (const outcome of outcomes) {
    const { id: example, attack, adversarial = '', text: original } = outcome;
    const texts = exampleTexts(outcome);
    const truth = truthOf(outcome);
    const [success, control] = [keyOf(example, attack), keyOf(example, '')];
    if (wanted.has(control) && !found.has(control)) found.set(control, { kind: 'original', example, ...texts, truth });
    if (wanted.has(success))
      found.set(success, { kind: 'adversarial', example, ...texts, text: adversarial, truth, attack, original });
  }
  return found;
}

type DrawPhase = (candidate: DrawCandidate) => 0 | 1;

/** Positions of candidates in the draw: each class in seeded order, all of `phase` 0 before those of 1. */
function ranked(
  candidates: readonly DrawCandidate[],
  seed: number,
  phase: DrawPhase,
): readonly (readonly DrawCandidate[])[] {
  const strata = new Map<string, DrawCandidate[]>();
  for (const each of candidates) getOrCompute(strata, each.stratum, () => []).push(each);
  const unit = new Map(
    candidates.map((each) => [each, random(seed, 'review', 'draw', each.attack, each.example).unit()]),
  );
  const rank = (each: DrawCandidate): number => phase(each) + (unit.get(each) as number);
  return [...strata.values()].map((list) => list.toSorted((one, other) => rank(one) - rank(other)));
}

/**
 * Candidates in an order of which every start contains the classes in the proportions of the whole (systematic sampling with a random start
 * in each stratum). So shares need no weights.
 */
function stratified(candidates: readonly DrawCandidate[], seed: number, phase: DrawPhase): DrawCandidate[] {
  const placed = ranked(candidates, seed, phase).flatMap((list) => {
    const { attack = '', stratum = '' } = list[0] ?? {};
    const start = random(seed, 'review', 'start', attack, stratum).unit();
    return list.map((each, at) => ({ each, place: (at + start) / list.length }));
  });
  return placed.sort((one, other) => one.place - other.place).map(({ each }) => each);
}

/** Candidates in an order of which every start contains the classes in equal numbers, while they last. */
function evenly(candidates: readonly DrawCandidate[], seed: number, phase: DrawPhase): DrawCandidate[] {
  const strata = ranked(candidates, seed, phase);
  const longest = Math.max(0, ...strata.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => strata.flatMap((list) => list[at] ?? [])).flat();
}

/** `total` texts over the attacks: equal numbers, up to the number that each has. */
export function allocate(total: number, available: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const shares = new Map(Array.from(available, ([name]) => [name, 0]));
  for (let left = total; left > 0; ) {
    const open = [...available].filter(([name, most]) => (shares.get(name) as number) < most);
    if (open.length === 0) break;
    const each = Math.max(1, Math.floor(left / open.length));
    for (const [name, most] of open) {
      const more = Math.min(each, left, most - (shares.get(name) as number));
      shares.set(name, (shares.get(name) as number) + more);
      left -= more;
    }
  }
  return shares;
}
