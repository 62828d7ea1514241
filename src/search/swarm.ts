/** @file Particle swarm search: rewrites move towards their own best and the swarm's best. */
import { z } from 'zod';
import { search } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import { must } from '../core/errors.js';
import type { Scored, SearchMethod, SearchSpace } from '../core/search.js';
import { bestOf, drawIndex, mutate } from './genetic.js';
import { outranks } from './space.js';

export interface SwarmOptions {
  /** Particles. @default 60 */
  readonly population?: number;
  /** @default 20 */
  readonly rounds?: number;
}

/** Inertia at the first and last round, probability of a move towards the particle's and the swarm's best (Zang et al. 2020, 5.4). */
const INERTIA = [0.8, 0.2] as const;
const TOWARDS_BEST = [0.8, 0.2] as const;
const TOWARDS_ALL = [0.2, 0.8] as const;
/** Maximum velocity, same source. */
const MAX_VELOCITY = 3;

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const between = ([from, to]: readonly [number, number], part: number) => from + (to - from) * part;

interface Particle {
  at: Scored;
  best: Scored;
  /** One number per slot. */
  readonly velocity: Float64Array;
}

/**
 * Particle swarm optimisation over words (Zang et al. 2020, section 4.2). A particle is a rewrite. In each round, each of its words changes
 * to that of its own best, and of the swarm's best, with a probability that grows with its velocity. Then one word may mutate, with a
 * probability that falls with the share of changed words; it is drawn by the gain of its best rewrite in the unedited text. Rewrites that
 * violate a constraint are discarded.
 */
export function swarm({ population = 60, rounds = 20 }: SwarmOptions = {}): SearchMethod {
  return {
    name: `particle swarm, ${population} texts, ${rounds} rounds`,
    async search(space) {
      const { random, start } = space;
      const found = await bestRewrites(space);
      if (found.size === 0 || space.done) return;
      const scored = [...found.values()];
      const chances = scored.map(gainIn(space));
      // The gain of the best rewrite of each slot.
      const gains = new Float64Array(start.draft.size);
      for (const [slot, best] of found) gains[slot] = gainIn(space)(best);
      const particles: Particle[] = Array.from({ length: population }, () => {
        const at = must(scored[drawIndex(chances, random)]);
        const velocity = Float64Array.from({ length: start.draft.size }, () => (random.unit() * 2 - 1) * MAX_VELOCITY);
        return { at, best: at, velocity };
      });
      for (let step = 0; step < rounds * population && !space.done; step++)
        await move(space, must(particles[step % population]), gains, Math.floor(step / population) / rounds);
    },
  };
}

const gainIn =
  ({ start }: SearchSpace) =>
  ({ score }: Scored): number =>
    Math.max(1e-6, score - start.score);

/** The best rewrite of each slot of the unedited text, as far as the budget allows. */
async function bestRewrites(space: SearchSpace): Promise<Map<number, Scored>> {
  const found = new Map<number, Scored>();
  for (const slot of space.editable(space.start.draft)) {
    const best = bestOf(await space.visit(await space.neighbours(space.start.draft, [slot])));
    if (space.done) break;
    if (best !== undefined) found.set(slot, best);
  }
  return found;
}

/** One round of a particle, after this part of all rounds. */
async function move(space: SearchSpace, particle: Particle, gains: Float64Array, part: number): Promise<void> {
  const { random } = space;
  const all = space.best.draft;
  accelerate(particle, all, between(INERTIA, part));
  if (random.unit() < between(TOWARDS_BEST, part)) await moveTowards(space, particle, particle.best.draft);
  if (random.unit() < between(TOWARDS_ALL, part)) await moveTowards(space, particle, all);
  const changed = particle.at.draft.changed / particle.at.draft.size;
  if (random.unit() < 1 - 2 * changed) particle.at = (await mutate(space, particle.at.draft, gains)) ?? particle.at;
  if (outranks(particle.at, particle.best)) particle.best = particle.at;
}

/** Slots that differ from the particle's best, and from the swarm's best, accelerate towards it. */
function accelerate({ at, best, velocity }: Particle, all: Draft, inertia: number): void {
  const [unlikeBest, unlikeAll] = [at.draft.editedSince(best.draft), at.draft.editedSince(all)];
  velocity.forEach((speed, slot) => {
    const pull = (unlikeBest.has(slot) ? -1 : 1) + (unlikeAll.has(slot) ? -1 : 1);
    const next = inertia * speed + (1 - inertia) * pull;
    velocity[slot] = Math.max(-MAX_VELOCITY, Math.min(MAX_VELOCITY, next));
  });
}

/** Takes words of `goal` with a probability given by the velocity. */
async function moveTowards(space: SearchSpace, particle: Particle, goal: Draft): Promise<void> {
  const now = particle.at.draft;
  const slots = [...now.editedSince(goal)]
    .sort((a, b) => a - b)
    .filter((slot) => space.random.unit() < sigmoid(particle.velocity[slot]!));
  if (slots.length === 0) return;
  const [scored] = await space.visit([now.replaceAll(new Map(slots.map((slot) => [slot, goal.word(slot)])))]);
  if (scored !== undefined) particle.at = scored;
}

export const particleSwarm = search({
  name: 'particle-swarm',
  summary: "A swarm of rewrites that move towards their own best and the swarm's best; thousands of queries.",
  paper: {
    title: 'Word-level Textual Adversarial Attacking as Combinatorial Optimization',
    url: 'https://aclanthology.org/2020.acl-main.540',
  },
  options: {
    population: z.int().min(2).default(60).describe('texts in the swarm (paper: 60)'),
    rounds: z.int().min(1).default(20).describe('rounds (paper: 20)'),
  },
  create: swarm,
});
