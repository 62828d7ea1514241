/**
 * @file An immutable text split into word slots. A slot belongs to one word of the original text for good: an edit may
 * put several words into it, or none, and slot i still means "what became of original word i". That keeps "which
 * words were edited" exact under insertions and deletions, and `draft.text` of an unedited draft is the text it came from.
 */

/**
 * A word: letters, digits and underscores with their combining marks, holding (not starting with) apostrophes, hyphens,
 * asterisks or at signs, so that "don't", "well-made" and "f**k" are one word and "--" is none. These are TextAttack's words
 * (its shared/utils/strings.py), so perturbed-word percentages compare.
 */
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}\p{Cf}_'’*@-]*/gu;

export interface Word {
  readonly text: string;
  /** Offset in the text, in UTF-16 code units. */
  readonly start: number;
}

/** The words of a text with their offsets. */
export function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(WORD), (match) => ({ text: match[0], start: match.index }));
}

export class Draft {
  /** What is in each slot now. */
  readonly words: readonly string[];
  /** Slots that differ from the original, or were edited back to it. */
  readonly edited: ReadonlySet<number>;
  /** What stands before slot i; the last entry closes the text. One longer than `words`. */
  readonly #gaps: readonly string[];
  #text: string | undefined;

  private constructor(words: readonly string[], gaps: readonly string[], edited: ReadonlySet<number>) {
    this.words = words;
    this.#gaps = gaps;
    this.edited = edited;
  }

  /** Splits a text into words. */
  static of(text: string): Draft {
    const words: string[] = [];
    const gaps: string[] = [];
    let end = 0;
    for (const word of wordsOf(text)) {
      gaps.push(text.slice(end, word.start));
      words.push(word.text);
      end = word.start + word.text.length;
    }
    gaps.push(text.slice(end));
    return new Draft(words, gaps, new Set());
  }

  get text(): string {
    if (this.#text === undefined) {
      let text = this.#gaps[0] as string;
      for (let i = 0; i < this.words.length; i++) text += (this.words[i] as string) + (this.#gaps[i + 1] as string);
      this.#text = text;
    }
    return this.#text;
  }

  /** Offset of slot `at` in `text`, in UTF-16 code units. */
  startOf(at: number): number {
    let start = (this.#gaps[0] as string).length;
    for (let i = 0; i < at; i++) start += (this.words[i] as string).length + (this.#gaps[i + 1] as string).length;
    return start;
  }

  /** This draft with other content in slot `at`. Throws RangeError where there is no such slot. */
  replace(at: number, word: string): Draft {
    this.#check(at);
    return new Draft(this.words.with(at, word), this.#gaps, new Set(this.edited).add(at));
  }

  /** This draft with slot `at` emptied, and one space beside it gone, so that no double space betrays the deletion. */
  remove(at: number): Draft {
    this.#check(at);
    const before = this.#gaps[at] as string;
    const after = this.#gaps[at + 1] as string;
    const gaps = before.endsWith(' ')
      ? this.#gaps.with(at, before.slice(0, -1))
      : this.#gaps.with(at + 1, after.startsWith(' ') ? after.slice(1) : after);
    return new Draft(this.words.with(at, ''), gaps, new Set(this.edited).add(at));
  }

  /** This draft with the gap between slots `at` and `at + 1` replaced (both count as edited): merging and splitting. */
  join(at: number, gap: string): Draft {
    this.#check(at + 1);
    return new Draft(this.words, this.#gaps.with(at + 1, gap), new Set(this.edited).add(at).add(at + 1));
  }

  /** What stands between slots `at` and `at + 1` (or after the last slot). */
  gapAfter(at: number): string {
    this.#check(at);
    return this.#gaps[at + 1] as string;
  }

  /** This draft with text put before the first (`start`) or after the last character; no slot counts as edited. */
  surround(start: string, end: string): Draft {
    const gaps = this.#gaps.with(0, start + (this.#gaps[0] as string));
    gaps[gaps.length - 1] += end;
    return new Draft(this.words, gaps, this.edited);
  }

  #check(at: number): void {
    if (!Number.isInteger(at) || at < 0 || at >= this.words.length) {
      throw new RangeError(`expected a slot from 0 to ${this.words.length - 1}, got ${at}`);
    }
  }
}
