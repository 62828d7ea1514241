/** @file A text under revision that knows which range of the original each of its ranges comes from. */

/** A replacement in the current text; offsets in UTF-16 code units. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A change: what was undone, and where the original has it. */
export interface ShieldChange {
  /** Offsets in the original, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly original: string;
  /** The parts that changed this range, joined by "+". */
  readonly kind: string;
}

/** A changed range: `start` to `end` of the current text was `from` to `to` of the original. */
interface ChangedRange {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

export class RevisedText {
  readonly #original: string;
  #text: string;
  #ranges: readonly ChangedRange[] = [];

  constructor(text: string) {
    this.#original = text;
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  /** Applies edits, sorted and apart from one another; says whether there were any. Linear in the text. */
  apply(edits: readonly Replacement[], kind: string): boolean {
    if (edits.length === 0) return false;
    const merged = new MergedRanges(this.#ranges);
    const written: string[] = [];
    let copied = 0;
    for (const { start, end, text } of edits) {
      written.push(this.#text.slice(copied, start), text);
      copied = end;
      merged.add(start, end, text.length, kind);
    }
    written.push(this.#text.slice(copied));
    this.#text = written.join('');
    this.#ranges = merged.end();
    return true;
  }

  /** Offset in the original of an offset in the current text. Never falls as the offset rises. */
  readonly map = (offset: number): number => {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle] as ChangedRange).start <= offset) low = middle + 1;
      else high = middle;
    }
    const range = this.#ranges[low - 1];
    if (range === undefined) return offset;
    if (offset >= range.end) return range.to + offset - range.end;
    return range.from + Math.min(offset - range.start, Math.max(0, range.to - range.from - 1));
  };

  /** In the order of the text. */
  changes(): ShieldChange[] {
    return this.#ranges.map(({ from, to, kind }) => ({
      start: from,
      end: to,
      original: this.#original.slice(from, to),
      kind,
    }));
  }
}

/** A change that further edits may join. */
interface OpenRange {
  /** Offset in the next text. */
  readonly newStart: number;
  /** Offset in the current text. */
  end: number;
  readonly from: number;
  readonly kinds: Set<string>;
}

/** Merges earlier changes with edits of the current text: those that overlap become one. */
class MergedRanges {
  readonly #before: readonly ChangedRange[];
  #at = 0;
  /** Offset in the current text less that in the original, behind the ranges read so far. */
  #lag = 0;
  /** Offset in the next text less that in the current one, behind the edits added so far. */
  #shift = 0;
  readonly #merged: ChangedRange[] = [];
  #open: OpenRange | undefined;

  constructor(before: readonly ChangedRange[]) {
    this.#before = before;
  }

  add(start: number, end: number, length: number, kind: string): void {
    const open = this.#open !== undefined && start < this.#open.end ? this.#open : this.#openAt(start);
    open.kinds.add(kind);
    open.end = Math.max(open.end, end);
    this.#shift += length - (end - start);
    for (
      let range = this.#before[this.#at];
      range !== undefined && range.start < open.end;
      range = this.#before[this.#at]
    ) {
      for (const each of range.kind.split('+')) open.kinds.add(each);
      open.end = Math.max(open.end, range.end);
      this.#pass(range);
    }
  }

  end(): ChangedRange[] {
    this.#close();
    while (this.#at < this.#before.length) this.#keep(this.#before[this.#at] as ChangedRange);
    return this.#merged;
  }

  #openAt(start: number): OpenRange {
    this.#close();
    let next = this.#before[this.#at];
    for (; next !== undefined && next.end <= start; next = this.#before[this.#at]) this.#keep(next);
    const from = Math.min(next?.start ?? start, start);
    this.#open = { newStart: from + this.#shift, end: start, from: from - this.#lag, kinds: new Set() };
    return this.#open;
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { newStart, end, from, kinds } = this.#open;
    this.#merged.push({
      start: newStart,
      end: end + this.#shift,
      from,
      to: end - this.#lag,
      kind: [...kinds].join('+'),
    });
    this.#open = undefined;
  }

  #keep(range: ChangedRange): void {
    this.#merged.push({ ...range, start: range.start + this.#shift, end: range.end + this.#shift });
    this.#pass(range);
  }

  #pass({ end, to }: ChangedRange): void {
    this.#lag = end - to;
    this.#at++;
  }
}

/** The edits that replace each match of `pattern`, where `replace` gives another text. */
export function editsOf(
  text: string,
  pattern: RegExp,
  replace: (match: RegExpExecArray) => string | undefined,
): Replacement[] {
  const edits: Replacement[] = [];
  for (const match of text.matchAll(pattern)) {
    const [found] = match;
    const written = replace(match);
    if (written !== undefined && written !== found)
      edits.push({ start: match.index, end: match.index + found.length, text: written });
  }
  return edits;
}
