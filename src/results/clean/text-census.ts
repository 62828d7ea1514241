/**
 * @file Counts the different texts of a set of examples, and those that have something to read. A thousand copies of one text are one
 * observation, and a text without letters says nothing about a model of words.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { count, type Declared } from '../../core/declared.js';

export const textCountsSchema = z.object({
  examples: count,
  distinct: count.describe('Different texts; from 4,096 on an estimate with a standard error of about 2 %.'),
  wordless: count.describe('Texts without a letter.'),
  unknown: count
    .describe('Texts with at least half of their tokens unknown to the model. Absent where it has no vocabulary.')
    .exactOptional(),
});

/** Counts of texts, of different ones by `textKey`, and of those with nothing to read. */
export interface TextCounts extends Declared<typeof textCountsSchema> {}

/** Maximum number of hashes kept; beyond it, every other one is dropped. */
const MOST_KEPT = 4096;

/**
 * Equal for texts that differ only in letter case, digits, punctuation, spacing, invisible characters or compatibility forms (NFKC). The
 * key of a text that consists of only these is that of its digits, `0`, or empty.
 */
export const textKey = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{Z}\s]+/gu, ' ')
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]+/gu, '')
    .replace(/\p{N}+/gu, '0')
    .replace(/ +/g, ' ')
    .trim();

/** The first text of each key, in order. */
export function distinctBy<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = textKey(textOf(item));
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

/**
 * Counts streaming texts in bounded memory: above 4,096 keys by adaptive sampling (Flajolet, 1990), which keeps the hashes that end in a
 * given number of zero bits.
 */
export class TextCensus {
  #examples = 0;
  #wordless = 0;
  #unknown = 0;
  #bits = 0;
  #kept = new Set<number>();
  readonly #isUnknown: ((text: string) => boolean) | undefined;

  /** `isUnknown`: whether a model's vocabulary lacks at least half of a text. */
  constructor(isUnknown?: (text: string) => boolean) {
    this.#isUnknown = isUnknown;
  }

  static of(texts: Iterable<string>, isUnknown?: (text: string) => boolean): TextCounts {
    const census = new TextCensus(isUnknown);
    for (const text of texts) census.add(text);
    return census.counts;
  }

  add(text: string): void {
    const key = textKey(text);
    this.#examples += 1;
    if (!/\p{L}/u.test(key)) this.#wordless += 1;
    else if (this.#isUnknown?.(text)) this.#unknown += 1;
    const hash = createHash('sha256').update(key).digest().readUIntBE(0, 6);
    if (hash % 2 ** this.#bits !== 0) return;
    this.#kept.add(hash);
    while (this.#kept.size > MOST_KEPT) {
      this.#bits += 1;
      this.#kept = new Set([...this.#kept].filter((each) => each % 2 ** this.#bits === 0));
    }
  }

  get counts(): TextCounts {
    return {
      examples: this.#examples,
      distinct: Math.min(this.#examples, this.#kept.size * 2 ** this.#bits),
      wordless: this.#wordless,
      ...(this.#isUnknown && { unknown: this.#unknown }),
    };
  }
}
