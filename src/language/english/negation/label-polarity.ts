import type { Polarity } from '../../../core/negation.js';
import { section } from '../data-files.js';

const POSITIVE = section('negation-words.txt', 'positive labels');
const NEGATIVE = section('negation-words.txt', 'negative labels');
const BETWEEN = section('negation-words.txt', 'labels between');
const DEGREES = section('negation-words.txt', 'degrees of labels');

/** "Very Negative" and "very-negative" -> "very negative". */
const nameOf = (label: string): string =>
  label
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();

function polarityOf(name: string): Polarity | undefined {
  const [first = '', ...rest] = name.split(' ');
  const verdict = DEGREES.has(first) ? rest.join(' ') : name;
  return POSITIVE.has(verdict) ? 'positive' : NEGATIVE.has(verdict) ? 'negative' : undefined;
}

/** Sentiment of each label, undefined for a neutral one. Undefined as a whole if the names are ambiguous, such as "0" and "1". */
export function labelPolarities(labels: readonly string[]): readonly (Polarity | undefined)[] | undefined {
  const names = labels.map(nameOf);
  const polarities = names.map(polarityOf);
  const known = names.every((name, at) => polarities[at] !== undefined || BETWEEN.has(name));
  return known && polarities.includes('positive') && polarities.includes('negative') ? polarities : undefined;
}
