/** @file Whole numbers in words and back: 42 <-> "forty-two". */
const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const SCALES: readonly (readonly [number, string])[] = [
  [1e9, 'billion'],
  [1e6, 'million'],
  [1000, 'thousand'],
  [100, 'hundred'],
];

/** In American words, lower case. Throws RangeError unless `n` is a whole number from 0 to below 10^12. */
export function numberToWords(n: number): string {
  if (!Number.isInteger(n) || n < 0 || n >= 1e12)
    throw new RangeError(`expected a whole number from 0 to below 10^12, got ${n}`);
  if (n < 20) return ONES[n] as string;
  if (n < 100) return (TENS[Math.floor(n / 10)] as string) + (n % 10 === 0 ? '' : `-${ONES[n % 10]}`);
  const [size, name] = SCALES.find(([scale]) => n >= scale) as readonly [number, string];
  const rest = n % size;
  return `${numberToWords(Math.floor(n / size))} ${name}${rest === 0 ? '' : ` ${numberToWords(rest)}`}`;
}

/** The number a phrase spells ("two hundred and five", "Forty-two"), or undefined if it spells none. */
export function wordsToNumber(phrase: string): number | undefined {
  const words = phrase
    .toLowerCase()
    .split(/[\s-]+/)
    .filter((word) => word !== '' && word !== 'and');
  if (words.length === 0) return undefined;
  let total = 0; // thousands and above
  let group = 0; // below a thousand
  for (const word of words) {
    const [one, ten] = [ONES.indexOf(word), TENS.indexOf(word)];
    const scale = SCALES.find(([, name]) => name === word)?.[0];
    if (one >= 0) group += one;
    else if (ten > 1) group += ten * 10;
    else if (scale === 100) group = Math.max(1, group) * 100;
    else if (scale !== undefined) {
      total += Math.max(1, group) * scale;
      group = 0;
    } else return undefined;
  }
  const value = total + group;
  // "two three" adds up to five, but does not spell it.
  return value < 1e12 && numberToWords(value).replaceAll('-', ' ') === words.join(' ') ? value : undefined;
}
