/** @file Keys and values of texts, kept for texts that begin alike. The one used longest ago goes first. */
import { sharedTokens } from '../tokens/encoder.js';

/** Keys and values of a text's tokens. */
export interface Beginning {
  /** All tokens, those of the prompt included. */
  readonly ids: Int32Array;
  /** Tokens of the prompt among them, whose keys and values lie elsewhere. */
  readonly from: number;
  /** The other ones' keys and values, layer by layer, [heads, tokens, size] each. */
  readonly parts: readonly Float32Array[];
}

/** Texts kept, at most: they are compared one by one. */
const MOST_TEXTS = 256;

export class Beginnings {
  readonly #room: number;
  /** In the order of their last use. */
  readonly #kept = new Set<Beginning>();
  #bytes = 0;

  /** `room`: bytes of keys and values. */
  constructor(room: number) {
    this.#room = room;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The text that shares most tokens with `ids` from the first on, as many, and their number; behind a prompt of `from` tokens. */
  longest(ids: Int32Array, from: number): { readonly base: Beginning | undefined; readonly shared: number } {
    let [base, shared]: [Beginning | undefined, number] = [undefined, from];
    for (const kept of this.#kept) {
      if (kept.from !== from) continue;
      const both = sharedTokens(kept.ids, ids);
      if (both > shared) [base, shared] = [kept, both];
    }
    if (base !== undefined) {
      this.#kept.delete(base);
      this.#kept.add(base);
    }
    return { base, shared };
  }

  /** Keeps a text, unless it alone fills the room. */
  keep(text: Beginning): void {
    const bytes = bytesOf(text);
    if (bytes > this.#room) return;
    this.#kept.add(text);
    this.#bytes += bytes;
    for (const oldest of this.#kept) {
      if (this.#bytes <= this.#room && this.#kept.size <= MOST_TEXTS) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytesOf(oldest);
    }
  }
}

const bytesOf = ({ parts }: Beginning): number => parts.reduce((sum, part) => sum + part.byteLength, 0);
