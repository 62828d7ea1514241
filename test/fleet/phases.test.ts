/** How a phase cuts its examples into shards: each once, whatever earlier sessions found and earlier coordinators gave out. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Machines, thisMachine } from '../../src/fleet/machines.js';
import { type FleetShard, readInputs } from '../../src/fleet/messages.js';
import { type PhaseContext, SearchPhase } from '../../src/fleet/phases.js';
import { divide } from '../../src/fleet/shards.js';
import type { FleetWork, RunPlan } from '../../src/run/index.js';
import { letters } from './toy-plan.mjs';

/** A phase of two attacks in which the outcomes of `done` (attack * examples + example) are there. */
function phaseOf(examples: number, done: ReadonlySet<number>): SearchPhase {
  const all = letters(examples);
  const dataset = {
    async *examples() {
      yield* all;
    },
  };
  const plan = { attacks: [{ label: 'a' }, { label: 'b' }], dataset, numExamples: 0 } as unknown as RunPlan;
  const answers = { read: () => ({ row: Float32Array.of(0, 1) }) };
  const work = { examples, answers, has: (ordinal: number) => done.has(ordinal) };
  return new SearchPhase({ plan } as unknown as PhaseContext, work as unknown as FleetWork, null!);
}

const scenario = fc.record({
  examples: fc.integer({ min: 1, max: 1500 }),
  seed: fc.infiniteStream(fc.nat({ max: 9 })),
});

test('every example that lacks an outcome is in one shard', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, fc.nat({ max: 40 }), async ({ examples, seed }, adopted) => {
      const done = new Set<number>();
      for (let ordinal = 0; ordinal < 2 * examples; ordinal++) if (seed.next().value > 5) done.add(ordinal);
      const phase = phaseOf(examples, done);
      const earlier: FleetShard = {
        ...{ kind: 'search', attacks: ['a', 'b'] },
        ...{ from: Math.min(adopted, examples), to: Math.min(adopted + 7, examples) },
      };
      expect(phase.adopts({ ...earlier, attacks: ['b'] })).toBe(false);
      expect(phase.adopts(earlier)).toBe(true);
      const times = new Map<number, number>();
      for (let given = await phase.next(3); given !== undefined; given = await phase.next(3))
        for (const { index, example } of readInputs(given.content)) {
          expect(example.id).toBe(String(index));
          times.set(index, (times.get(index) ?? 0) + 1);
        }
      for (let index = 0; index < examples; index++) {
        if (index >= earlier.from && index < earlier.to) expect(times.get(index), `${index}`).toBeUndefined();
        else if (!done.has(index) || !done.has(examples + index)) expect(times.get(index), `${index}`).toBe(1);
      }
    }),
    { numRuns: 20, seed: 1 },
  );
});

test('a range is divided into all of itself', () => {
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

test('machines of two kinds are a warning, which names them', () => {
  const machines = new Machines();
  const one = { ...thisMachine('0', '1'), host: 'one', instructions: ['avx2'] };
  for (const machine of [one, { ...one, host: 'alike' }]) machines.count(machine, 1);
  expect(machines.mixed).toBeUndefined();
  machines.count({ ...one, host: 'other', instructions: ['avx512f'] }, 1);
  expect(machines.mixed).toMatch(/different instruction sets .*alike .*avx2.*other .*avx512f/);
});
