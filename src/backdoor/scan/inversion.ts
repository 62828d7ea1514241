/**
 * @file Trigger inversion: a trigger of several tokens is sought as a mixture of the vocabulary that gradient descent can move, and
 * made discrete on the way. Each place holds a softmax over the vocabulary; a temperature falls while the loss is low, and rises again,
 * with noise, where that gets stuck (DBS: Shen et al., ICML 2022, section 4; https://arxiv.org/abs/2202.05749). What it ends in is
 * read as words and tried as text, as only words count (PICCOLO: Liu et al., S&P 2022, section 4).
 *
 * Differs: the reference code multiplies the temperature by the factor meant for cooling when it warms up; here each has its own, 2 in
 * the paper. Fewer steps, as the sweep has found single words already.
 */
import { argmax } from '../../core/argmax.js';
import type { EmbeddingGradient, Token, WhiteBox } from '../../core/classifier.js';
import { must } from '../../core/errors.js';
import type { Random } from '../../core/random.js';
import { softmax } from '../../core/statistics/softmax.js';
import { type AdamMoments, adamStep } from '../../train/adamw.js';
import type { ShouldContinue } from './clock.js';

export interface InversionOptions {
  /** Tokens of the trigger. @default 4 */
  readonly length: number;
  /** Steps of Adam. @default 80 */
  readonly steps: number;
  /** Words that the trigger may consist of. @default all */
  readonly allows?: (word: string) => boolean;
}

/** Step size of Adam on the scores (DBS: 0.5), the highest temperature, and the factor of cooling and warming. */
const [RATE, HOTTEST, FACTOR] = [0.5, 2, 2];
/** Steps between two looks at the loss, the loss that lets the temperature fall, and the size of the noise that frees it. */
const [LOOK, BARRIER, NOISE] = [5, 0.1, 10];
/** The most times it may warm up again from one temperature (DBS: "rollback" 5). */
const ROLLBACK = 5;

/** A text's tokens and embeddings, and before which token the trigger goes. */
interface Site {
  readonly tokens: readonly Token[];
  readonly embeddings: Float32Array;
  readonly at: number;
}

/**
 * The texts with a place for `room` tokens in each, between two words. No text gets longer by them than the longest is now, which
 * the model can take: where they would not fit, tokens far from the place make way.
 */
export async function sitesOf(
  model: WhiteBox,
  texts: readonly string[],
  room: number,
  random: Random,
): Promise<Site[]> {
  const answers = await Promise.all(texts.map((text) => model.gradient(text, 0)));
  const longest = Math.max(...answers.map(({ tokens }) => tokens.length));
  return answers.map(({ tokens, embeddings }: EmbeddingGradient, i) => {
    const gaps = tokens.flatMap((token, at) =>
      !token.special && (token.start === 0 || /\s/.test(texts[i]?.[token.start - 1] ?? '')) ? [at] : [],
    );
    const at = gaps.length > 0 ? random.split(String(i)).pick(gaps) : tokens.length;
    return shorten({ tokens, embeddings, at }, tokens.length + room - longest, model.hidden);
  });
}

/** Without the `excess` tokens furthest from the place; special ones stay. */
function shorten({ tokens, embeddings, at }: Site, excess: number, hidden: number): Site {
  const furthest = tokens
    .flatMap((token, i) => (token.special ? [] : [i]))
    .sort((a, b) => Math.abs(b - at) - Math.abs(a - at))
    .slice(0, Math.max(0, excess));
  const gone = new Set(furthest);
  const kept = [...tokens.keys()].filter((i) => !gone.has(i));
  const rows = new Float32Array(kept.length * hidden);
  kept.forEach((i, row) => {
    rows.set(embeddings.subarray(i * hidden, (i + 1) * hidden), row * hidden);
  });
  const before = furthest.filter((i) => i < at).length;
  return { tokens: kept.map((i) => must(tokens[i])), embeddings: rows, at: at - before };
}

/** A trigger as text, and the loss it ended with. Undefined where the clock ran out first. */
export interface InvertedTrigger {
  readonly text: string;
  readonly loss: number;
}

/** Seeks a trigger that turns the texts into `target`. O(steps * length * vocabulary * hidden), and a gradient a text and step. */
export async function invert(
  model: WhiteBox,
  sites: readonly Site[],
  target: number,
  { length, steps, allows = () => true }: InversionOptions,
  random: Random,
  going: ShouldContinue,
): Promise<InvertedTrigger | undefined> {
  const { hidden } = model;
  const table = await model.embeddingTable();
  const ids = usable(model, table.length / hidden, allows);
  if (ids.length === 0) return undefined;
  const scores = Array.from({ length }, () => Float64Array.from(ids, () => 0.1 * random.normal()));
  const moments = scores.map((of) => ({ first: new Float64Array(of.length), second: new Float64Array(of.length) }));
  const heat = new Temperature(steps);
  let best: { ids: number[]; loss: number } | undefined;
  for (let step = 0; step < steps; step++) {
    if (!going(step)) return undefined;
    const shares = scores.map((of) => {
      const share = of.slice();
      softmax(share, heat.now);
      return share;
    });
    const rows = shares.map((share) => mixture(share, ids, table, hidden));
    const { loss, slopes } = await descent(model, sites, rows, target);
    const argmaxes = shares.map((share) => ids[argmax(share)]!);
    if (best === undefined || loss <= best.loss || heat.now < HOTTEST / 8) best = { ids: argmaxes, loss };
    for (let place = 0; place < length; place++) {
      const slope = must(slopes[place]);
      const towards = Float64Array.from(ids, (id) => product(slope, table, id * hidden));
      const gradient = throughSoftmax(shares[place] as Float64Array, towards, heat.now);
      adamStep(scores[place] as Float64Array, gradient, moments[place] as AdamMoments, step + 1, RATE);
    }
    if ((step + 1) % LOOK === 0 && heat.adjust(loss, step)) addNoise(scores, heat.now, random);
  }
  if (best === undefined) return undefined;
  return { text: asText(best.ids, model), loss: best.loss };
}

