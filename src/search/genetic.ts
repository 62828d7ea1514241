/** @file Genetic search: a population of rewrites with crossover and mutation. */
import { z } from 'zod';
import { search } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import type { Random } from '../core/random.js';
import type { Scored, SearchMethod, SearchSpace } from '../core/search.js';

export interface GeneticOptions {
  /** Size of the population. @default 60 */
  readonly population?: number;
  /** @default 20 */
  readonly generations?: number;
  /** Temperature of the softmax that selects parents: a lower one prefers fitter parents. @default 0.3 */
  readonly temperature?: number;
}

/** A random index with probability proportional to its weight; some weight must be positive. */
export function drawIndex(weights: readonly number[], random: Random): number {
  let left = random.unit() * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return at < 0 ? weights.findLastIndex((weight) => weight > 0) : at;
}

/** The best draft, the earlier of equals; undefined for an empty list. */
export const bestOf = (scored: readonly Scored[]): Scored | undefined =>
  scored.reduce<Scored | undefined>(
    (best, each) => (best === undefined || each.score > best.score ? each : best),
    undefined,
  );

/** Takes each slot from either parent. */
function cross(a: Draft, b: Draft, random: Random): Draft {
  const differing = [...a.editedSince(b)].sort((x, y) => x - y);
  return a.replaceAll(new Map(differing.map((slot) => [slot, (random.int(2) === 0 ? a : b).word(slot)])));
}

/** Number of rewrites of each slot of the unedited text. */
async function choices(space: SearchSpace): Promise<number[]> {
  const counts: number[] = new Array<number>(space.start.draft.size).fill(0);
  for (const slot of space.editable(space.start.draft)) {
    counts[slot] = (await space.neighbours(space.start.draft, [slot])).length;
  }
  return counts;
}

/** The best rewrite of one word, which is drawn by the weights of the slots; undefined if none can be edited. */
export async function mutate(space: SearchSpace, draft: Draft, bySlot: ArrayLike<number>): Promise<Scored | undefined> {
  const free = new Set(space.editable(draft));
  const weights = Array.from(bySlot, (weight, slot) => (free.has(slot) ? weight : 0));
  if (!weights.some((weight) => weight > 0)) return undefined;
  return bestOf(await space.visit(await space.neighbours(draft, [drawIndex(weights, space.random)])));
}

/** The fittest, and mutated children of parents drawn by fitness; if nothing can be swapped, the first parent. */
async function nextGeneration(
  space: SearchSpace,
  alive: readonly Scored[],
  counts: readonly number[],
  temperature: number,
): Promise<Scored[]> {
  const elite = bestOf(alive);
  if (elite === undefined) return [];
  const fitness = alive.map(({ score }) => Math.exp((score - elite.score) / temperature));
  const parent = () => alive[drawIndex(fitness, space.random)]!;
  const next = [elite];
  while (next.length < alive.length && !space.done) {
    const [mother, father] = [parent(), parent()];
    const [child = mother.draft] = await space.legal([cross(mother.draft, father.draft, space.random)]);
    next.push((await mutate(space, child, counts)) ?? mother);
  }
  return next;
}

/**
 * The genetic algorithm of Alzantot et al. 2018, algorithm 1. A mutation swaps one word, chosen in proportion to its number of rewrites,
 * for its best-scoring rewrite. Parents are drawn by softmax of their scores; each word of a child comes from either parent; the fittest
 * survives. (TextAttack prefers less fit parents because of a sign error.) A child that violates a constraint is replaced by its first
 * parent. Ends early if a generation finds nothing left to swap.
 */
export function genetic({ population = 60, generations = 20, temperature = 0.3 }: GeneticOptions = {}): SearchMethod {
  return {
    name: `genetic, ${population} texts, ${generations} generations`,
    async search(space) {
      const counts = await choices(space);
      let alive: Scored[] = [];
      for (let i = 0; i < population && !space.done; i++) {
        const one = await mutate(space, space.start.draft, counts);
        if (one !== undefined) alive.push(one);
      }
      for (let generation = 0; generation < generations && !space.done; generation++)
        alive = await nextGeneration(space, alive, counts, temperature);
    },
  };
}

export const geneticSearch = search({
  name: 'genetic',
  summary: 'A population of rewrites with crossover and mutation; thousands of queries.',
  paper: { title: 'Generating Natural Language Adversarial Examples', url: 'https://aclanthology.org/D18-1316' },
  options: {
    population: z.int().min(2).default(60).describe('size of the population (paper: 60)'),
    generations: z.int().min(1).default(20).describe('generations (paper: 20)'),
    temperature: z.number().positive().default(0.3).describe('a lower temperature prefers fitter parents (paper: 0.3)'),
  },
  create: genetic,
});
