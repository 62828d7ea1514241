/** @file The tag of each token that a model learns, and how well it tags the texts that choose the weights. */
import type { Example } from '../core/dataset.js';
import { must } from '../core/errors.js';
import { columnOf, continuesEntity, type TagScheme, tagScheme } from '../core/tags/scheme.js';
import { overlaps, type TagSpan } from '../core/tags/span.js';
import type { Encoder } from '../model/tokens/encoder.js';
import { textTokens } from '../model/tokens/text-tokens.js';

/** A token that is not learnt: a special one, or one that continues a word. */
export const NOT_LEARNT = -1;

export const schemeOf = (labels: readonly string[]): TagScheme => {
  const scheme = tagScheme(labels);
  if (scheme === undefined) throw new RangeError(`expected tags, got ${labels.join(', ')}`);
  return scheme;
};

/**
 * The column that each token should have, as many as the encoder gives ids. Only the first token of a word is learnt, as in transformers'
 * examples (`label_all_tokens=False`): the others have NOT_LEARNT.
 */
export function tagTargets(
  encoder: Pick<Encoder, 'tokens' | 'continues'>,
  scheme: TagScheme,
  { text, entities = [] }: Pick<Example, 'text' | 'entities'>,
): Int32Array {
  const tokens = encoder.tokens(text);
  const targets = new Int32Array(tokens.length).fill(NOT_LEARNT);
  const words = textTokens(text, tokens, encoder).filter(({ continues }) => !continues);
  const spans = words.map((word) => entities.find((entity) => overlaps(entity, word)));
  words.forEach(({ at }, word) => {
    targets[at] = columnOf(scheme, typeOf(scheme, spans[word]), positionIn(spans, word));
  });
  return targets;
}

const typeOf = ({ types }: TagScheme, span: TagSpan | undefined): number =>
  span === undefined ? -1 : types.indexOf(span.type);

function positionIn(spans: readonly (TagSpan | undefined)[], at: number) {
  const [first, last] = [spans[at - 1] !== spans[at], spans[at + 1] !== spans[at]];
  if (first) return last ? 'alone' : 'begins';
  return last ? 'ends' : 'inside';
}

/** F1 of entities over the words that are learnt: type, start and end agree, as in the strict mode of seqeval. */
export class EntityScore {
  readonly #scheme: TagScheme;
  #true = 0;
  #found = 0;
  #both = 0;
  #right = 0;
  #words = 0;

  constructor(scheme: TagScheme) {
    this.#scheme = scheme;
  }

  /** Columns of the words of a text, as they are and as the model has them. */
  add(truth: readonly number[], predicted: readonly number[]): void {
    const [wanted, found] = [this.#entities(truth), this.#entities(predicted)];
    this.#true += wanted.size;
    this.#found += found.size;
    for (const entity of found) if (wanted.has(entity)) this.#both++;
    this.#words += truth.length;
    for (const [at, column] of truth.entries()) if (predicted[at] === column) this.#right++;
  }

  get f1(): number {
    return this.#both === 0 ? 0 : (2 * this.#both) / (this.#true + this.#found);
  }

  /** Share of the words with the true tag. */
  get accuracy(): number {
    return this.#words === 0 ? 0 : this.#right / this.#words;
  }

  /** Start, end and type of each. */
  #entities(columns: readonly number[]): Set<string> {
    const tags = columns.map((column) => must(this.#scheme.columns[column]));
    const found = new Set<string>();
    let start = 0;
    tags.forEach((tag, at) => {
      if (at > 0 && !continuesEntity(must(tags[at - 1]), tag)) start = at;
      const next = tags[at + 1];
      if (tag.type >= 0 && (next === undefined || !continuesEntity(tag, next))) found.add(`${start} ${at} ${tag.type}`);
    });
    return found;
  }
}

/** Columns of the words of a text by its rows of logits, row-major [tokens, columns]; `targets`: of its tokens. */
export function wordColumns(
  rows: Float32Array,
  targets: Int32Array,
  columns: number,
): { readonly truth: number[]; readonly predicted: number[] } {
  const [truth, predicted]: [number[], number[]] = [[], []];
  targets.forEach((column, at) => {
    if (column === NOT_LEARNT) return;
    const row = rows.subarray(at * columns, (at + 1) * columns);
    truth.push(column);
    predicted.push(row.indexOf(Math.max(...row)));
  });
  return { truth, predicted };
}
