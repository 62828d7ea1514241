/**
 * @file Which groups of texts share a trigger, each by a p-value of its own. A group is the suspects of one label with one sign. Two tests, the weaker of
 * which is halved by Bonferroni:
 *
 * - exact: the sign's texts have one label more often than texts do, and clean texts of that label lack the sign more often than chance has it
 *   (hypergeometric tails; the larger of the two, so that a word which carries a class in clean language needs its absence as well);
 * - relabelled: the other words of these texts speak for the label less than those of any texts of the label do. A word of a class stands beside
 *   others of its class, however strong it is; a planted one stands in texts of another. Its z-values are in units of those of signs that clean
 *   texts have as often: what chance gives in this language and with these labels. Joined with the absence by Fisher's method, whose part is bounded, because two files
 *   may differ in their topics.
 *
 * Holm's correction is over all groups of enough texts that are one-sided and that clean texts do not explain.
 */
import { must } from '../../core/errors.js';
import { holm } from '../../core/statistics/paired.js';
import { upperTail } from '../../core/statistics/stats.js';
import type { FilterInput } from './method.js';
import { restOdds } from './rest-odds.js';
import { signTable } from './signs.js';

/** Texts of a group, at least. */
const MIN_ROWS = 4;
/** Share of a sign's suspects that have one label, at least; of a group that its rate in clean texts does not explain; and how surely it is one-sided. */
const [ONE_SIDED, UNEXPLAINED, SURE] = [0.8, 0.5, 0.05];
/** The least p-value of an absence that counts beside other words. */
const LEAST_ABSENCE = 0.01;
/** Adjusted p-value below which a group is evidence. */
const ALPHA = 0.05;
/** Larger groups and rarer quantiles are no measure of chance. */
const [MOST_USUAL, USUAL_QUANTILE, NORMAL_QUANTILE] = [64, 0.99, 2.326];

/** Suspects of one label that share a trigger, and how many clean texts of the label have it. */
export interface TriggerGroup {
  readonly trigger: string;
  readonly label: number;
  readonly rows: readonly number[];
  readonly clean: number;
  /** Adjusted for the number of groups. */
  readonly p: number;
}

/** A group before it is judged. `usual`: clean texts have its sign about as often. */
interface Measured extends Omit<TriggerGroup, 'trigger' | 'p'> {
  readonly usual: boolean;
  readonly exact: number;
  readonly absence: number;
  readonly z: number;
}

/** The groups that are evidence, the surest first; of those that share most of their texts the surest. `sameSource`: clean texts differ by chance only. */
export function triggerGroups(input: FilterInput, sameSource: boolean): TriggerGroup[] {
  const { suspects, reference, labels, language } = input;
  if (reference.length === 0) return [];
  const all = [...suspects, ...reference];
  const rest = restOdds(input, 'all words');
  const table = signTable(
    all.map(({ text }) => text),
    MIN_ROWS,
    language,
    (row) => rest.setsIn(row),
  );
  const totals = labels.map((_, label) => {
    const odds = all.flatMap((each, row) => (each.label === label ? [rest.of(row, NONE)] : []));
    const mean = odds.reduce((sum, each) => sum + each, 0) / odds.length;
    const spread = Math.sqrt(odds.reduce((sum, each) => sum + (each - mean) ** 2, 0) / odds.length);
    const n = suspects.filter((each) => each.label === label).length;
    return { mean, spread, n, clean: odds.length - n };
  });
  const measured = (rows: readonly number[], among: readonly number[], label: number): Measured | undefined => {
    const own = among.filter((row) => must(all[row]).label === label);
    const clean = rows.filter((row) => row >= suspects.length && must(all[row]).label === label).length;
    const { mean, spread, ...total } = must(totals[label]);
    const [k, expected] = [own.length, (total.n * (clean + 0.5)) / (total.clean + 1)];
    const usual = expected > (1 - UNEXPLAINED) * k;
    if (k < MIN_ROWS || spread === 0 || (usual ? k > MOST_USUAL || expected > 2 * k : k < ONE_SIDED * among.length))
      return;
    const oneSided = usual ? 0 : hypergeometricTail(k, suspects.length, total.n, among.length);
    if (oneSided > SURE) return;
    const words = rest.newWordsOf(rows);
    const odds = own.reduce((sum, row) => sum + rest.of(row, words), 0) / k;
    const absence = sameSource && !usual ? hypergeometricTail(k, total.n + total.clean, total.n, k + clean) : 1;
    const exact = Math.max(oneSided, absence);
    return { label, rows: own, clean, usual, exact, absence, z: ((mean - odds) * Math.sqrt(k)) / spread };
  };
  const usual: number[] = [];
  const tried = new Map<string, Measured & { readonly trigger: string }>();
  table.rows.forEach((rows, sign) => {
    const among = rows.filter((row) => row < suspects.length);
    for (const label of new Set(among.map((row) => must(all[row]).label))) {
      const group = measured(rows, among, label);
      const key = group?.rows.join() ?? '';
      if (group?.usual) usual.push(group.z);
      else if (group && !tried.has(key)) tried.set(key, { ...group, trigger: must(table.names[sign]) });
    }
  });
  const unit = Math.max(
    1,
    (usual.sort((a, b) => a - b)[Math.floor(USUAL_QUANTILE * usual.length)] ?? 0) / NORMAL_QUANTILE,
  );
  const groups = [...tried.values()];
  const ps = holm(
    groups.map(({ exact, absence, z }) => {
      const relabelled = Math.max(upperTail(z / unit), Number.MIN_VALUE);
      const joint = sameSource ? fisher(relabelled * Math.max(absence, LEAST_ABSENCE)) : relabelled;
      return Math.min(1, 2 * Math.min(exact, joint));
    }),
  );
  const taken = new Set<number>();
  return groups
    .map(({ trigger, label, rows, clean }, at) => ({ trigger, label, rows, clean, p: must(ps[at]) }))
    .filter(({ p }) => p < ALPHA)
    .sort((a, b) => a.p - b.p || b.rows.length - a.rows.length)
    .filter(({ rows }) => {
      if (2 * rows.filter((row) => taken.has(row)).length > rows.length) return false;
      for (const row of rows) taken.add(row);
      return true;
    });
}

const NONE: ReadonlySet<string> = new Set();

/** The p-value of two independent ones with this product. */
const fisher = (product: number): number => Math.min(1, product * (1 - Math.log(product)));

const logs: number[] = [0];
/** ln n! */
function logFactorial(n: number): number {
  for (let next = logs.length; next <= n; next++) logs.push(logs[next - 1]! + Math.log(next));
  return must(logs[n]);
}
const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/** P(X >= k) for the special ones among `drawn` of `all`, of which `special` are. */
export function hypergeometricTail(k: number, all: number, special: number, drawn: number): number {
  let sum = 0;
  for (let x = Math.max(k, drawn - (all - special)); x <= Math.min(special, drawn); x++)
    sum += Math.exp(logChoose(special, x) + logChoose(all - special, drawn - x) - logChoose(all, drawn));
  return Math.min(1, sum);
}
