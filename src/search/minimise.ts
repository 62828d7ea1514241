/** @file Takes back every edit of an adversarial text that its success does not need. */
import { diffArrays } from 'diff';
import type { Language } from '../core/language.js';

/** A stretch that differs: `before`, at UTF-16 offset `at` of the original, became `after`. */
export interface WordEdit {
  readonly at: number;
  readonly before: string;
  readonly after: string;
}

/** How close a text comes to the goal of an attack. */
export interface GoalProgress {
  /** Higher is closer. */
  readonly score: number;
  readonly reached: boolean;
}

/** Words, and each of the characters between them. */
const tokensOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}\p{Cf}'’]+|./gsu) ?? [];

const endOf = ({ at, before }: WordEdit): number => at + before.length;

/** The edits, by whole words, that turn `original` into `rewrite`, in the order of their places. */
export function editsBetween(original: string, rewrite: string, { articles }: Pick<Language, 'articles'>): WordEdit[] {
  const edits: WordEdit[] = [];
  let at = 0;
  for (const { added, removed, value } of diffArrays(tokensOf(original), tokensOf(rewrite))) {
    const text = value.join('');
    const last = edits.at(-1);
    if (added || removed) {
      const edit = added ? { at, before: '', after: text } : { at, before: text, after: '' };
      if (last !== undefined && endOf(last) === at) edits[edits.length - 1] = joined(original, last, edit);
      else edits.push(edit);
    }
    if (!added) at += text.length;
  }
  const isArticle = ({ before }: WordEdit) => articles?.has(before.toLowerCase()) === true;
  const agreeing: WordEdit[] = [];
  for (const edit of edits) {
    const last = agreeing.at(-1);
    const agrees = last !== undefined && isArticle(last) && original.slice(endOf(last), edit.at) === ' ';
    if (agrees) agreeing[agreeing.length - 1] = joined(original, last, edit);
    else agreeing.push(edit);
  }
  return agreeing;
}

/** Two neighbouring edits, and what stands between them, as one. */
function joined(original: string, first: WordEdit, second: WordEdit): WordEdit {
  const between = original.slice(endOf(first), second.at);
  return {
    at: first.at,
    before: first.before + between + second.before,
    after: first.after + between + second.after,
  };
}

/** `original` with these of its edits, which are in the order of their places. */
export function withEdits(original: string, edits: readonly WordEdit[]): string {
  let text = '';
  let from = 0;
  for (const edit of edits) {
    text += original.slice(from, edit.at) + edit.after;
    from = endOf(edit);
  }
  return text + original.slice(from);
}

/**
 * The fewest of `edits` that a greedy search needs to reach the goal: no single one of them can be taken back without losing it, unless `judge`
 * ran out of queries. Each round asks what every single edit is worth, then how many of the cheapest can go at once.
 * `judge` returns a judgement for each text, or undefined where it may not ask that many.
 */
export async function minimise<T extends GoalProgress>(
  original: string,
  edits: readonly WordEdit[],
  found: T,
  judge: (texts: readonly string[]) => Promise<readonly T[] | undefined>,
): Promise<{ readonly edits: readonly WordEdit[]; readonly found: T }> {
  let best = { edits, found };
  while (best.edits.length > 1) {
    const without = best.edits.map((edit) => best.edits.filter((other) => other !== edit));
    const single = await judge(without.map((left) => withEdits(original, left)));
    const spare = (single ?? [])
      .flatMap((judged, index) =>
        judged.reached ? [{ judged, left: without[index] ?? [], edit: best.edits[index] }] : [],
      )
      .sort((a, b) => b.judged.score - a.judged.score);
    const [cheapest] = spare;
    if (cheapest === undefined) return best;
    best = { edits: cheapest.left, found: cheapest.judged };
    // Several at once: the two cheapest, the three cheapest, and so on.
    const several = spare.slice(1).map((_, count) => {
      const gone = new Set(spare.slice(0, count + 2).map(({ edit }) => edit));
      return edits.filter((edit) => cheapest.left.includes(edit) && !gone.has(edit));
    });
    const together = several.filter((left) => left.length > 0);
    const judged = together.length === 0 ? [] : await judge(together.map((left) => withEdits(original, left)));
    if (judged === undefined) return best;
    const most = judged.findLastIndex(({ reached }) => reached);
    const [left, reached] = [together[most], judged[most]];
    if (left !== undefined && reached !== undefined) best = { edits: left, found: reached };
  }
  return best;
}
