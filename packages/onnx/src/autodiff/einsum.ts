/** @file The equation of Einsum, as both engines read it. */
import { Unsupported } from './unsupported.js';

/**
 * The index letters of every operand (whose dimensions are given) and of the result. The ellipsis becomes capitals that the equation does
 * not use. Throws Unsupported for a diagonal, and for a dimension of 1 that is broadcast.
 */
export function parseEinsum(
  equation: string,
  dims: readonly (readonly number[])[],
): { readonly terms: readonly string[]; readonly result: string } {
  const [left = '', right] = equation.replaceAll(' ', '').split('->');
  const given = left.split(',');
  const letters = (term: string) => Array.from(term.replace('...', ''));
  const free = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ').filter((letter) => !equation.includes(letter));
  const hidden = given.map((term, i) => (term.includes('...') ? (dims[i]?.length ?? 0) - letters(term).length : 0));
  const width = Math.max(...hidden);
  // Operands align on the ellipsis' last axis.
  const ellipsis = (axes: number) => free.slice(width - axes, width).join('');
  const terms = given.map((term, i) => term.replace('...', ellipsis(hidden[i]!)));
  for (const term of terms) {
    if (new Set(term).size < term.length) throw new Unsupported(`the diagonal "${term}"`);
  }
  const sizes = new Map<string, number>();
  for (const [i, term] of terms.entries()) {
    for (const [axis, letter] of Array.from(term).entries()) {
      const size = dims[i]?.[axis] ?? 0;
      if ((sizes.get(letter) ?? size) !== size) throw new Unsupported(`operands of different sizes along "${letter}"`);
      sizes.set(letter, size);
    }
  }
  const once = Array.from(terms.join('')).filter((letter, _, all) => all.filter((l) => l === letter).length === 1);
  const implied =
    ellipsis(width) +
    once
      .filter((letter) => !free.slice(0, width).includes(letter))
      .sort()
      .join('');
  return { terms, result: right === undefined ? implied : right.replace('...', ellipsis(width)) };
}
