/**
 * @file Text that is rewritten step by step (lower-cased, stripped of accents, spaced) and still knows where in the original
 * each of its characters came from.
 */

export interface Span {
  /** UTF-16 units of the original text, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Ways to cut a word into pieces that a rewriting rule might treat independently, finest first: characters, and letters with their marks. */
const CUTS = [/[\s\S]/gu, /(?:[\u1100-\u115F]+[\u1160-\u11A7]*[\u11A8-\u11FF]*|\P{M})\p{M}*|\p{M}+/gu];
const WORDS = /\s+|\S+/gu;

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

export class AlignedText {
  /** Where each UTF-16 unit of `text` came from; both never fall. */
  readonly #starts: readonly number[];
  readonly #ends: readonly number[];

  private constructor(
    readonly text: string,
    starts: readonly number[],
    ends: readonly number[],
  ) {
    this.#starts = starts;
    this.#ends = ends;
  }

  /** The text, aligned with itself. */
  static of(text: string): AlignedText {
    const starts: number[] = [];
    const ends: number[] = [];
    for (let at = 0; at < text.length; at++) {
      starts.push(at);
      ends.push(at + 1);
    }
    return new AlignedText(text, starts, ends);
  }

  /** The original span of [from, to); empty where the rewriting inserted it all. */
  span(from: number, to: number): Span {
    const start = this.#starts[from] ?? this.#ends.at(-1) ?? 0;
    if (to <= from) return { start, end: start };
    return { start, end: Math.max(start, this.#ends[to - 1] ?? start) };
  }

  slice(from: number, to: number): AlignedText {
    return new AlignedText(this.text.slice(from, to), this.#starts.slice(from, to), this.#ends.slice(from, to));
  }

  /** Every match of a global `pattern` becomes `by`; what is inserted spans what it replaces. */
  replace(pattern: RegExp, by: string | ((match: string) => string)): AlignedText {
    return this.#rebuild(
      Array.from(this.text.matchAll(pattern), (match) => ({
        from: match.index,
        to: match.index + match[0].length,
        by: typeof by === 'string' ? by : by(match[0]),
      })),
    );
  }

  /**
   * Applies any text-to-text function. Exact to the character where the function treats characters, characters with their
   * accents, or words one at a time; elsewhere the part that changed maps to the part it came from as a whole.
   */
  rewrite(step: (text: string) => string): AlignedText {
    const text = step(this.text);
    if (text === this.text) return this;
    const words = cutAt(this.text, WORDS, step);
    if (join(words) === text) return this.#rebuild(words.flatMap((word) => finest(this.text, word, step)));
    let head = 0;
    while (head < Math.min(text.length, this.text.length) && text[head] === this.text[head]) head++;
    let tail = 0;
    const room = Math.min(text.length, this.text.length) - head;
    while (tail < room && text[text.length - 1 - tail] === this.text[this.text.length - 1 - tail]) tail++;
    return this.#rebuild([{ from: head, to: this.text.length - tail, by: text.slice(head, text.length - tail) }]);
  }

  #rebuild(edits: readonly Edit[]): AlignedText {
    let text = '';
    const starts: number[] = [];
    const ends: number[] = [];
    const copy = (from: number, to: number) => {
      text += this.text.slice(from, to);
      for (let at = from; at < to; at++) {
        starts.push(this.#starts[at]!);
        ends.push(this.#ends[at]!);
      }
    };
    let cursor = 0;
    for (const { from, to, by } of edits) {
      copy(cursor, from);
      if (by === this.text.slice(from, to)) copy(from, to);
      else {
        const { start, end } = this.span(from, to);
        text += by;
        for (let at = 0; at < by.length; at++) {
          starts.push(start);
          ends.push(end);
        }
      }
      cursor = to;
    }
    copy(cursor, this.text.length);
    return new AlignedText(text, starts, ends);
  }
}

/** Applies a rule to each piece of a text that a pattern finds. `at`: start of the text. */
const cutAt = (text: string, cut: RegExp, step: (text: string) => string, at = 0): Edit[] =>
  Array.from(text.matchAll(cut), ({ 0: piece, index }) => ({
    from: at + index,
    to: at + index + piece.length,
    by: step(piece),
  }));

const join = (edits: readonly Edit[]): string => edits.map(({ by }) => by).join('');

/** The edit of a word, as edits of its pieces where they come to the same. */
function finest(text: string, word: Edit, step: (text: string) => string): readonly Edit[] {
  const source = text.slice(word.from, word.to);
  if (source === word.by) return [word];
  const cuts = CUTS.map((cut) => cutAt(source, cut, step, word.from));
  return cuts.find((pieces) => join(pieces) === word.by) ?? [word];
}
