import type { Random } from '../../src/plugin.js';

/**
 * Python's `random.seed(n)` and `random.choice(list)` (CPython 3: MT19937 seeded by array, Matsumoto and Nishimura 1998; a
 * choice takes the top bits and throws away what is too large), so that an attack can draw the letters that a
 * Python program drew.
 */
export function pythonRandom(seed: number): Pick<Random, 'pick'> {
  const next = mersenneTwister(seed);
  return {
    pick(from) {
      const bits = 32 - Math.clz32(from.length);
      for (;;) {
        const at = next() >>> (32 - bits);
        if (at < from.length) return from[at] as (typeof from)[number];
      }
    },
  };
}

const N = 624;
const M = 397;

/** Unsigned 32-bit integers, as `init_by_array([seed])` starts them. */
function mersenneTwister(seed: number): () => number {
  const state = new Uint32Array(N);
  const at = (i: number) => state[i] as number;
  const mixed = (i: number) => at(i - 1) ^ (at(i - 1) >>> 30);
  state[0] = 19650218;
  for (let i = 1; i < N; i++) state[i] = Math.imul(1812433253, mixed(i)) + i;
  let i = 1;
  const step = (value: number) => {
    state[i] = value;
    i++;
    if (i < N) return;
    state[0] = at(N - 1);
    i = 1;
  };
  for (let k = 0; k < N; k++) step((at(i) ^ Math.imul(mixed(i), 1664525)) + seed);
  for (let k = 1; k < N; k++) step((at(i) ^ Math.imul(mixed(i), 1566083941)) - i);
  state[0] = 0x80000000;

  let used = N;
  return () => {
    if (used === N) {
      for (let k = 0; k < N; k++) {
        const joined = (at(k) & 0x80000000) | (at((k + 1) % N) & 0x7fffffff);
        state[k] = at((k + M) % N) ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
      }
      used = 0;
    }
    let y = at(used);
    used++;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  };
}
