/** @file Attacks that rewrite a text as a whole: all rewrites are tried, and the one that hurts most is kept. */
import { Draft, wordsOf } from '../core/draft.js';
import type { EvasionAttack } from '../core/plugin.js';
import type { Target } from '../core/victim.js';

/** How many words of a text went, or came, whichever is more: never more than there were. */
export function wordsChanged(before: string, after: string): number {
  const words = wordsOf(before);
  const left = new Map<string, number>();
  for (const { text } of words) left.set(text, (left.get(text) ?? 0) + 1);
  let [came, kept] = [0, 0];
  for (const { text } of wordsOf(after)) {
    const count = left.get(text) ?? 0;
    if (count === 0) came++;
    else {
      kept++;
      left.set(text, count - 1);
    }
  }
  return Math.min(words.length, Math.max(1, came, words.length - kept));
}

/**
 * An attack that asks each of a text's rewrites once, in order, until one reaches the goal; else the highest score counts.
 * `rewrites` may yield the text itself or a text twice: both are passed over. A text without words has none.
 */
export function tryVariants(
  constraints: readonly string[],
  rewrites: (text: string, target: Target, label: number) => Iterable<string>,
): EvasionAttack {
  return {
    constraints,
    async run({ text, label }, target) {
      const words = wordsOf(text).length;
      const { goal } = target;
      let best = { text, probabilities: target.original, score: goal.score(target.original, label) };
      const nothing = (reason: string) => ({
        succeeded: false,
        text,
        probabilities: target.original,
        words,
        changed: 0,
        reason,
        ...(target.remaining > 0 && { reach: 0 }),
      });
      if (words === 0) return nothing('no word in the text');
      const original = Draft.of(text);
      const seen = new Set([text]);
      for (const rewrite of rewrites(text, target, label)) {
        if (seen.has(rewrite)) continue;
        seen.add(rewrite);
        if (target.remaining <= 0) break;
        const draft = Draft.of(rewrite);
        let legal = true;
        for (const constraint of target.constraints) {
          legal &&= (await constraint.accepts?.([draft], original))?.[0] ?? true;
        }
        if (!legal) continue;
        const [probabilities] = (await target.classify([rewrite])) as [Float32Array];
        const score = goal.score(probabilities, label);
        const reached = goal.reached(probabilities, label);
        if (reached || score > best.score || best.text === text) best = { text: rewrite, probabilities, score };
        if (reached) break;
      }
      if (best.text === text) return nothing('no rewrite that meets the constraints');
      return {
        succeeded: goal.reached(best.probabilities, label),
        text: best.text,
        probabilities: best.probabilities,
        words,
        changed: wordsChanged(text, best.text),
      };
    },
  };
}
