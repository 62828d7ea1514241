/** @file Tests whether a feature occurs in more suspect texts than clean texts suggest. */

/**
 * Signed log-likelihood ratio of "more often" to "equally often" (Dunning 1993, section 6). The feature occurs in `k` suspect and `c` clean
 * texts, and `q` is the share of suspect texts. With n = k + c it is k log(k / (n q)) + c log(c / (n (1 - q))), negated if k is below n q.
 */
export function excess(k: number, c: number, q: number): number {
  const n = k + c;
  if (n === 0 || q >= 1) return 0;
  const ratio = term(k, n * q) + term(c, n * (1 - q));
  return k > n * q ? ratio : -ratio;
}

const term = (seen: number, expected: number): number => (seen === 0 ? 0 : seen * Math.log(seen / expected));
