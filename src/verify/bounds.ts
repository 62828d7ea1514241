/**
 * @file A proof from the votes of a classifier (src/core/certificate.ts) that no edit of characters changes its prediction, for any character
 * and without classifying an edited text.
 *
 * Let v_i be the votes of window i, y the predicted label, c another one, and D = sum_i (v_iy - v_ic) > 0. Let an edit replace the tokens
 * from s up to e by b tokens, and let T be the windows of the original that contain one of them or, for an insertion, both its neighbours:
 * those with their middle from s - half to e - 1 + half. All other windows contain the same tokens before and after the edit, and so cast the
 * same votes, at whatever position. What replaces the windows of T are |T| + b - (e - s) windows, each with v_y - v_c >= -1. Hence
 *   D' >= D - sum over T of (v_iy - v_ic) - |T| - b + e - s = D - [sum over T of w_i + b - (e - s)],  w_i = v_iy - v_ic + 1 >= 0.
 * For several edits that do not overlap, T is the union of their windows and the lengths add up. If D exceeds the largest such loss for every
 * c, no edit changes the prediction. Windows that reach beyond the text see nothing there, before and after. This is the argument of a bound by
 * bounded local votes (see src/train/architectures/char-cnn.ts). It differs from LipsLev (Abad Rocamora et al., ICLR 2025, section 4), which
 * multiplies Lipschitz constants of the layers: it needs no norms, and it uses the votes of this text.
 *
 * The text must be short enough not to be cut after an edit, and each code point must be one token in any context. Lower-casing
 * breaks that for two letters only: U+0130 becomes two code points, and U+03A3 has two lower cases.
 */
import type { VotedText, WindowVotes } from '../core/certificate.js';
import { graphemesOf } from '../language/character-edits.js';

export interface CharacterBall {
  /** Most edits of a text, which do not overlap. Each inserts, deletes or replaces one character, or swaps two neighbours. */
  readonly edits: 1 | 2;
  /** Characters that an edit may insert, also as a replacement: one code point each. */
  readonly alphabet: readonly string[];
}

/** Allowance for each window's softmax, and for the sum of its vote with the others, in single precision. */
const ROUNDING = 1e-4;
/** Relative error of a sum in single precision for each of its terms, with a margin. */
const SUM_ROUNDING = 2 ** -22;

/** Allowance for as many windows, besides the errors of their votes. */
export const roundingOf = (windows: number): number => Math.max(ROUNDING, SUM_ROUNDING * windows) * windows;

/** Whether a bound proves that no text of the ball is given another label than `label`. False proves nothing. */
export function withstands(
  text: string,
  label: number,
  { edits, alphabet }: CharacterBall,
  model: WindowVotes,
): boolean {
  if (model.reads !== 'characters') return false;
  if (!isPlain(text) || !alphabet.every((each) => [...each].length === 1 && isPlain(each))) return false;
  const tokens = [...text].length + SPECIAL;
  if (tokens + edits > model.maximum) return false;
  const voted = model.votes(model.tokens(text));
  // Another count of tokens would contradict what the proof assumes.
  if (voted.values.length !== tokens * voted.labels) return false;
  const touched = touchedWindows(text, voted.half, tokens);
  for (let other = 0; other < voted.labels; other++) {
    if (other === label) continue;
    const lead = new Lead(voted, label, other);
    if (!(lead.sum - lead.largestLoss(touched, edits) > roundingOf(tokens + edits))) return false;
  }
  return true;
}

/** The tokens before and after a text. */
export const SPECIAL = 2;

/** Whether lower-casing maps each code point to one, whatever its neighbours are. */
export const isPlain = (text: string): boolean => !/[\u0130\u03A3\p{Surrogate}]/u.test(text);

/** The windows that an edit touches, from the first up to but excluding the last, and by how many tokens the text grows. */
interface Touched {
  readonly from: number;
  readonly to: number;
  readonly growth: number;
}

/** The edits of a text, without those that another one dominates: a deletion loses no more than a replacement in its place. */
function touchedWindows(text: string, half: number, tokens: number): Touched[] {
  const sizes = graphemesOf(text).map((letter) => [...letter].length);
  const touched: Touched[] = [];
  const add = (start: number, end: number, growth: number): void => {
    touched.push({ from: Math.max(0, start - half), to: Math.min(tokens, end + half), growth });
  };
  let start = 1;
  for (const [at, size] of sizes.entries()) {
    add(start, start, 1);
    add(start, start + size, 1 - size);
    const next = sizes[at + 1];
    if (next !== undefined) add(start, start + size + next, 0);
    start += size;
  }
  add(start, start, 1);
  return touched;
}

/** The lead of one label over another in the votes on a text. */
class Lead {
  /** A lower bound: less the rounding errors of the votes. */
  readonly sum: number;
  /** Sums of w over the windows before each one. */
  readonly #before: Float64Array;

  constructor({ labels, values, errors }: VotedText, label: number, other: number) {
    const windows = values.length / labels;
    this.#before = new Float64Array(windows + 1);
    for (let at = 0; at < windows; at++) {
      const lead = (values[at * labels + label] as number) - (values[at * labels + other] as number);
      this.#before[at + 1] = (this.#before[at] as number) + lead + 1;
    }
    this.sum = errors.reduce((sum, error) => sum - error, (this.#before[windows] as number) - windows);
  }

  /** The most that one edit, or two, can take from the sum. */
  largestLoss(touched: readonly Touched[], edits: 1 | 2): number {
    const losses = touched.map((each) => this.#between(each.from, each.to) + each.growth);
    let largest = 0;
    for (const [at, first] of touched.entries()) {
      const loss = losses[at] as number;
      largest = Math.max(largest, loss);
      if (edits === 1) continue;
      for (let other = 0; other <= at; other++) {
        const second = touched[other] as Touched;
        const shared = this.#between(Math.max(first.from, second.from), Math.min(first.to, second.to));
        largest = Math.max(largest, loss + (losses[other] as number) - shared);
      }
    }
    return largest;
  }

  #between(from: number, to: number): number {
    return to <= from ? 0 : (this.#before[to] as number) - (this.#before[from] as number);
  }
}