/** dL/d(score): share (dL/d(share) - its mean) / temperature. */
function throughSoftmax(share: Float64Array, towards: Float64Array, temperature: number): Float64Array {
  const mean = share.reduce((sum, s, k) => sum + s * towards[k]!, 0);
  return share.map((s, k) => (s * (towards[k]! - mean)) / temperature);
}

/** The temperature: it falls while the loss is low, and rises again when that gets stuck. */
class Temperature {
  now = HOTTEST;
  #warmed = 0;
  readonly #steps: number;

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Returns whether it rose. */
  adjust(loss: number, step: number): boolean {
    if (loss < BARRIER) {
      this.now /= FACTOR;
      this.#warmed = 0;
    } else if (this.#warmed < ROLLBACK && this.now < HOTTEST) {
      this.now = Math.min(HOTTEST, this.now * FACTOR);
      this.#warmed++;
      return true;
    } else if (this.now === HOTTEST && step > this.#steps / 2) {
      // The loss is high even for a mixture: cool anyway, so that the end is words.
      this.now /= FACTOR;
    }
    return false;
  }
}

function addNoise(scores: readonly Float64Array[], temperature: number, random: Random): void {
  for (const of of scores)
    for (let k = 0; k < of.length; k++) of[k]! += NOISE * temperature * (random.unit() - 0.5) * 0.1;
}

/** Ids that can be part of a text. */
const usable = (model: WhiteBox, rows: number, allows: (word: string) => boolean): Int32Array =>
  Int32Array.from(
    Array.from({ length: rows }, (_, id) => id).filter((id) => {
      const word = model.tokenText(id) ?? '';
      return /[\p{L}\p{N}]/u.test(word) && allows(word.trim());
    }),
  );

/** Mean loss over the texts, and its slope by each of the trigger's rows. */
async function descent(
  model: WhiteBox,
  sites: readonly Site[],
  rows: readonly Float32Array[],
  target: number,
): Promise<{ loss: number; slopes: Float64Array[] }> {
  const { hidden } = model;
  const answers = await Promise.all(
    sites.map(({ tokens, embeddings, at }) => {
      const stand = (tokens.find(({ special }) => !special) ?? tokens[0]) as Token;
      const wider = new Float32Array(embeddings.length + rows.length * hidden);
      wider.set(embeddings.subarray(0, at * hidden));
      rows.forEach((row, place) => {
        wider.set(row, (at + place) * hidden);
      });
      wider.set(embeddings.subarray(at * hidden), (at + rows.length) * hidden);
      return model.gradientAt(wider, [...tokens.slice(0, at), ...rows.map(() => stand), ...tokens.slice(at)], target);
    }),
  );
  const slopes = rows.map(() => new Float64Array(hidden));
  let loss = 0;
  answers.forEach(({ loss: own, values }, site) => {
    loss += own / sites.length;
    const at = must(sites[site]).at;
    slopes.forEach((slope, place) => {
      for (let k = 0; k < hidden; k++) slope[k]! += values[(at + place) * hidden + k]! / sites.length;
    });
  });
  return { loss, slopes };
}

/** Sum of share times row; shares that round to nothing are passed over. */
function mixture(share: Float64Array, ids: Int32Array, table: Float32Array, hidden: number): Float32Array {
  const row = new Float32Array(hidden);
  for (let at = 0; at < ids.length; at++) {
    const weight = share[at]!;
    if (weight < 1e-7) continue;
    for (let k = 0, from = ids[at]! * hidden; k < hidden; k++) row[k]! += weight * table[from + k]!;
  }
  return row;
}

function product(slope: Float64Array, table: Float32Array, from: number): number {
  let sum = 0;
  for (let k = 0; k < slope.length; k++) sum += slope[k]! * table[from + k]!;
  return sum;
}

/** Tokens as a text: pieces that continue a word are joined to the previous one. */
function asText(ids: readonly number[], model: WhiteBox): string {
  const texts = ids.map((id) => model.tokenText(id) ?? '');
  return texts
    .map((text) => (text.startsWith('##') ? text.slice(2) : ` ${text.trim()}`))
    .join('')
    .trim();
}
