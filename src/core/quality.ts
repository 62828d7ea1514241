/** @file What the adversarial texts of an attack are like, and which of them another attack found too. */
import { createHash } from 'node:crypto';
import type { Outcome, Quality } from './outcome.js';

/** Fractions are summed in these units, whole numbers, so that no order of the outcomes changes a bit. */
const UNIT = 1e-6;
const whole = (value: number): number => Math.round(value / UNIT);

/** Means over the successes that were measured. */
export function qualityFold() {
  let n = 0;
  let edits = 0;
  let similarity = 0;
  let readability = 0;
  const perplexity = { n: 0, log: 0 };
  return {
    add(quality: Quality): void {
      n += 1;
      edits += quality.editDistance;
      similarity += whole(quality.similarity);
      readability += whole(quality.readability);
      if (quality.perplexityRatio === null) return;
      perplexity.n += 1;
      perplexity.log += whole(Math.log(quality.perplexityRatio));
    },

    /** Undefined where nothing was measured. */
    metrics(): (Quality & { readonly n: number }) | undefined {
      if (n === 0) return undefined;
      return {
        n,
        editDistance: edits / n,
        perplexityRatio: perplexity.n === 0 ? null : Math.exp((perplexity.log * UNIT) / perplexity.n),
        similarity: (similarity * UNIT) / n,
        readability: (readability * UNIT) / n,
      };
    },
  };
}

/** Counts, for each attack, its texts that another attack found for the same example. Eight bytes a text. */
export function duplicatesFold() {
  const found = new Map<string, { texts: Float64Array; count: number }>();
  return {
    /** `index`: the example's position in the run. */
    add(index: number, { attack, adversarial }: Outcome): void {
      if (adversarial === undefined) return;
      const own = found.get(attack) ?? { texts: new Float64Array(64), count: 0 };
      found.set(attack, own);
      if (own.count === own.texts.length) {
        const grown = new Float64Array(own.count * 2);
        grown.set(own.texts);
        own.texts = grown;
      }
      // 48 bits: a million texts have a chance of 1 in 500 that any two are taken for one.
      own.texts[own.count++] = createHash('sha256').update(`${index}\n${adversarial}`).digest().readUIntBE(0, 6);
    },

    counts(): ReadonlyMap<string, number> {
      const sorted = [...found].map(([attack, { texts, count }]) => ({ attack, texts: texts.slice(0, count).sort() }));
      return new Map(
        sorted.map(({ attack, texts }) => {
          const others = sorted.filter((other) => other.attack !== attack).map((other) => other.texts);
          return [attack, texts.filter((text) => others.some((other) => holds(other, text))).length];
        }),
      );
    },
  };
}

function holds(sorted: Float64Array, value: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value;
}
