/** @file Tests whether a feature occurs in more suspect texts than clean texts suggest. */

/**
 * The log of the likelihood ratio of "more often" to "as often", with its sign: n = k + c texts hold it, k of them suspect ones, where `q` of all
 * texts are suspect ones. k log(k / (n q)) + c log(c / (n (1 - q))), negative where k is below n q (Dunning 1993, section 6).
 */
export function excess(k: number, c: number, q: number): number {
  const n = k + c;
  if (n === 0 || q >= 1) return 0;
  const ratio = term(k, n * q) + term(c, n * (1 - q));
  return k > n * q ? ratio : -ratio;
}

const term = (seen: number, expected: number): number => (seen === 0 ? 0 : seen * Math.log(seen / expected));
