/** @file A text under revision that knows which range of the original each of its ranges comes from. */

/** A replacement in the current text; offsets in UTF-16 code units. */
export interface Edit {
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
interface Piece {
  start: number;
  end: number;
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

export class RevisedText {
  readonly #original: string;
  #text: string;
  #pieces: Piece[] = [];

  constructor(text: string) {
    this.#original = text;
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  /** Applies edits, sorted and apart from one another; says whether there were any. Linear in the text. */
  apply(edits: readonly Edit[], kind: string): boolean {
    if (edits.length === 0) return false;
    const before = this.#pieces;
    const pieces: Piece[] = [];
    const written: string[] = [];
    let [copied, shift, lag, at] = [0, 0, 0, 0];
    // `lag`: offset in the current text less that in the original, behind the pieces read so far.
    const take = (piece: Piece): void => {
      lag = piece.end - piece.to;
      at++;
    };
    for (let next = 0; next < edits.length; ) {
      const edit = edits[next] as Edit;
      for (let piece = before[at]; piece !== undefined && isBefore(piece, edit); piece = before[at]) {
        pieces.push({ ...piece, start: piece.start + shift, end: piece.end + shift });
        take(piece);
      }
      const first = before[at];
      const start = first === undefined ? edit.start : Math.min(first.start, edit.start);
      const [from, newStart] = [start - lag, start + shift];
      const kinds = new Set<string>();
      let end = start;
      // Edits and earlier pieces that overlap become one piece.
      for (;;) {
        const [piece, other] = [before[at], edits[next]];
        if (other !== undefined && (other.start < end || end === start)) {
          written.push(this.#text.slice(copied, other.start), other.text);
          copied = other.end;
          shift += other.text.length - (other.end - other.start);
          end = Math.max(end, other.end);
          kinds.add(kind);
          next++;
          if (end === start) break;
        } else if (piece !== undefined && piece.start < end) {
          for (const each of piece.kind.split('+')) kinds.add(each);
          end = Math.max(end, piece.end);
          take(piece);
        } else break;
      }
      pieces.push({ start: newStart, end: end + shift, from, to: end - lag, kind: [...kinds].join('+') });
    }
    for (const piece of before.slice(at))
      pieces.push({ ...piece, start: piece.start + shift, end: piece.end + shift });
    written.push(this.#text.slice(copied));
    this.#text = written.join('');
    this.#pieces = pieces;
    return true;
  }

  /** Offset in the original of an offset in the current text. Never falls as the offset rises. */
  readonly map = (offset: number): number => {
    let [low, high] = [0, this.#pieces.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pieces[middle] as Piece).start <= offset) low = middle + 1;
      else high = middle;
    }
    const piece = this.#pieces[low - 1];
    if (piece === undefined) return offset;
    if (offset >= piece.end) return piece.to + offset - piece.end;
    return piece.from + Math.min(offset - piece.start, piece.to - piece.from);
  };

  /** In the order of the text. */
  changes(): ShieldChange[] {
    return this.#pieces.map(({ from, to, kind }) => ({
      start: from,
      end: to,
      original: this.#original.slice(from, to),
      kind,
    }));
  }
}

/** Whether an earlier change ends where the edit starts, or before. */
const isBefore = (piece: Piece, edit: Edit): boolean => piece.end <= edit.start;

/** The edits that replace each match of `pattern`, where `replace` gives another text. */
export function editsOf(text: string, pattern: RegExp, replace: (match: RegExpExecArray) => string | undefined): Edit[] {
  const edits: Edit[] = [];
  for (const match of text.matchAll(pattern)) {
    const [found] = match;
    const written = replace(match);
    if (written !== undefined && written !== found)
      edits.push({ start: match.index, end: match.index + found.length, text: written });
  }
  return edits;
}
