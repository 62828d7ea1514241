/**
 * @file An immutable text split into word slots. A slot permanently belongs to one word of the original text. An edit may put several words
 * into it, or none, and slot i still shows what became of original word i. So "which words were edited" stays exact under insertions and
 * deletions, and `draft.text` of an unedited draft equals the original text.
 *
 * A draft stores its original and the pieces that differ from it. An edit of a text of 10,000 words therefore costs as much as one of ten
 * words, which matters because a search makes a draft for every query.
 */
import type { TextEdit } from './text-edit.js';

/**
 * A word: letters and digits with their combining marks. It may contain, but not start with, apostrophes, hyphens, underscores, asterisks
 * or at signs, so "don't", "well-made" and "f**k" are one word each and "--" is not a word. This equals TextAttack's definition
 * (shared/utils/strings.py), so perturbed-word percentages are comparable.
 */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\p{Cf}_'’*@-]*/gu;

/** Scripts written without spaces. Unicode's segmenter finds their words, with the same dictionary for every language. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

export interface Word {
  readonly text: string;
  /** Offset in the text, in UTF-16 code units. */
  readonly start: number;
}

/** The words of a text with their offsets. */
export function wordsOf(text: string): Word[] {
  const runs = Array.from(text.matchAll(WORD), (match) => ({ text: match[0], start: match.index }));
  return UNSPACED.test(text) ? runs.flatMap(wordsOfRun) : runs;
}

/** Words in a run of letters. */
function wordsOfRun(run: Word): Word[] {
  if (!UNSPACED.test(run.text)) return [run];
  return Array.from(segmenter.segment(run.text))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment, index }) => ({ text: segment, start: run.start + index }));
}

/** The text with every word replaced by `of(word)`; everything between the words stays. */
export function mapWords(text: string, of: (word: string) => string): string {
  let made = '';
  let end = 0;
  for (const { text: word, start } of wordsOf(text)) {
    made += text.slice(end, start) + of(word);
    end = start + word.length;
  }
  return made + text.slice(end);
}

/** The number of words removed or inserted, whichever is larger: never more than the text has. */
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

/** The number of words of `original` that a rewrite changed: by slot, or by removed and inserted words if the whole text was rewritten. */
export const wordsEdited = (draft: Draft, original: Draft): number =>
  draft.sharesOriginalWith(original) ? draft.changed : wordsChanged(original.text, draft.text);

/** Pieces alternate: gap 0, word 0, gap 1, word 1, ... and a last gap. */
const wordPiece = (slot: number) => 2 * slot + 1;
const gapPieceBefore = (slot: number) => 2 * slot;

interface Original {
  readonly text: string;
  /** Piece p is text[bounds[p], bounds[p + 1]), in UTF-16 code units. */
  readonly bounds: Int32Array;
  readonly slots: number;
  /** The unedited draft, created on first use. */
  draft?: Draft;
}

export interface PieceEdit {
  readonly piece: number;
  readonly content: string;
  /** The slots of this piece count as edited. A gap that only lost a space next to a deleted word does not mark its neighbours. */
  readonly marks: boolean;
}

/** A boundary `within` an edited piece. The part of it outside of the span, or inside of it, shows where the boundary is now. */
function carryWithin(
  before: string,
  after: string,
  within: number,
  { side, word }: { readonly side: 'start' | 'end'; readonly word: boolean },
): number {
  const [head, tail] = [before.slice(0, within), before.slice(within)];
  const whole = side === 'start' ? 0 : after.length;
  if ((side === 'start' ? head : tail) === '') return whole;
  const fromStart = after.startsWith(head) ? within : undefined;
  const fromEnd = after.endsWith(tail) ? after.length - tail.length : undefined;
  const kept = side === 'start' ? (fromStart ?? fromEnd) : (fromEnd ?? fromStart);
  return kept ?? (word ? whole : after.length - whole);
}

export class Draft {
  readonly #original: Original;
  /** Ascending by piece, at most one per piece. */
  readonly #changes: readonly PieceEdit[];
  #text: string | undefined;
  #words: readonly string[] | undefined;
  #edited: ReadonlySet<number> | undefined;
  #changed: number | undefined;

  private constructor(original: Original, changes: readonly PieceEdit[]) {
    this.#original = original;
    this.#changes = changes;
  }

  /** Splits a text into words. */
  static of(text: string): Draft {
    const words = wordsOf(text);
    const bounds = new Int32Array(2 * words.length + 2);
    words.forEach((word, slot) => {
      bounds[wordPiece(slot)] = word.start;
      bounds[wordPiece(slot) + 1] = word.start + word.text.length;
    });
    bounds[bounds.length - 1] = text.length;
    return new Draft({ text, bounds, slots: words.length }, []);
  }

