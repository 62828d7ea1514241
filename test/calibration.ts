/**
 * @file How many times longer than on a quiet machine work takes on this one now, by one small measure a run. Limits of time in tests are
 * multiples of it: a slow or busy machine fails no test.
 */

/** Milliseconds of the measure on a quiet machine. */
const QUIET = 60;

function measure(): number {
  const began = performance.now();
  let state = 1;
  for (let step = 0; step < 1e7; step++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  // The result is used, so that no compiler leaves the loop out.
  return performance.now() - began + (state & 0);
}

// The processes of a run inherit what its first one measured.
process.env.TEST_SLOWNESS ??= String(Math.max(1, measure() / QUIET));
const slowness = Number(process.env.TEST_SLOWNESS);

/** As long as so many seconds, or milliseconds, on a quiet machine. */
export const lasting = (quiet: number): number => quiet * slowness;
