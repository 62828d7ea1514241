/** @file A causal language model that is asked about a text: one score for each answer, the log-probability of its spellings. */
import { DataType } from '../graph/data-type.js';
import type { Drawing } from './drawing.js';
import type { Family } from './family.js';

/** The token ids of each spelling of each answer. */
export type Spellings = readonly (readonly (readonly number[])[])[];

/** Token ids added behind a text: each spelling without its last token. They see the text, and only their own spelling. */
export const branchesOf = (answers: Spellings): readonly (readonly number[])[] =>
  answers.flat().map((spelling) => spelling.slice(0, -1));

/** Log-probability of each answer, [batch, answers], from the hidden states of a text and of the branches behind it. */
export function answerScores(d: Drawing, hidden: string, family: Family, answers: Spellings): string {
  const { g, config } = d;
  const added = branchesOf(answers).flat().length;
  // The last token of the text predicts the first of each spelling.
  const rows = g.slice(hidden, 1, -(added + 1));
  const logs = g.op('LogSoftmax', [family.causal!(d, rows)], { axis: -1 });
  const flat = g.reshape(logs, [0, -1]);
  const vocabulary = config.size('vocab_size');
  const spellings = answers.flat();
  const places: number[] = [];
  const owners: number[] = [];
  let row = 1;
  for (const [at, spelling] of spellings.entries()) {
    for (const [token, id] of spelling.entries()) {
      places.push((token === 0 ? 0 : row++) * vocabulary + id);
      owners.push(at);
    }
  }
  const picked = g.op('Gather', [flat, g.ints(places)], { axis: 1 });
  const sums = new Float32Array(places.length * spellings.length);
  for (const [at, owner] of owners.entries()) sums[at * spellings.length + owner] = 1;
  const each = g.matmul(picked, g.initializer('spellings', [places.length, spellings.length], sums));
  const sizes = answers.map(({ length }) => length);
  const parts = sizes.length === 1 ? [each] : g.split(each, sizes, 1);
  return g.concat(
    parts.map((part, at) => (sizes[at] === 1 ? part : logSum(d, part))),
    1,
  );
}

/**
 * The logarithm of the sum of exponentials, [batch, 1]. Not by Log: onnxruntime computes several logarithms by other steps than one, so that
 * an answer's bits would depend on the batch.
 */
function logSum({ g }: Drawing, x: string): string {
  const largest = (y: string) => g.reduce('ReduceMax', y, [1]);
  return g.sub(largest(x), largest(g.op('LogSoftmax', [x], { axis: -1 })));
}

/** The branch of each token, -1 for those of the text, [all]. */
export function branchOf(d: Drawing, textPlaces: string): string {
  const { g, branches = [] } = d;
  const owners = branches.flatMap((branch, at) => branch.map(() => at));
  const none = g.sub(g.mul(textPlaces, g.int(0)), g.int(1));
  return owners.length === 0 ? none : g.concat([none, g.ints(owners)], 0);
}

/** Rows of a table for the tokens of a text and of the branches behind it, [batch, all, width]. */
export function withBranches(d: Drawing, table: string, words: string): string {
  const { g, branches = [] } = d;
  const ids = branches.flat();
  if (ids.length === 0) return words;
  const rows = g.unsqueeze(g.gather(table, g.ints(ids)), [0]);
  const shape = g.concat([g.size(words, 0), g.ints([1, 1])], 0);
  return g.concat([words, g.expand(rows, shape)], 1);
}

/** Places of the tokens of a text and of the branches behind it, [all]. */
export function branchPlaces(d: Drawing, textPlaces: string, end: string): string {
  const { g, branches = [] } = d;
  const steps = branches.flatMap((branch) => branch.map((_, step) => step));
  if (steps.length === 0) return textPlaces;
  return g.concat([textPlaces, g.add(g.cast(end, DataType.int64), g.ints(steps))], 0);
}
