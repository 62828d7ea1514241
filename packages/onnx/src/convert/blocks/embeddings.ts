/** @file Initial embedding of a token: the rows of its vocabulary entry, position and type. */
import { DataType } from '../../graph/data-type.js';
import { withBranches } from '../answers.js';
import type { Drawing } from '../drawing.js';
import { places } from './attention.js';

/** Rows of a table by ids, [batch, sequence, width]. */
export function lookUp(d: Drawing, name: string, rows: number, width: number, ids: string): string {
  const table = d.weight(name, [rows, width]);
  return ids === d.ids ? withBranches(d, table, d.g.gather(table, ids)) : d.g.gather(table, ids);
}

/** The first rows of a table, one a token, from `first` on, [sequence, width]; behind those of earlier tokens. */
export function positionRows(d: Drawing, name: string, rows: number, width: number, first = 0): string {
  const { g } = d;
  const table = d.weight(name, [rows, width]);
  if (!d.padded) return g.gather(table, first === 0 ? places(d) : g.add(places(d), g.int(first)));
  const end = first === 0 ? d.length : g.add(d.length, g.ints([first]));
  return g.op('Slice', [table, g.ints([first]), end, g.ints([0])]);
}

/** Types of the tokens; all have the first one if the family's tokenizer returns none. [batch or 1, sequence or 1, width]. */
export function typeRows(d: Drawing, name: string, rows: number, width: number, isInput: boolean): string {
  if (isInput) return lookUp(d, name, rows, width, d.types);
  return d.g.gather(d.weight(name, [rows, width]), d.g.ints([0])); // [1, width]
}

/** Positions counted from `padding` + 1 over the tokens that are no padding, which has `padding` itself: fairseq's, [batch, sequence]. */
export function countedPositions(d: Drawing, padding: number): string {
  return d.once(`positions ${padding}`, () => {
    const { g } = d;
    const isPadding = g.op('Equal', [d.ids, g.int(padding)]);
    const words = g.cast(g.op('Not', [isPadding]), DataType.int64);
    const counted = g.mul(g.op('CumSum', [words, g.int(1)]), words);
    return g.add(counted, g.int(padding));
  });
}

/** Repeats each head of keys or values, [batch, sequence, groups * size], `times` times side by side, for grouped queries. */
export function repeatHeads(
  { g }: Drawing,
  x: string,
  { groups, size, times }: { readonly groups: number; readonly size: number; readonly times: number },
): string {
  if (times === 1) return x;
  const apart = g.reshape(x, [0, 0, groups, 1, size]);
  return g.reshape(g.concat(Array<string>(times).fill(apart), 3), [0, 0, groups * times * size]);
}
