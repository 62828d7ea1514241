/**
 * @file MaxMatch-Dropout (Hiraoka, "MaxMatch-Dropout: Subword Regularization for WordPiece", COLING 2022): while a word
 * is matched against the vocabulary, longest piece first, each match is skipped with some probability, so that a text
 * is split differently every epoch and rare pieces get practice.
 */
import type { Random } from '../core/random.js';
import { CONTINUING } from './vocabulary.js';

/** Splits tokenised texts differently. Works on ids, because the pieces of a word spell it. */
export class PieceDropout {
  readonly #pieces: readonly string[];
  readonly #ids: ReadonlyMap<string, number>;
  readonly #longest: number;

  /** The vocabulary in id order. */
  constructor(vocabulary: readonly string[]) {
    this.#pieces = vocabulary;
    this.#ids = new Map(vocabulary.map((piece, id) => [piece, id]));
    this.#longest = vocabulary.reduce((most, piece) => Math.max(most, piece.length), 0);
  }

  /**
   * The ids of another split of the same words, at most `maxTokens` of them (else the ids as they came). Each match of
   * more than one character is skipped with probability `rate`; a word that finds no split stays as it was.
   */
  resplit(ids: Int32Array, rate: number, maxTokens: number, random: Random): Int32Array {
    const out: number[] = [];
    for (let from = 0; from < ids.length; ) {
      let to = from + 1;
      while (to < ids.length && this.#continues(ids[to]!)) to++;
      const before = ids.subarray(from, to);
      const word = Array.from(before, (id, at) => this.#spelling(id, at)).join('');
      out.push(...(word.startsWith('[') ? before : (this.#split(word, rate, random) ?? before)));
      from = to;
    }
    return out.length > maxTokens ? ids : Int32Array.from(out);
  }

  #continues(id: number): boolean {
    return this.#pieces[id]?.startsWith(CONTINUING) ?? false;
  }

  #spelling(id: number, at: number): string {
    const piece = this.#pieces[id]!;
    return at === 0 ? piece : piece.slice(CONTINUING.length);
  }

  #split(word: string, rate: number, random: Random): number[] | undefined {
    const out: number[] = [];
    for (let start = 0; start < word.length; ) {
      let found: number | undefined;
      let end = Math.min(word.length, start + this.#longest);
      for (; end > start; end--) {
        const piece = word.slice(start, end);
        const id = this.#ids.get(start === 0 ? piece : CONTINUING + piece);
        if (id === undefined || (end - start > 1 && random.unit() < rate)) continue;
        found = id;
        break;
      }
      if (found === undefined) return undefined;
      out.push(found);
      start = end;
    }
    return out;
  }
}
