/** @file Ranks models by their worst-case accuracy, and tests which of them differ: pairwise on the same examples. */
import { must } from '../../core/errors.js';
import { STATUS_LETTERS } from '../../core/outcome.js';
import { holm, mcnemarExact } from '../../core/statistics/paired.js';
import { SIGNIFICANCE_LEVEL } from '../comparison/hardening.js';
import { type StandingCard, worstCaseOf } from './card.js';
import type { GuardCard } from './guard-card.js';

/** A card and the file or run folder that it was read from. */
export interface CardFile<C = StandingCard> {
  readonly file: string;
  readonly card: C;
  /** Its outcomes give its rates; the checks of its trust are as the file states them, for nothing there shows them. */
  readonly stated?: 'file';
}

export interface LeaderboardRow<C = StandingCard> extends CardFile<C> {
  /** From 1; equal accuracies share a rank. */
  readonly rank: number;
  /** Places in the table, from 1, of the rows whose difference from this one is not significant. */
  readonly notDistinguishableFrom: readonly number[];
}

/** Cards of one version of the suite on the same examples under the same conditions, the highest worst-case accuracy first. */
export interface LeaderboardTable {
  readonly conditions: Pick<StandingCard, 'standard' | 'data' | 'seed' | 'queryBudget' | 'conditions'>;
  readonly rows: readonly LeaderboardRow[];
}

/** Cards of guards under one suite on the same examples at one operating point, the highest recall under attack first. */
export interface GuardTable {
  readonly conditions: Pick<GuardCard, 'suite' | 'data' | 'seed' | 'queryBudget' | 'conditions' | 'operatingPoint'>;
  readonly rows: readonly LeaderboardRow<GuardCard>[];
}

export interface Leaderboard {
  /** The table with the most models first. */
  readonly tables: readonly LeaderboardTable[];
  /** Tables of guards. */
  readonly guards: readonly GuardTable[];
  /** Inconclusive cards and unfinished runs. */
  readonly notRanked: readonly { readonly file: string; readonly model: string; readonly reasons: readonly string[] }[];
  /** Files that could not be read as cards. */
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
  /** Inconclusive if no model could be ranked. */
  readonly verdict: 'inconclusive' | 'none';
  readonly reasons: readonly string[];
}

/** Keys sorted at every depth, so that equal conditions have equal text. */
const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, each]) => [key, canonical(each)])
      : value;

/** Facts that cards share with those of the same table. */
type SharedFacts = Pick<StandingCard, 'data' | 'seed' | 'queryBudget' | 'conditions'>;

const keyOf = ({ data, seed, queryBudget, conditions }: SharedFacts, ...more: readonly string[]): string =>
  JSON.stringify(canonical([...more, data.sha256, data.examplesSha256, data.examples, seed, queryBudget, conditions]));

/** Tables of comparable cards. */
export const leaderboardTables = (files: readonly CardFile[]): LeaderboardTable[] =>
  grouped(files, (card) => keyOf(card, card.standard)).map((rows) => {
    const { standard, data, seed, queryBudget, conditions } = must(rows[0]).card;
    return { conditions: { standard, data, seed, queryBudget, conditions }, rows };
  });

/** Tables of comparable cards of guards. */
export const guardTables = (files: readonly CardFile<GuardCard>[]): GuardTable[] =>
  grouped(files, (card) => keyOf(card, card.suite, card.operatingPoint)).map((rows) => {
    const { suite, data, seed, queryBudget, conditions, operatingPoint } = must(rows[0]).card;
    return { conditions: { suite, data, seed, queryBudget, conditions, operatingPoint }, rows };
  });

type RankedCard = Pick<StandingCard, 'model' | 'outcomes'>;

/** Ranked rows of cards with equal keys, the largest group first. */
function grouped<C extends RankedCard>(files: readonly CardFile<C>[], key: (card: C) => string): LeaderboardRow<C>[][] {
  const groups = new Map<string, CardFile<C>[]>();
  for (const one of files) groups.set(key(one.card), [...(groups.get(key(one.card)) ?? []), one]);
  return [...groups.values()].map(rowsOf).sort((a, b) => b.length - a.length);
}

const scoreOf = ({ card }: CardFile<RankedCard>): number => worstCaseOf(card.outcomes).value ?? -1;

function rowsOf<C extends RankedCard>(files: readonly CardFile<C>[]): LeaderboardRow<C>[] {
  const name = ({ card, file }: CardFile<C>): string => `${card.model.name}\n${file}`;
  const sorted = [...files].sort((a, b) => scoreOf(b) - scoreOf(a) || (name(a) < name(b) ? -1 : 1));
  const alike = indistinguishable(sorted.map(({ card }) => card.outcomes));
  return sorted.map((one, at) => ({
    ...one,
    rank: 1 + sorted.findIndex((other) => scoreOf(other) === scoreOf(one)),
    notDistinguishableFrom: must(alike[at]).map((other) => other + 1),
  }));
}

/**
 * For each list of outcomes, the indices of those that it does not differ from significantly: exact McNemar test on the examples that both
 * have, p-values with Holm's correction over all pairs.
 */
export function indistinguishable(outcomes: readonly string[]): number[][] {
  const pairs = outcomes.flatMap((_, a) => outcomes.slice(a + 1).map((__, next) => [a, a + 1 + next] as const));
  const ps = holm(pairs.map(([a, b]) => pValue(must(outcomes[a]), must(outcomes[b]))));
  const alike = outcomes.map((): number[] => []);
  for (const [at, [a, b]] of pairs.entries()) {
    if (must(ps[at]) < SIGNIFICANCE_LEVEL) continue;
    alike[a]?.push(b);
    alike[b]?.push(a);
  }
  return alike.map((others) => others.sort((a, b) => a - b));
}

function pValue(a: string, b: string): number {
  let [onlyA, onlyB] = [0, 0];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const [x, y] = [robust(a[at]), robust(b[at])];
    if (x === undefined || y === undefined || x === y) continue;
    if (x) onlyA += 1;
    else onlyB += 1;
  }
  return mcnemarExact(onlyA, onlyB);
}

/** Undefined for an example that counts in no rate. */
const robust = (letter: string | undefined): boolean | undefined =>
  letter === STATUS_LETTERS.errored || letter === '.' ? undefined : letter === STATUS_LETTERS.failed;
