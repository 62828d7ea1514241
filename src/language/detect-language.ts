/** @file Which language are these texts in? Text by text: by the script of its letters, then by its stop words. */
import { wordsOf } from '../core/draft.js';
import type { Language } from '../core/language.js';
import { PLACEHOLDER } from '../core/placeholder.js';
import { lazily, wordList } from './data-files.js';

/** Script -> the language that it alone gives away, where there is one. */
const SCRIPTS = {
  Latin: undefined,
  Cyrillic: undefined,
  Arabic: undefined,
  Devanagari: undefined,
  Han: 'zh',
  Kana: 'ja',
  Hangul: 'ko',
  Thai: 'th',
  Greek: 'el',
  Hebrew: 'he',
} as const satisfies Record<string, string | undefined>;

type Script = keyof typeof SCRIPTS;

const PATTERNS = {
  Latin: /\p{Script=Latin}/gu,
  Cyrillic: /\p{Script=Cyrillic}/gu,
  Arabic: /\p{Script=Arabic}/gu,
  Devanagari: /\p{Script=Devanagari}/gu,
  Han: /\p{Script=Han}/gu,
  Kana: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  Hangul: /\p{Script=Hangul}/gu,
  Thai: /\p{Script=Thai}/gu,
  Greek: /\p{Script=Greek}/gu,
  Hebrew: /\p{Script=Hebrew}/gu,
} as const satisfies Record<Script, RegExp>;

/** Of the letters, the share that one script must have. Latin names and words stand in texts of every language. */
const MAIN_SHARE = 0.6;
/** Kana stand between the Han characters of Japanese: more than a tenth in any text, and in Chinese none. */
const KANA_SHARE = 0.1;
/** Of the words, the share of stop words that texts of the language have at least. Measured on SIB-200: 21 to 55 % in its own, at most 12 % in another. */
const STOP_SHARE = 0.15;
/** The same where next to no text speaks for another language: short texts have few. */
const LOW_STOP_SHARE = 0.08;
/** The same of Arabic, whose letters tell it from Persian and Urdu: dialects and tweets have few of its stop words. */
const ARABIC_STOP_SHARE = 0.03;
/** Of the texts that speak for a language, the share that must speak for the same one. */
const VOTE_SHARE = 0.6;
const CLEAR_VOTE_SHARE = 0.9;
const CLEAR_VOTES = 10;

/** Letters that no other language that is known here has in this script. */
const FOREIGN: Partial<Record<Script, readonly (readonly [string, RegExp])[]>> = {
  Arabic: [
    ['ur', /[ٹڈڑےںہ]/u],
    ['fa', /[پچژگکی]/u],
  ],
  Cyrillic: [
    ['uk', /[іїєґ]/iu],
    ['be', /ў/iu],
    ['sr', /[ћђџјљњ]/iu],
  ],
};

const romanisedHindi = lazily(() => new Set(wordList('romanised-hindi.txt')));

/** How sure it is: shares of the texts. */
interface Shares {
  /** Nothing in them tells: too short, no stop word, several scripts. */
  readonly unsure: number;
  /** They look like another language. */
  readonly others: number;
}

export type DetectedLanguage =
  | ({ readonly code: string } & Shares)
  /** No language has enough of its stop words in them; `like`: the one with most of the texts, where there is one. */
  | { readonly unknown: Script; readonly like?: string }
  /** The languages with most texts, or else the scripts with most letters, and their shares. */
  | { readonly mixed: readonly (readonly [string, number])[] };

interface Vote {
  readonly code: string;
  /** By letters alone: stop words need not bear it out. */
  readonly certain: boolean;
}

/**
 * The language of the texts among `languages`, or another one that its letters give away, or `hi-latn`. Each text is judged by itself, without
 * addresses, mentions and other placeholders; the language of most of those that tell is borne out by the stop words of all that do not contradict it.
 */
