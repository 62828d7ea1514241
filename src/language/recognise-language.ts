/** @file Recognises the language of texts, one by one: by script, then by stop words. */
import { wordsOf } from '../core/draft.js';
import { must } from '../core/errors.js';
import { isOnly } from '../core/han-writing.js';
import type { Language } from '../core/language.js';
import { PLACEHOLDER } from '../core/placeholder.js';
import { lazily, wordList } from './data-files.js';

/** Script -> the language that it alone identifies, if any. */
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

/** Minimum share of letters in one script. Texts of every language contain Latin names and words. */
const MAIN_SHARE = 0.6;
/** Minimum share of kana among the letters of Japanese text: they occur in every text, and never in Chinese. */
const KANA_SHARE = 0.1;
/** Most Han characters of a text that may be Japanese without kana. */
const MOST_KANJI = 12;
/** Minimum share of stop words among the words. Measured on SIB-200: 21 to 55 % in texts of the language, at most 12 % in others. */
const STOP_SHARE = 0.15;
/** Lower minimum if almost no text indicates another language, because short texts have few stop words. */
const LOW_STOP_SHARE = 0.08;
/** Minimum for Arabic, whose letters distinguish it from Persian and Urdu: dialects and tweets have few of its stop words. */
const ARABIC_STOP_SHARE = 0.03;
/** Minimum share of the texts with a result that must agree. */
const VOTE_SHARE = 0.6;
const CLEAR_VOTE_SHARE = 0.9;
const CLEAR_VOTES = 10;

/** Letters that, among the known languages of a script, only one has. */
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

/** Confidence, as shares of the texts. */
interface Shares {
  /** Undecided: too short, no stop word, several scripts. */
  readonly unsure: number;
  /** Texts that look like another language. */
  readonly others: number;
}

export type RecognisedLanguage =
  | ({ readonly code: string } & Shares)
  /** No language has enough stop words in them; `like`: the one that most texts resemble, if any. */
  | { readonly unknown: Script; readonly like?: string }
  /** The languages with most texts, or the scripts with most letters, with their shares. */
  | { readonly mixed: readonly (readonly [string, number])[] };

interface Vote {
  readonly code: string;
  /** Identified by letters alone, without confirmation by stop words. */
  readonly certain: boolean;
}

/**
 * The language of the texts among `languages`, or another one that its letters identify, or `hi-latn`. Each text is classified separately,
 * without addresses, mentions and other placeholders. The majority language must be confirmed by the stop words of all texts that do not
 * contradict it.
 */
export function recogniseLanguage(texts: readonly string[], languages: readonly Language[]): RecognisedLanguage {
  const cleaned = texts.map((text) => text.replace(PLACEHOLDER, ' '));
  const candidates = [
    ...languages.map(({ code, stopWords }) => ({ code, stopWords })),
    { code: 'hi-latn', stopWords: romanisedHindi() },
  ];
  const votes = japaneseTogether(
    cleaned,
    cleaned.map((text) => voteOf(text, candidates)),
    candidates,
  );
  const tally = new Map<string, number>();
  for (const vote of votes) if (vote) tally.set(vote.code, (tally.get(vote.code) ?? 0) + 1);
  const ranked = [...tally].toSorted((a, b) => b[1] - a[1]);
  const scripts = scriptShares(cleaned.join('\n'));
  const [main, mainShare] = must(scripts[0]);
  const [best] = ranked;
  if (best === undefined) {
    return mainShare < MAIN_SHARE ? { mixed: scripts.filter(([, of]) => of > 0).slice(0, 3) } : { unknown: main };
  }
  const [code, count] = best;
  const decided = ranked.reduce((sum, [, of]) => sum + of, 0);
  const share = count / decided;
  const supporting = cleaned.filter((_, at) => votes[at] === undefined || votes[at]?.code === code);
  const stop = stopShare(supporting.join('\n'), candidates.find((each) => each.code === code)?.stopWords);
  const clear = share >= CLEAR_VOTE_SHARE && count >= CLEAR_VOTES;
  const confirmed = votes.some((vote) => vote?.code === code && vote.certain) || stop >= leastStopShare(code, clear);
  if (share >= VOTE_SHARE && confirmed) {
    return { code, unsure: 1 - decided / texts.length, others: (decided - count) / texts.length };
  }
  // A few stray stop words do not justify a suggestion.
  if (stop < LOW_STOP_SHARE) return { unknown: main };
  if (share >= VOTE_SHARE) return { unknown: main, like: code };
  return { mixed: ranked.slice(0, 3).map(([each, of]) => [each, of / decided] as const) };
}

interface StopWordList {
  readonly code: string;
  readonly stopWords: Language['stopWords'] | undefined;
}

/** The vote of one text. */
function voteOf(text: string, candidates: readonly StopWordList[]): Vote | undefined {
  const [[script, share]] = scriptShares(text) as [readonly [Script, number]];
  if (share < MAIN_SHARE) return undefined;
  const alone = script === 'Han' && [...text].some((each) => isOnly('japanese', each)) ? 'ja' : SCRIPTS[script];
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

/**
 * A few Han characters without a Chinese stop word are a Japanese text if more texts are Japanese than are certainly Chinese: short Japanese
 * texts need no kana.
 */
function japaneseTogether(
  texts: readonly string[],
  votes: readonly (Vote | undefined)[],
  candidates: readonly StopWordList[],
): readonly (Vote | undefined)[] {
  const stopWords = candidates.find(({ code }) => code === 'zh')?.stopWords;
  const isShort = (text: string): boolean =>
    (text.match(PATTERNS.Han)?.length ?? 0) <= MOST_KANJI && !wordsOf(text).some((word) => stopWords?.has(word.text));
  const unsure = votes.map((vote, at) => vote?.code === 'zh' && isShort(must(texts[at])));
  const count = (code: string): number => votes.filter((vote, at) => vote?.code === code && !unsure[at]).length;
  return count('ja') > count('zh')
    ? votes.map((vote, at) => (unsure[at] ? { code: 'ja', certain: true } : vote))
    : votes;
}

/** Share of stop words that confirms a language. */
function leastStopShare(code: string, clear: boolean): number {
  if (code === 'ar') return ARABIC_STOP_SHARE;
  return clear ? LOW_STOP_SHARE : STOP_SHARE;
}

function stopShare(text: string, stopWords: StopWordList['stopWords']): number {
  const words = wordsOf(text);
  return words.length === 0 ? 0 : words.filter((word) => stopWords?.has(word.text.toLowerCase())).length / words.length;
}

/** Share of the letters in each script, the largest first; all 0 without letters. */
function scriptShares(text: string): (readonly [Script, number])[] {
  const counts = new Map<Script, number>();
  for (const [script, pattern] of Object.entries(PATTERNS) as [Script, RegExp][])
    counts.set(script, text.match(pattern)?.length ?? 0);
  const kana = must(counts.get('Kana'));
  const han = must(counts.get('Han'));
  if (kana > KANA_SHARE * (kana + han)) {
    counts.set('Kana', kana + han);
    counts.set('Han', 0);
  }
  const letters = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...counts]
    .map(([script, count]) => [script, letters === 0 ? 0 : count / letters] as const)
    .toSorted((a, b) => b[1] - a[1]);
}
