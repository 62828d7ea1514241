/** @file Which texts a causal model computes in one run, and whose keys and values are worth keeping. */
import { must } from '../../core/errors.js';
import { sharedTokens } from '../tokens/encoder.js';
import type { Beginning } from './beginnings.js';

/** Fixed cost of a run, in tokens: it reads all weights. */
export const RUN_TOKENS = 20;
/** A product of one row takes another kernel, and other bits. */
export const FEWEST_TOKENS = 2;

/** A text, and how it is cut. */
export interface Plan {
  readonly row: number;
  /** Up to the token that is read. */
  readonly ids: Int32Array;
  /** Tokens of the prompt. */
  readonly from: number;
  /** The first token that is computed. */
  readonly cut: number;
  /** Has the keys and values of those before it. */
  readonly base: Beginning | undefined;
  /** The last token that may be the first one computed. */
  readonly limit: number;
}

/** Tokens of the prompt that a text is computed behind: all of them or none. */
export const promptTokens = (ids: Int32Array, prompt: Int32Array | undefined, limit: number): number =>
  prompt !== undefined && prompt.length <= limit && sharedTokens(ids, prompt) === prompt.length ? prompt.length : 0;

/**
 * The rows that later texts may begin as: those of which little was known, and the one that shares most with the others beyond what was.
 * Candidates of one search share no more than the text they are made of.
 */
export function worthKeeping(plans: readonly Plan[], cut: number): number[] {
  const known = ({ ids, from, cut }: Plan): number => (cut - from) / (ids.length - from);
  const beyond = plans.map((plan) =>
    plans.reduce((sum, { ids }) => sum + (ids === plan.ids ? 0 : Math.max(0, sharedTokens(ids, plan.ids) - cut)), 0),
  );
  const most = Math.max(...beyond);
  const best = most > RUN_TOKENS ? beyond.indexOf(most) : undefined;
  return [...plans.keys()].filter((at) => at === best || known(must(plans[at])) < 0.25);
}

/** The cheapest runs of texts in the order of their cuts, the last ones first; each computes all its texts from its first cut on. */
export function inRuns(sorted: readonly Plan[], mostTokens: number): Plan[][] {
  // The cost of the first texts, and where their last run begins.
  const best: LastRun[] = [{ cost: 0, start: 0 }];
  for (const at of sorted.keys()) best.push(lastRun(best, sorted.slice(0, at + 1), mostTokens));
  const runs: Plan[][] = [];
  for (let end = sorted.length; end > 0; end = must(best[end]).start)
    runs.push(sorted.slice(must(best[end]).start, end));
  return runs;
}

interface LastRun {
  readonly cost: number;
  readonly start: number;
}

function lastRun(best: readonly LastRun[], plans: readonly Plan[], mostTokens: number): LastRun {
  const { cut } = must(plans.at(-1));
  let found: LastRun = { cost: Number.POSITIVE_INFINITY, start: plans.length - 1 };
  let longest = 0;
  for (let start = plans.length - 1; start >= 0; start--) {
    longest = Math.max(longest, must(plans[start]).ids.length);
    const tokens = (plans.length - start) * (longest - cut);
    if (start < plans.length - 1 && tokens > mostTokens) break;
    const cost = must(best[start]).cost + tokens + RUN_TOKENS;
    if (cost < found.cost) found = { cost, start };
  }
  return found;
}