export function detectLanguage(texts: readonly string[], languages: readonly Language[]): DetectedLanguage {
  const cleaned = texts.map((text) => text.replace(PLACEHOLDER, ' '));
  const candidates = [
    ...languages.map(({ code, stopWords }) => ({ code, stopWords })),
    { code: 'hi-latn', stopWords: romanisedHindi() },
  ];
  const votes = cleaned.map((text) => voteOf(text, candidates));
  const tally = new Map<string, number>();
  for (const vote of votes) if (vote) tally.set(vote.code, (tally.get(vote.code) ?? 0) + 1);
  const ranked = [...tally].toSorted((a, b) => b[1] - a[1]);
  const scripts = scriptShares(cleaned.join('\n'));
  const [main, mainShare] = scripts[0] as (typeof scripts)[number];
  const [best] = ranked;
  if (best === undefined) {
    return mainShare < MAIN_SHARE ? { mixed: scripts.filter(([, of]) => of > 0).slice(0, 3) } : { unknown: main };
  }
  const [code, count] = best;
  const decided = ranked.reduce((sum, [, of]) => sum + of, 0);
  const share = count / decided;
  const own = cleaned.filter((_, at) => votes[at] === undefined || votes[at]?.code === code);
  const stop = stopShare(own.join('\n'), candidates.find((each) => each.code === code)?.stopWords);
  const clear = share >= CLEAR_VOTE_SHARE && count >= CLEAR_VOTES;
  const least = code === 'ar' ? ARABIC_STOP_SHARE : clear ? LOW_STOP_SHARE : STOP_SHARE;
  const borneOut = votes.some((vote) => vote?.code === code && vote.certain) || stop >= least;
  if (share >= VOTE_SHARE && borneOut) {
    return { code, unsure: 1 - decided / texts.length, others: (decided - count) / texts.length };
  }
  // A few stray stop words are no reason to offer a language.
  if (stop < LOW_STOP_SHARE) return { unknown: main };
  if (share >= VOTE_SHARE) return { unknown: main, like: code };
  return { mixed: ranked.slice(0, 3).map(([each, of]) => [each, of / decided] as const) };
}

interface StopWordList {
  readonly code: string;
  readonly stopWords: Language['stopWords'] | undefined;
}

/** What one text speaks for. */
function voteOf(text: string, candidates: readonly StopWordList[]): Vote | undefined {
  const [[script, share]] = scriptShares(text) as [readonly [Script, number]];
  if (share < MAIN_SHARE) return undefined;
  const alone = SCRIPTS[script];
  if (alone !== undefined) return { code: alone, certain: true };
  const foreign = FOREIGN[script]?.find(([, letters]) => letters.test(text));
  if (foreign !== undefined) return { code: foreign[0], certain: true };
  if (script === 'Arabic') return { code: 'ar', certain: false };
  const words = wordsOf(text.toLowerCase()).map((word) => word.text);
  const [first, second] = candidates
    .map(({ code, stopWords }) => ({ code, found: words.filter((word) => stopWords?.has(word)).length }))
    .toSorted((a, b) => b.found - a.found);
  if (first === undefined || first.found === 0 || first.found === second?.found) return undefined;
  return { code: first.code, certain: false };
}

function stopShare(text: string, stopWords: StopWordList['stopWords']): number {
  const words = wordsOf(text);
  return words.length === 0 ? 0 : words.filter((word) => stopWords?.has(word.text.toLowerCase())).length / words.length;
}

/** Of the letters, the share of each script, the largest first; all 0 where there are none. */
function scriptShares(text: string): (readonly [Script, number])[] {
  const counts = new Map<Script, number>();
  for (const [script, pattern] of Object.entries(PATTERNS) as [Script, RegExp][])
    counts.set(script, text.match(pattern)?.length ?? 0);
  const kana = counts.get('Kana') as number;
  const han = counts.get('Han') as number;
  if (kana > KANA_SHARE * (kana + han)) {
    counts.set('Kana', kana + han);
    counts.set('Han', 0);
  }
  const letters = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...counts]
    .map(([script, count]) => [script, letters === 0 ? 0 : count / letters] as const)
    .toSorted((a, b) => b[1] - a[1]);
}
