/** @file Whole numbers in words and back: 42 <-> "forty-two". */
import { lazily } from '../data-files.js';
import { table } from './data-files.js';

const words = lazily(() => {
  const values = new Map(table('number-words.tsv').map(([value, word = '']) => [Number(value), word]));
  return {
    word: (value: number): string => values.get(value)!,
    value: new Map(Array.from(values, ([value, word]) => [word, value])),
    /** Largest first. */
    scales: [...values].filter(([value]) => value >= 100).reverse(),
  };
});

/** In American words, lower case. Throws RangeError unless `n` is a whole number from 0 to below 10^12. */
export function numberToWords(n: number): string {
  if (!Number.isInteger(n) || n < 0 || n >= 1e12)
    throw new RangeError(`expected a whole number from 0 to below 10^12, got ${n}`);
  const { word, scales } = words();
  if (n < 20) return word(n);
  if (n < 100) return word(n - (n % 10)) + (n % 10 === 0 ? '' : `-${word(n % 10)}`);
  const [size, name] = scales.find(([scale]) => n >= scale) as readonly [number, string];
  const rest = n % size;
  return `${numberToWords(Math.floor(n / size))} ${name}${rest === 0 ? '' : ` ${numberToWords(rest)}`}`;
}

/** The number that a phrase spells ("two hundred and five", "Forty-two"), or undefined if it spells none. */
export function wordsToNumber(phrase: string): number | undefined {
  const parts = phrase
    .toLowerCase()
    .split(/[\s-]+/)
    .filter((word) => word !== '' && word !== 'and');
  if (parts.length === 0) return undefined;
  let total = 0; // thousands and above
  let group = 0; // below a thousand
  for (const part of parts) {
    const value = words().value.get(part);
    if (value === undefined) return undefined;
    if (value < 100) group += value;
    else if (value === 100) group = Math.max(1, group) * 100;
    else {
      total += Math.max(1, group) * value;
      group = 0;
    }
  }
  const value = total + group;
  // "two three" adds up to five, but does not spell it.
  return value < 1e12 && numberToWords(value).replaceAll('-', ' ') === parts.join(' ') ? value : undefined;
}
