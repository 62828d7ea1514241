/** @file Times the victim's answers to single texts. */
import { queryText } from '../core/pair.js';
import { collect, take } from '../core/take.js';
import { type Latency, latencyOf } from '../results/card/latency.js';
import { distinctBy } from '../results/clean/text-census.js';
import { firstExamples } from './answers.js';
import { unlessAborted } from './metered-victim.js';
import type { EvaluationPlan } from './plan.js';

/** Appended to each timed text, so that no answer comes from the cache, which the search for a threshold may have filled. */
const MARK = ' .';

/**
 * Asks the first `texts` different examples one by one; one more comes first, uncounted, for it also loads what is loaded once. A text that
 * fails is not counted. Undefined if none was answered. Throws SearchCancelled once the signal is aborted.
 */
export async function timeAnswers(
  plan: EvaluationPlan,
  texts: number,
  signal: AbortSignal | undefined,
): Promise<Latency | undefined> {
  const first = await collect(take(firstExamples(plan), 2 * texts));
  const different = distinctBy(first, ({ text }) => text).slice(0, texts + 1);
  const times: number[] = [];
  for (const [at, example] of different.entries()) {
    const text = queryText(example.text, example) + MARK;
    const began = performance.now();
    const answer = plan.model.classifier.classify([text]).then(Boolean, () => false);
    if ((await unlessAborted(answer, signal)) && at > 0) times.push(performance.now() - began);
  }
  return latencyOf(times);
}
