/** @file Expands and forms contractions, "don't" <-> "do not", in plain and in tokenised text ("do n't"). */
import type { Draft } from '../../core/draft.js';
import { must } from '../../core/errors.js';
import { lazily } from '../data-files.js';
import { matchCase } from '../match-case.js';
import { table } from './data-files.js';
import { tagDraft } from './tag-draft.js';

const rows = lazily(() => table('contractions.tsv') as [string, string][]);
const expansions = lazily(() => new Map(rows()));
// "is not" has two contractions: "ain't" is listed first, and the later, standard one wins.
const shortened = lazily(() => new Map(rows().map(([short, full]) => [full, short])));

/** "ain't" is ambiguous. */
const expansionOf = (short: string): string | undefined => (short === "ain't" ? undefined : expansions().get(short));

/** Resolves 's and 'd by the next word: "it's been" is "it has been", and "I'd better" is "I had better". */
function resolve(short: string, full: string, next: { word: string; penn: string } | undefined): string {
  const participle = next !== undefined && (next.penn === 'VBN' || next.word === 'been' || next.word === 'got');
  // "it's made of" and "he's gone" are ambiguous; only "been" and "got" are certain.
  if (full.endsWith(' is') && participle && /^(?:been|got)$/.test(next.word)) return full.replace(/ is$/, ' has');
  if (short.endsWith("'d") && next !== undefined && (participle || next.word === 'better'))
    return full.replace(/ would$/, ' had');
  return full;
}

/** Slot `at` with its contraction expanded ("It's" -> "It is"). Undefined if it has none, or if "ain't" or "'s" is ambiguous. */
export function expandContraction(draft: Draft, at: number): Draft | undefined {
  const word = must(draft.words[at]);
  const short = word.toLowerCase().replace('’', "'");
  const full = expansionOf(short);
  const next =
    at + 1 < draft.words.length
      ? { word: must(draft.words[at + 1]).toLowerCase(), penn: tagDraft(draft)[at + 1]?.penn ?? '' }
      : undefined;
  if (full !== undefined) {
    const spelt = resolve(short, full, next).replace(/^i\b/, 'I');
    return draft.replace(at, matchCase(spelt, word === 'I' || /^I['’]/.test(word) ? 'i' : word));
  }
  if (at === 0) return undefined;
  // In tokenised text, "do n't" and "it 's" are two slots each, and the apostrophe of the second is in the gap.
  const clitic = short === "n't" ? short : /^['’]$/.test(draft.gapAfter(at - 1).trim()) ? `'${short}` : undefined;
  const before = must(draft.words[at - 1]);
  const joined = `${before.toLowerCase()}${clitic ?? ' '}`;
  const whole = expansionOf(joined);
  if (whole === undefined) return undefined;
  const spelt = resolve(joined, whole === 'cannot' ? 'can not' : whole, next);
  const [first, second] = spelt.split(' ') as [string, string];
  const split = draft.join(at - 1, ' ').replace(at, matchCase(second, word));
  return first === before.toLowerCase() ? split : split.replace(at - 1, matchCase(first, before));
}

/** Slots `at` and `at + 1` as one contraction ("It is" -> "It's"), the second slot emptied, or undefined. */
export function contract(draft: Draft, at: number): Draft | undefined {
  if (at + 1 >= draft.words.length || draft.gapAfter(at) !== ' ') return undefined;
  const [first, second] = [must(draft.words[at]), must(draft.words[at + 1])];
  const full = `${first} ${second}`.toLowerCase();
  const short = shortened().get(full === 'can not' ? 'cannot' : full);
  // Before a pause nothing contracts: "I know who he is".
  const pause = at + 2 >= draft.words.length || !/^\s*$/.test(draft.gapAfter(at + 1));
  if (short === undefined || (pause && !short.endsWith("n't"))) return undefined;
  return draft.remove(at + 1).replace(at, matchCase(short, first === 'I' ? 'Ii' : first));
}
