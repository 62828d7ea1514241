/** @file Words that reverse what a statement says, and words whose denial says nearly the same as another word. */
import { lazily } from '../../data-files.js';
import { section, table } from '../data-files.js';
import { verdictOf } from './sentiment-words.js';

const DENIALS = section('negation-words.txt', 'denials');
const phrasesOf = (name: string) =>
  lazily(() => section('negation-words.txt', name).words.map((phrase) => phrase.split(' ')));
const denyingPhrases = phrasesOf('denying phrases');
const idleDenials = phrasesOf('idle denials');
const negatedAdjectives = lazily(() => new Set(table('negated-adjectives.tsv').map(([word]) => word)));
const gradableOpposites = lazily(() => new Map(table('gradable-opposites.tsv') as [string, string][]));

/** Length of the phrase that begins at `at`; 0 if none does. */
const phraseAt = (tokens: readonly string[], at: number, phrases: readonly (readonly string[])[]): number =>
  phrases.find((phrase) => phrase.every((word, i) => tokens[at + i] === word))?.length ?? 0;

/** Indices of denying tokens (lower case): "not", "lacks", "unfunny", "far from"; not in "not only", and once in "neither ... nor". */
export function denialsIn(tokens: readonly string[]): readonly number[] {
  const found: number[] = [];
  let paired = false;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as string;
    const idle = phraseAt(tokens, at, idleDenials());
    if (idle > 0) {
      at += idle - 1;
      continue;
    }
    if (token === 'nor' && paired) continue;
    if (/^[.!?;]$/.test(token)) paired = false;
    if (token === 'neither') paired = true;
    if (DENIALS.has(token) || negatedAdjectives().has(token) || phraseAt(tokens, at, denyingPhrases()) > 0)
      found.push(at);
  }
  return found;
}

/** Do two adjectives give opposite verdicts or lie on opposite ends of a scale? */
export function areContrary(a: string, b: string): boolean {
  const [first, second] = [a.toLowerCase(), b.toLowerCase()];
  if (gradableOpposites().get(first) === second || gradableOpposites().get(second) === first) return true;
  const [mine, theirs] = [verdictOf(first), verdictOf(second)];
  return mine !== undefined && theirs !== undefined && mine.polarity !== theirs.polarity;
}
