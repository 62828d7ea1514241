/** @file A text's terms, as scikit-learn's CountVectorizer, TfidfVectorizer and HashingVectorizer take them. */
import type { BagSpec } from '../opening/manifest.js';
import { pythonPattern, SPACE } from './python-pattern.js';

const SPACES = new RegExp(`[${SPACE}]{2,}`, 'gu');
const NOT_SPACE = new RegExp(`[^${SPACE}]+`, 'gu');

/** The way from a text to its terms, repeated ones as often as they occur. Throws SyntaxError for a token pattern. */
export function analyser(spec: BagSpec): (text: string) => string[] {
  const terms = { word: words(spec), char: characters(spec), char_wb: withinWords(spec) }[spec.analyzer];
  return spec.lowercase ? (text) => terms(text.toLowerCase()) : terms;
}

function words({ tokenPattern, stopWords, ngrams: [least, most] }: BagSpec): (text: string) => string[] {
  const pattern = pythonPattern(tokenPattern);
  const groups = (new RegExp(`${pattern.source}|`, pattern.flags.replace('g', '')).exec('')?.length ?? 1) - 1;
  if (groups > 1) throw new SyntaxError(`expected at most one group, got ${groups}`);
  const stops = new Set(stopWords);
  return (text) => {
    const tokens = Array.from(text.matchAll(pattern), (match) => (groups === 1 ? (match[1] ?? '') : match[0]));
    const kept = stops.size === 0 ? tokens : tokens.filter((token) => !stops.has(token));
    return grams(kept, least, most, ' ');
  };
}

function characters({ ngrams: [least, most] }: BagSpec): (text: string) => string[] {
  return (text) => grams(Array.from(text.replace(SPACES, ' ')), least, most, '');
}

/** The n-grams of each word between two spaces; one shorter than the n-gram counts once, as it is. */
function withinWords({ ngrams: [least, most] }: BagSpec): (text: string) => string[] {
  return (text) =>
    (text.match(NOT_SPACE) ?? []).flatMap((word) => {
      const letters = [' ', ...word, ' '];
      return letters.length < least ? [letters.join('')] : grams(letters, least, most, '');
    });
}

function grams(parts: readonly string[], least: number, most: number, between: string): string[] {
  const found: string[] = [];
  for (let n = least; n <= Math.min(most, parts.length); n++) {
    for (let at = 0; at + n <= parts.length; at++) found.push(parts.slice(at, at + n).join(between));
  }
  return found;
}
