/**
 * @file From the probabilities of tokens to spans, with the strategies of transformers' token classification pipeline: each token by itself
 * (simple), or the tokens of a word as one by their first token, their mean, or their most confident token.
 */
import { must } from '../errors.js';
import { continuesEntity, type TagColumn, type TagScheme } from './scheme.js';
import type { FoundSpan, TaggedUnit, TaggedUnits } from './span.js';

export const AGGREGATIONS = ['simple', 'first', 'average', 'max'] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

/** A token of the text: special tokens are left out. */
export interface TagToken {
  readonly start: number;
  readonly end: number;
  /** It continues the word of the token before. */
  readonly continues: boolean;
  /** Probabilities of the model's labels. */
  readonly row: Float32Array;
}

interface AggregatedToken {
  readonly start: number;
  readonly end: number;
  readonly row: Float32Array;
}

/** Tags of a text. `least`: the minimum score of a span of a type. */
export function decodeTags(
  tokens: readonly TagToken[],
  { types, columns }: TagScheme,
  by: Aggregation,
  least: (type: string) => number = () => 0,
): TaggedUnits {
  const words = by === 'simple' ? tokens : wordsOf(tokens).map((word) => aggregate(word, by));
  const spans: FoundSpan[] = [];
  let group: { readonly from: number; readonly column: TagColumn } | undefined;
  let before: TagColumn | undefined;
  let score = 0;
  const close = (end: number) => {
    if (group === undefined || group.column.type < 0) return;
    const mean = score / (end - group.from);
    const type = must(types[group.column.type]);
    if (mean < least(type)) return;
    spans.push({ start: must(words[group.from]).start, end: must(words[end - 1]).end, type, score: mean });
  };
  words.forEach(({ row }, at) => {
    const best = highest(row);
    const column = must(columns[best]);
    if (before === undefined || !continuesEntity(before, column)) {
      close(at);
      group = { from: at, column };
      score = 0;
    }
    score += must(row[best]);
    before = column;
  });
  close(words.length);
  return { units: words.map((word) => unitOf(word, columns, types.length)), spans };
}

/** Its probabilities by type are summed when they are asked for: a query of one entity asks few words. */
function unitOf({ start, end, row }: AggregatedToken, columns: readonly TagColumn[], types: number): TaggedUnit {
  let sums: Float32Array | undefined;
  return {
    start,
    end,
    get types() {
      sums ??= sumsOf(row, columns, types);
      return sums;
    },
  };
}

function sumsOf(row: Float32Array, columns: readonly TagColumn[], types: number): Float32Array {
  const sums = new Float32Array(types + 1);
  for (let at = 0; at < row.length; at++) {
    const { type } = must(columns[at]);
    const to = type < 0 ? types : type;
    sums[to] = must(sums[to]) + must(row[at]);
  }
  return sums;
}

function wordsOf(tokens: readonly TagToken[]): TagToken[][] {
  const words: TagToken[][] = [];
  for (const token of tokens) {
    const last = token.continues ? words.at(-1) : undefined;
    if (last === undefined) words.push([token]);
    else last.push(token);
  }
  return words;
}

function aggregate(tokens: readonly TagToken[], by: Exclude<Aggregation, 'simple'>): AggregatedToken {
  const [first] = tokens as [TagToken];
  const place = { start: first.start, end: must(tokens.at(-1)).end };
  if (tokens.length === 1 || by === 'first') return { ...place, row: first.row };
  if (by === 'max') {
    const surest = tokens.reduce((best, each) =>
      must(each.row[highest(each.row)]) > must(best.row[highest(best.row)]) ? each : best,
    );
    return { ...place, row: surest.row };
  }
  const row = first.row.map((_, at) => tokens.reduce((sum, each) => sum + must(each.row[at]), 0) / tokens.length);
  return { ...place, row };
}

function highest(row: Float32Array): number {
  let best = 0;
  for (let at = 1; at < row.length; at++) if (must(row[at]) > must(row[best])) best = at;
  return best;
}

/** The spans of tags as data sets write them: one tag for each token, given by its place in the text. Any scheme, with IOB1. */
export function spansOfTags(
  places: readonly { readonly start: number; readonly end: number }[],
  tags: readonly ({ readonly type: string; readonly position: TagColumn['position'] } | undefined)[],
): { start: number; end: number; type: string }[] {
  const names = [...new Set(tags.flatMap((tag) => tag?.type ?? []))];
  const columns = tags.map(
    (tag): TagColumn =>
      tag === undefined ? { type: -1, position: 'unknown' } : { type: names.indexOf(tag.type), position: tag.position },
  );
  const spans: { start: number; end: number; type: string }[] = [];
  columns.forEach((column, at) => {
    if (column.type < 0) return;
    const before = columns[at - 1];
    const { start, end } = must(places[at]);
    if (before !== undefined && continuesEntity(before, column)) must(spans.at(-1)).end = end;
    else spans.push({ start, end, type: must(names[column.type]) });
  });
  return spans;
}
