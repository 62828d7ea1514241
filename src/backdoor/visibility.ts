/** @file How odd a trigger looks. */
import type { Dataset } from '../core/dataset.js';
import type { Language } from '../core/language.js';
import type { Poisoner } from '../core/poisoner.js';
import { NgramModel } from '../language/ngram-model.js';
import type { Median } from '../results/backdoor/planting.js';
import { triggered } from './poison.js';

/** Texts the n-gram model learns from, and texts it judges. */
const LEARNT_TEXTS = 50_000;
const JUDGED_TEXTS = 1000;

/**
 * The median, over texts of `test`, of the perplexity with the trigger over that without it, by trigrams of the clean training texts. 1 is
 * an invisible trigger. Undefined words of a text count as unknown ones.
 */
export async function visibility(
  train: Dataset,
  test: Dataset,
  poisoner: Poisoner,
  target: number,
  seed: number,
  language: Language,
): Promise<Median> {
  const texts: string[] = [];
  for await (const { text } of train.examples()) if (texts.push(text) === LEARNT_TEXTS) break;
  const model = new NgramModel(texts, language);
  const ratios: number[] = [];
  for await (const example of test.examples()) {
    if (example.label === target || !/[\p{L}\p{N}]/u.test(example.text)) continue;
    const text = triggered(poisoner, example, seed);
    if (text === undefined) continue;
    if (ratios.push(model.perplexity(text) / model.perplexity(example.text)) === JUDGED_TEXTS) break;
  }
  return median(ratios);
}

/** The median, and the order statistics that hold it in 95 % of samples: ranks n/2 -+ 1.96 sqrt(n)/2 (Conover 1999, section 3.2). */
export function median(values: readonly number[]): Median {
  const n = values.length;
  if (n === 0) return { value: null, low: null, high: null, n };
  const sorted = Float64Array.from(values).sort();
  const at = (rank: number): number => sorted[Math.min(n - 1, Math.max(0, rank))]!;
  const spread = (1.96 * Math.sqrt(n)) / 2;
  return {
    value: (at(Math.floor((n - 1) / 2)) + at(Math.ceil((n - 1) / 2))) / 2,
    low: at(Math.floor(n / 2 - spread)),
    high: at(Math.ceil(n / 2 + spread)),
    n,
  };
}
