/**
 * @file Sizes that are not known before a graph runs, and what is computed of them. A symbol is a size of at least 1; a product of symbols
 * and a symbol less one are written out in one way each ("4*texts", "(tokens-1)"), so that equal sizes are equal strings.
 */

/** A number, a symbol, or undefined where the size is not known. */
export type SymbolicDim = number | string | undefined;

/** A number of elements: a coefficient and symbols, sorted. */
interface Factors {
  readonly coefficient: number;
  readonly symbols: readonly string[];
}

const parts = (dim: number | string): Factors => {
  if (typeof dim === 'number') return { coefficient: dim, symbols: [] };
  const factors = dim.split('*');
  const [first = ''] = factors;
  return /^\d+$/.test(first)
    ? { coefficient: Number(first), symbols: factors.slice(1) }
    : { coefficient: 1, symbols: factors };
};

const format = ({ coefficient, symbols }: Factors): number | string =>
  symbols.length === 0 || coefficient === 0
    ? coefficient
    : (coefficient === 1 ? symbols : [coefficient, ...symbols]).join('*');

export function product(dims: readonly SymbolicDim[]): SymbolicDim {
  if (dims.includes(undefined)) return undefined;
  const all = (dims as readonly (number | string)[]).map(parts);
  return format({
    coefficient: all.reduce((whole, { coefficient }) => whole * coefficient, 1),
    symbols: all.flatMap(({ symbols }) => symbols).sort(),
  });
}

/** Undefined where it is not known to come out even. */
export function quotient(dividend: SymbolicDim, divisor: SymbolicDim): SymbolicDim {
  if (dividend === undefined || divisor === undefined) return undefined;
  const [of, by] = [parts(dividend), parts(divisor)];
  if (by.coefficient === 0 || of.coefficient % by.coefficient !== 0) return undefined;
  const left = [...of.symbols];
  for (const symbol of by.symbols) {
    const at = left.indexOf(symbol);
    if (at === -1) return undefined;
    left.splice(at, 1);
  }
  return format({ coefficient: of.coefficient / by.coefficient, symbols: left });
}

/** A symbol less one, or that and one more; other sums are not followed, as they may be below zero. */
export function sum(dim: SymbolicDim, more: number): SymbolicDim {
  if (typeof dim === 'number') return dim + more;
  if (dim === undefined || more === 0) return dim;
  if (more === -1 && /^\w+$/.test(dim)) return `(${dim}-1)`;
  return more === 1 ? /^\((\w+)-1\)$/.exec(dim)?.[1] : undefined;
}
