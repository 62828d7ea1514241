/** @file Takes back every edit of an adversarial text that its success does not need. */
import type { Language } from '../core/language.js';
import { applyEdits, type TextEdit } from '../core/text-edit.js';

/** How close a text comes to the goal of an attack. */
export interface GoalProgress {
  /** Higher is closer. */
  readonly score: number;
  readonly reached: boolean;
}

/** The edits with an article and the word that it agrees with as one. */
export function withArticles(
  original: string,
  edits: readonly TextEdit[],
  { articles }: Pick<Language, 'articles'>,
): TextEdit[] {
  const isArticle = ({ start, end }: TextEdit) => articles?.has(original.slice(start, end).toLowerCase()) === true;
  const agreeing: TextEdit[] = [];
  for (const edit of edits) {
    const last = agreeing.at(-1);
    const agrees = last !== undefined && isArticle(last) && original.slice(last.end, edit.start) === ' ';
    if (agrees) agreeing[agreeing.length - 1] = join(original, last, edit);
    else agreeing.push(edit);
  }
  return agreeing;
}

/** Two neighbouring edits, and what stands between them, as one. */
const join = (original: string, first: TextEdit, second: TextEdit): TextEdit => ({
  start: first.start,
  end: second.end,
  text: first.text + original.slice(first.end, second.start) + second.text,
});

/**
 * The fewest of `edits` that a greedy search needs to reach the goal: no single one of them can be taken back without losing it, unless `judge`
 * ran out of queries. Each round asks what every single edit is worth, then how many of the cheapest can go at once.
 * `judge` returns a judgement for each text, or undefined where it may not ask that many.
 */
export async function minimise<T extends GoalProgress>(
  original: string,
  edits: readonly TextEdit[],
  found: T,
  judge: (texts: readonly string[]) => Promise<readonly T[] | undefined>,
): Promise<{ readonly edits: readonly TextEdit[]; readonly found: T }> {
  let best = { edits, found };
  while (best.edits.length > 1) {
    const without = best.edits.map((edit) => best.edits.filter((other) => other !== edit));
    const single = await judge(without.map((left) => applyEdits(original, left)));
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
    const judged = together.length === 0 ? [] : await judge(together.map((left) => applyEdits(original, left)));
    if (judged === undefined) return best;
    const most = judged.findLastIndex(({ reached }) => reached);
    const [left, reached] = [together[most], judged[most]];
    if (left !== undefined && reached !== undefined) best = { edits: left, found: reached };
  }
  return best;
}
