/**
 * @file Owen values over a tree of phrases (Owen 1977; the `partition` explainer of shap). Credit is split between the two halves of a
 * text, then within each half while the other is either completely present or absent, and so on. A text of 500 words needs a few hundred
 * queries, while Shapley values need all coalitions of single words.
 */
import { type Coalition, type CoalitionGame, emptyCoalition, fullCoalition } from './game.js';
import type { WeightedWords } from './weighted.js';

interface Phrase {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** A phrase in one context (the words outside it that are kept), its share of the whole, and its contribution there. */
interface Open extends Phrase {
  readonly context: Coalition;
  readonly share: number;
  readonly without: number;
  readonly with: number;
}

/** How strongly the characters between two words separate them: the end of a sentence, a clause, a space, or nothing. */
export function boundary(gap: string): number {
  if (/[.!?\n]/.test(gap)) return 3;
  if (/[,;:()"\u2013\u2014]|\s-\s/.test(gap)) return 2;
  return /\s/.test(gap) ? 1 : 0;
}

/** Where to split a phrase: at its strongest boundary; of equal ones, at the one nearest the middle. */
function cut({ from, to }: Phrase, strength: (at: number) => number): number {
  let best = from + 1;
  const off = (at: number): number => Math.abs(2 * at - from - to);
  for (let at = from + 2; at < to; at++) {
    const gain = strength(at) - strength(best);
    if (gain > 0 || (gain === 0 && off(at) < off(best))) best = at;
  }
  return best;
}

/**
 * `strength(i)`: how strongly word i is separated from the previous one. The phrases that matter most are split first, until about
 * `samples` texts were queried. The credit of an unsplit phrase is spread evenly over its words (`unresolved`: mean share of such credit).
 */
export async function owen(
  game: CoalitionGame,
  strength: (at: number) => number,
  samples: number,
): Promise<WeightedWords> {
  const n = game.size;
  const [none = 0, all = 0] = await game.values([emptyCoalition(n), fullCoalition(n)]);
  const weights = new Float64Array(n);
  let open: Open[] = [{ from: 0, to: n, context: emptyCoalition(n), share: 1, without: none, with: all }];
  const stake = (phrase: Open): number => phrase.share * Math.abs(phrase.with - phrase.without);
  let queried = 2;
  while (true) {
    for (const { from, to, share, with: after, without } of open) {
      if (to - from === 1) weights[from]! += share * (after - without);
    }
    open = open.filter(({ from, to }) => to - from > 1).sort((a, b) => stake(b) - stake(a));
    const room = Math.floor((samples - queried) / 2);
    // Splits in portions, so that the most important phrases are known before the rest is split.
    const chosen = open.splice(0, Math.min(room, Math.max(8, open.length >> 1)));
    if (chosen.length === 0) break;
    const cuts = chosen.map((phrase) => cut(phrase, strength));
    const halves = chosen.flatMap(({ from, to, context }, at) => {
      const [left, right] = [context.slice(), context.slice()];
      left.fill(1, from, cuts[at]);
      right.fill(1, cuts[at], to);
      return [left, right];
    });
    const values = await game.values(halves);
    queried += halves.length;
    chosen.forEach((phrase, at) => {
      const { from, to, share, without, with: after } = phrase;
      const middle = cuts[at]!;
      const [left, right] = [values[2 * at]!, values[2 * at + 1]!];
      const half = share / 2;
      // Each half is added once first and once last.
      open.push(
        { from, to: middle, context: phrase.context, share: half, without, with: left },
        { from, to: middle, context: halves[2 * at + 1] as Coalition, share: half, without: right, with: after },
        { from: middle, to, context: phrase.context, share: half, without, with: right },
        { from: middle, to, context: halves[2 * at] as Coalition, share: half, without: left, with: after },
      );
    });
  }
  let unresolved = 0;
  for (const { from, to, share, with: after, without } of open) {
    for (let at = from; at < to; at++) weights[at]! += (share * (after - without)) / (to - from);
    unresolved += (share * (to - from)) / n;
  }
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return {
    weights: Array.from(weights, (weight) => ({ weight })),
    check: {
      estimator: 'partition',
      samples: queried,
      unresolved,
      baseValue: none,
      value: all,
      efficiencyError: Math.abs(sum - (all - none)),
    },
  };
}
