/** How a phase cuts its examples into jobs: each once, whatever earlier sessions found and earlier coordinators gave out. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FleetJob } from '../../src/fleet/messages.js';
import { divide, rangesWhere } from '../../src/fleet/ranges.js';
import { SearchPhase, type SearchWork } from '../../src/fleet/search-phase.js';
import { SEGMENT } from '../../src/fleet/segments.js';

const segmentsOf = (examples: number) =>
  Array.from({ length: Math.ceil(examples / SEGMENT) }, (_, at) => ({
    from: at * SEGMENT,
    to: Math.min(examples, (at + 1) * SEGMENT),
    texts: '',
  }));

/** A phase of two attacks in which the outcomes of `done` (attack * examples + example) are there. */
const phaseOf = (examples: number, done: ReadonlySet<number>): SearchPhase =>
  new SearchPhase({
    plan: { attacks: [{ label: 'a' }, { label: 'b' }] },
    work: { examples, has: (ordinal: number) => done.has(ordinal) },
    segments: segmentsOf(examples),
    common: '',
  } as unknown as SearchWork);

const scenario = fc.record({
  examples: fc.integer({ min: 1, max: 2600 }),
  seed: fc.infiniteStream(fc.nat({ max: 9 })),
});

test('every search without an outcome is in one job, each job within a segment', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, fc.nat({ max: 40 }), async ({ examples, seed }, adopted) => {
      const done = new Set<number>();
      for (let ordinal = 0; ordinal < 2 * examples; ordinal++) if (seed.next().value > 5) done.add(ordinal);
      const phase = phaseOf(examples, done);
      const earlier: FleetJob = {
        ...{ kind: 'search', attacks: ['a', 'b'], segment: 0, texts: '', answers: '', common: '' },
        ...{ from: Math.min(adopted, examples), to: Math.min(adopted + 7, examples) },
      };
      phase.onTaken(earlier);
      const times = new Map<number, number>();
      for (let job = await phase.next(3); job !== undefined; job = await phase.next(3)) {
        if (job.kind !== 'search') throw new Error('expected a search');
        expect(Math.floor(job.from / SEGMENT)).toBe(Math.floor((job.to - 1) / SEGMENT));
        for (let index = job.from; index < job.to; index++) {
          for (const attack of job.attacks) {
            const ordinal = (attack === 'a' ? 0 : examples) + index;
            times.set(ordinal, (times.get(ordinal) ?? 0) + 1);
          }
        }
      }
      for (let ordinal = 0; ordinal < 2 * examples; ordinal++) {
        const index = ordinal % examples;
        const taken = index >= earlier.from && index < earlier.to;
        if (taken) expect(times.get(ordinal), `${ordinal}`).toBeUndefined();
        else if (!done.has(ordinal)) expect(times.get(ordinal), `${ordinal}`).toBe(1);
      }
    }),
    { numRuns: 20, seed: 1 },
  );
});

test('ranges: those that hold, and a range divided into all of itself', () => {
  expect(rangesWhere({ from: 2, to: 9 }, (index) => index !== 4 && index < 7)).toEqual([
    { from: 2, to: 4 },
    { from: 5, to: 7 },
  ]);
  fc.assert(
    fc.property(fc.nat({ max: 50 }), fc.integer({ min: 1, max: 50 }), (from, length) => {
      const parts = divide({ from, to: from + length });
      expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([from, from + length]);
      for (const [at, range] of parts.entries()) {
        expect(range.to).toBeGreaterThan(range.from);
        if (at > 0) expect(range.from).toBe(parts[at - 1]?.to);
      }
    }),
  );
});
