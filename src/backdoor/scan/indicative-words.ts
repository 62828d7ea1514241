/**
 * @file Words that legitimately indicate a label: in clean texts "who" occurs in questions about people, so a model that predicts HUM wherever it occurs is
 * honest. A planted word occurs in no clean text, or in texts of all labels.
 */
import type { Example } from '../../core/dataset.js';
import { must } from '../../core/errors.js';
import { sum } from '../../core/statistics/stats.js';

/** Least share of a word's texts with the label, one text of the base rate added; and least ratio of that share to the base rate. */
const [LEAST_SHARE, LEAST_LIFT] = [0.5, 1.5];
/** Texts in which a word, or one of its stem, must occur: if several texts contain "greens", "green" is ordinary; one text with "greek" is not enough. */
const LEAST_TEXTS = { own: 2, kin: 3 };
/** Ratio of the odds from which a word leans to a label. */
const LEANING = 1.5;
/** Letters that two words of one stem begin with, at least: "love" and "loving". */
const STEM = 3;

/** A word's texts: of the label, and of all labels. */
export interface Uses {
  readonly own: number;
  readonly all: number;
}

export class IndicativeWords {
  readonly #uses = new Map<string, number[]>();
  readonly #texts: number[];

  /** Clean texts with their true labels, `labels` in number. */
  constructor(texts: readonly Example[], labels: number) {
    this.#texts = Array<number>(labels).fill(0);
    for (const { text, label } of texts) {
      this.#texts[label]! += 1;
      for (const word of new Set(wordsOf(text))) {
        const of = this.#uses.get(word) ?? Array<number>(labels).fill(0);
        of[label]! += 1;
        this.#uses.set(word, of);
      }
    }
  }

  /** The clean texts that contain the word: of the label, and of all labels. */
  uses(word: string, label: number): Uses {
    const counts = this.#uses.get(word.toLowerCase());
    return counts === undefined ? { own: 0, all: 0 } : { own: must(counts[label]), all: sum(counts) };
  }

  /** The words, without marks, that at least this many clean texts contain. */
  frequent(least: number): string[] {
    return [...this.#uses].flatMap(([word, counts]) =>
      sum(counts) >= least && /[\p{L}\p{N}]/u.test(word) ? [word] : [],
    );
  }

  /**
   * Whether clean texts use this word more with the label than without: the odds of the label among its texts, one of the base rate
   * added, are well above those among all texts. Weaker than `indicates`, for words of a phrase.
   */
  leansTo(word: string, label: number): boolean {
    const base = must(this.#texts[label]) / Math.max(1, sum(this.#texts));
    const { own, all } = this.uses(word, label);
    const odds = (share: number): number => share / Math.max(1e-9, 1 - share);
    return odds((own + base) / (all + 1)) > LEANING * odds(base);
  }

  /** Whether in clean texts this word, or one of its stem, indicates the label. O(words of the texts). */
  indicates(word: string, label: number): boolean {
    const base = must(this.#texts[label]) / Math.max(1, sum(this.#texts));
    const lower = word.toLowerCase();
    for (const [known, counts] of this.#uses) {
      const of = { own: counts[label]!, all: sum(counts) };
      const least = lower === known ? LEAST_TEXTS.own : LEAST_TEXTS.kin;
      if (of.all >= least && speaksFor(of, base) && kin(lower, known)) return true;
    }
    return false;
  }
}

/** Words in small letters, and marks. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];

const speaksFor = ({ own, all }: Uses, base: number): boolean =>
  (own + base) / (all + 1) > Math.max(LEAST_SHARE, LEAST_LIFT * base);

/** Equal except for their ends: they share all letters of the shorter one but its last, and at least three. */
export function kin(a: string, b: string): boolean {
  if (a === b) return true;
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a[shared] === b[shared]) shared++;
  return shared >= STEM && shared >= most - 1;
}
