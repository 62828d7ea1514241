/**
 * @file Do scores guide a search? The effect of single edits must tell that of two together, and the score must be lower just before
 * another answer. Scores that form a few narrow bands say no more than labels.
 */
import type { Random } from '../core/random.js';
import type { ComparedScores } from '../results/diagnostics/evidence.js';

/** Words of a text that are removed alone and in pairs. */
export const REMOVED_WORDS = 6;
/** Ways from a text to others, and the texts on each way. */
export const PATHS = 8;
const PATH_STEPS = 6;
/** Queries for one example. */
export const GUIDANCE_QUERIES = (REMOVED_WORDS * (REMOVED_WORDS + 1)) / 2 + PATHS * PATH_STEPS;
/** On a way, the score has fallen if the log-odds fell by this share of what they are at its beginning. */
const VISIBLE = 0.02;

/** Log-odds of a label: of scores that sum to 1, against all other labels, so that a score near 1 keeps its digits. */
export function logOdds(row: Float32Array, label: number): number {
  const score = row[label] as number;
  const others = row.reduce((sum, each) => sum + each, -score);
  const against = Math.abs(score + others - 1) < 1e-3 ? others : 1 - score;
  return Math.log(Math.max(score, 1e-30)) - Math.log(Math.max(against, 1e-30));
}

export interface Tally
  extends Pick<{ -readonly [K in keyof ComparedScores]: ComparedScores[K] }, keyof ComparedScores> {}

function count(tally: Tally, sign: number): void {
  tally.n++;
  if (sign > 0) tally.agree++;
  if (sign < 0) tally.disagree++;
}

/** Pairs of two among the first n numbers. */
export const pairsOf = (n: number): [number, number][] =>
  Array.from({ length: n }, (_, a) =>
    Array.from({ length: n - a - 1 }, (_, b): [number, number] => [a, a + b + 1]),
  ).flat();

/**
 * `alone`: log-odds without each word; `together`: without each of `pairsOf`; NaN where the label changed or none came. Of pairs that
 * differ in nothing, none is compared.
 */
export function compareEffects(tally: Tally, alone: readonly number[], together: readonly number[]): void {
  const sums = pairsOf(alone.length).map(([a, b]) => (alone[a] as number) + (alone[b] as number));
  for (const [a, b] of pairsOf(sums.length)) {
    const [single, both] = [sums, together].map((each) => Math.sign((each[a] as number) - (each[b] as number))) as [
      number,
      number,
    ];
    if (!Number.isNaN(single * both) && (single !== 0 || both !== 0)) count(tally, single * both);
  }
}

/** `way`: log-odds of the label of the text, from the text itself to the last text before the label changes. */
export function compareWay(tally: Tally, way: readonly number[]): void {
  const [first = 0, last = 0] = [way[0], way.at(-1)];
  for (const earlier of way.slice(0, -1)) {
    const fall = earlier - last;
    count(tally, Math.abs(fall) <= VISIBLE * Math.abs(first) ? 0 : Math.sign(fall));
  }
}

/** Texts between two: the words of the first leave in random order, and the words of the second come in their order behind the others. */
export function between(from: readonly string[], to: readonly string[], random: Random): string[] {
  const leaving = random.shuffle([...from.keys()]);
  return Array.from({ length: PATH_STEPS }, (_, at) => {
    const share = (at + 1) / (PATH_STEPS + 1);
    const left = new Set(leaving.slice(0, Math.round(share * from.length)));
    return [...from.filter((_, each) => !left.has(each)), ...to.slice(0, Math.round(share * to.length))].join(' ');
  });
}

/** The distance of log-odds at which many pairs are nearer and few are within ten times as much; see `bands` of the evidence. */
export function bandsOf(byExample: readonly (readonly number[])[]): { pairs: number; near: number; apart: number } {
  const distances: number[] = [];
  for (const [a, b] of pairsOf(byExample.length))
    for (const x of byExample[a] as readonly number[])
      for (const y of byExample[b] as readonly number[]) distances.push(Math.abs(x - y));
  const pairs = distances.length;
  const sorted = Float64Array.from(distances).sort();
  let most = { pairs, near: 0, apart: pairs };
  for (let power = -24; power <= -3; power++) {
    const within = (most: number) => countUpTo(sorted, most);
    const near = within(2 ** power);
    const apart = within(10 * 2 ** power) - near;
    if (near >= MIN_NEAR * pairs && near * most.apart > most.near * apart) most = { pairs, near, apart };
  }
  return most;
}

/** Share of all pairs that must be near each other, before bands are looked for. */
const MIN_NEAR = 0.03;

function countUpTo(sorted: Float64Array, most: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