  get text(): string {
    if (this.#text === undefined) {
      const { text, bounds } = this.#original;
      let made = '';
      let from = 0;
      for (const { piece, content } of this.#changes) {
        made += text.slice(from, bounds[piece]) + content;
        from = bounds[piece + 1]!;
      }
      this.#text = made + text.slice(from);
    }
    return this.#text;
  }

  /** The unedited draft, the same object for all drafts of one original. */
  get original(): Draft {
    this.#original.draft ??= this.#changes.length === 0 ? this : new Draft(this.#original, []);
    return this.#original.draft;
  }

  /** Number of slots: the words of the original text. */
  get size(): number {
    return this.#original.slots;
  }

  /** Content of each slot. Costs a pass over the text; use `word` for one slot. */
  get words(): readonly string[] {
    if (this.#words === undefined) {
      const words = Array.from({ length: this.size }, (_, slot) => this.#originalContent(wordPiece(slot)));
      for (const { piece, content } of this.#changes) if (piece % 2 === 1) words[(piece - 1) / 2] = content;
      this.#words = words;
    }
    return this.#words;
  }

  /**
   * Span of each slot's content in the current text: [start, end) of slot s at index 2s, in UTF-16 code units; empty if it was removed.
   * Costs a pass over the text.
   */
  get spans(): Int32Array {
    const spans = new Int32Array(2 * this.size);
    let from = 0;
    for (let piece = 0; piece <= 2 * this.size; piece++) {
      const to = from + this.#content(piece).length;
      if (piece % 2 === 1) spans.set([from, to], piece - 1);
      from = to;
    }
    return spans;
  }

  /** Content of slot `at`. */
  word(at: number): string {
    this.#check(at);
    return this.#content(wordPiece(at));
  }

  /** The original word of slot `at`. */
  originalWord(at: number): string {
    this.#check(at);
    return this.#originalContent(wordPiece(at));
  }

  /** Slots that differ from the original, or were edited back to it. */
  get edited(): ReadonlySet<number> {
    if (this.#edited === undefined) {
      const edited = new Set<number>();
      for (const change of this.#changes) this.#mark(change, edited);
      this.#edited = edited;
    }
    return this.#edited;
  }

  /** Number of slots that differ from the original. */
  get changed(): number {
    if (this.#changed === undefined) {
      const changed = new Set<number>();
      for (const change of this.#changes) {
        if (change.content !== this.#originalContent(change.piece)) this.#mark(change, changed);
      }
      this.#changed = changed.size;
    }
    return this.#changed;
  }

  /** The parts that differ from the original, in order: old and new text. */
  get differences(): { before: string; after: string }[] {
    return this.#changes
      .map(({ piece, content }) => ({ before: this.#originalContent(piece), after: content }))
      .filter(({ before, after }) => before !== after);
  }

  /**
   * The edits of the original text that make this one, in order. Words and gaps that were edited side by side are one edit, since a word
   * is joined with the next or removed by editing its gap too.
   */
  get edits(): readonly TextEdit[] {
    const { bounds } = this.#original;
    const edits: TextEdit[] = [];
    let lastPiece = Number.NaN;
    for (const { piece, content } of this.#changes) {
      if (content === this.#originalContent(piece)) continue;
      const edit = { start: bounds[piece]!, end: bounds[piece + 1]!, text: content };
      const last = piece === lastPiece + 1 ? edits.pop() : undefined;
      edits.push(last === undefined ? edit : { start: last.start, end: edit.end, text: last.text + content });
      lastPiece = piece;
    }
    return edits;
  }

  /** Slots that an edit changed: those in which this draft differs from another draft of the same original. */
  editedSince(other: Draft): ReadonlySet<number> {
    const since = new Set<number>();
    const differing = (changes: readonly PieceEdit[], than: Draft) => {
      for (const change of changes) if (change.content !== than.#content(change.piece)) this.#mark(change, since);
    };
    differing(this.#changes, other);
    differing(other.#changes, this);
    return since;
  }

  /** Whether both drafts come from the same split of one text, so that equal slots mean equal words. */
  sharesOriginalWith(other: Draft): boolean {
    return this.#original === other.#original;
  }

  /** Offset of slot `at` in `text`, in UTF-16 code units. */
  startOf(at: number): number {
    this.#check(at);
    let start = this.#original.bounds[wordPiece(at)]!;
    for (const { piece, content } of this.#changes) {
      if (piece < wordPiece(at)) start += content.length - this.#originalContent(piece).length;
    }
    return start;
  }

  /**
   * Where a boundary of a span of the original text lies in this text: its start or its end. A boundary within an edited word or gap stays
   * at the part of it that was not edited; without one, the span takes in the whole word and none of the gap.
   */
  carry(offset: number, side: 'start' | 'end'): number {
    const { bounds } = this.#original;
    const piece = this.#pieceAt(offset, side);
    let base = bounds[piece]!;
    for (const change of this.#changes) {
      if (change.piece < piece) base += change.content.length - this.#originalContent(change.piece).length;
    }
    const [before, after] = [this.#originalContent(piece), this.#content(piece)];
    const within = offset - bounds[piece]!;
    return base + (before === after ? within : carryWithin(before, after, within, { side, word: piece % 2 === 1 }));
  }

  /** The piece that a span with a boundary at this offset begins or ends with. */
  #pieceAt(offset: number, side: 'start' | 'end'): number {
    const { bounds } = this.#original;
    const last = bounds.length - 2;
    const before = (end: number): boolean => (side === 'start' ? end <= offset : end < offset);
    let piece = 0;
    while (piece < last && before(bounds[piece + 1]!)) piece++;
    return piece;
  }

  /** This draft with new content in slot `at`. Throws RangeError if there is no such slot. */
  replace(at: number, word: string): Draft {
    this.#check(at);
    return this.#with({ piece: wordPiece(at), content: word, marks: true });
  }

  /** This draft with new content in several slots at once. */
  replaceAll(words: ReadonlyMap<number, string>): Draft {
    const changes = new Map(this.#changes.map((change) => [change.piece, change]));
    for (const [at, word] of words) {
      this.#check(at);
      changes.set(wordPiece(at), { piece: wordPiece(at), content: word, marks: true });
    }
    return new Draft(
      this.#original,
      [...changes.values()].sort((a, b) => a.piece - b.piece),
    );
  }

  /**
   * This draft with slot `at` emptied and the preceding space removed (the following one if no word precedes), so that no double space
   * reveals the deletion.
   */
  remove(at: number): Draft {
    const emptied = this.replace(at, '');
    let leads = true;
    for (let before = 0; before < at && leads; before++) leads = this.word(before) === '';
    // The nearest non-empty piece on that side, beyond words deleted earlier.
    let piece = gapPieceBefore(leads ? at + 1 : at);
    while (emptied.#content(piece) === '' && piece > 0 && piece < gapPieceBefore(this.size)) piece += leads ? 1 : -1;
    const content = emptied.#content(piece);
    if (piece % 2 === 1 || !(leads ? content.startsWith(' ') : content.endsWith(' '))) return emptied;
    return emptied.#with({ piece, content: leads ? content.slice(1) : content.slice(0, -1), marks: false });
  }

  /** This draft with the gap between slots `at` and `at + 1` replaced, to merge or split words. Both slots count as edited. */
  join(at: number, gap: string): Draft {
    this.#check(at);
    this.#check(at + 1);
    return this.withGap(at + 1, gap);
  }

  /** Text between slots `at` and `at + 1`, or after the last slot. */
  gapAfter(at: number): string {
    this.#check(at);
    return this.gapBefore(at + 1);
  }

  /** Text before slot `at`; after the last slot if `at` is `size`. */
  gapBefore(at: number): string {
    if (at !== this.size) this.#check(at);
    return this.#content(gapPieceBefore(at));
  }

  /** This draft with the gap before slot `at` replaced; the slots on either side count as edited. */
  withGap(at: number, gap: string): Draft {
    if (at !== this.size) this.#check(at);
    return this.#with({ piece: gapPieceBefore(at), content: gap, marks: true });
  }

  /** This draft with text before the first character (`start`) or after the last one; no slot counts as edited. */
  surround(start: string, end: string): Draft {
    const led = this.#with({ piece: 0, content: start + this.#content(0), marks: false });
    const last = gapPieceBefore(this.size);
    return led.#with({ piece: last, content: led.#content(last) + end, marks: false });
  }

  #content(piece: number): string {
    for (const change of this.#changes) {
      if (change.piece === piece) return change.content;
      if (change.piece > piece) break;
    }
    return this.#originalContent(piece);
  }

  #originalContent(piece: number): string {
    const { text, bounds } = this.#original;
    return text.slice(bounds[piece], bounds[piece + 1]);
  }

  #mark({ piece, marks }: PieceEdit, slots: Set<number>): void {
    if (piece % 2 === 1) slots.add((piece - 1) / 2);
    else if (marks) for (const slot of [piece / 2 - 1, piece / 2]) if (slot >= 0 && slot < this.size) slots.add(slot);
  }

  #with(change: PieceEdit): Draft {
    const changes: PieceEdit[] = [];
    let due: PieceEdit | undefined = change;
    for (const old of this.#changes) {
      if (due !== undefined && old.piece >= due.piece) {
        changes.push(old.piece === due.piece && old.marks ? { ...due, marks: true } : due);
        due = undefined;
        if (old.piece === change.piece) continue;
      }
      changes.push(old);
    }
    if (due !== undefined) changes.push(due);
    return new Draft(this.#original, changes);
  }

  #check(at: number): void {
    if (!Number.isInteger(at) || at < 0 || at >= this.size) {
      throw new RangeError(`expected a slot from 0 to ${this.size - 1}, got ${at}`);
    }
  }
}
