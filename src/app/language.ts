/** @file `--language`: the language of the texts, by its code, by the texts themselves, or from a file of the user's own. */
import { RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { type Language, type LanguagePart, missingParts } from '../core/language.js';
import { NO_TIME_LIMIT, type TimeLimit } from '../core/patience.js';
import { didYouMean } from '../core/suggest.js';
import { collect, take } from '../core/take.js';
import { english } from '../language/english/index.js';
import { bareLanguage, baseOf, packs } from '../language/packs/index.js';
import { type RecognisedLanguage, recogniseLanguage } from '../language/recognise-language.js';
import { isModuleSpec } from '../modules/own-module.js';
import { loadPlugin } from './plugins/load-plugin.js';

/** The languages of the package. */
export const languages: readonly Language[] = [english, ...packs];

/** Texts by which a language is recognised. */
const TEXTS_LOOKED_AT = 200;

/** Where the texts are, for `--language auto`. */
export type TextSource = () => Promise<{ examples(): AsyncIterable<{ readonly text: string }> }>;

/**
 * A language by its code, with its parts; without parts for a code that Unicode names and robust does not know. Throws RobustError
 * for an unknown code and for texts whose language is unclear, and for a file without a language.
 */
export async function openLanguage(
  spec = 'en',
  patience: TimeLimit | undefined = NO_TIME_LIMIT,
  source?: TextSource,
  warn?: (message: string) => void,
): Promise<Language> {
  if (spec.toLowerCase() === 'auto') return languageOf(source, warn);
  if (!isModuleSpec(spec)) {
    const known = [...languages.map(({ code }) => code), 'auto'];
    const base = baseOf(spec);
    const found = languages.find(({ code }) => code === base) ?? bareLanguage(spec);
    if (found !== undefined) return found;
    throw new RobustError(
      `--language: expected ${known.join(', ')}, any other ISO 639 code (such as nl) or the file of your own, got "${spec}"`,
      { code: 'LANGUAGE_NOT_FOUND', hint: `${didYouMean(spec, known)} See docs/languages.md.` },
    );
  }
  return loadPlugin('language', spec, patience);
}

/** Throws RobustError LANGUAGE_UNSUPPORTED for something asked for by name that the language does not offer. */
export function checkOffered(what: string, needed: readonly LanguagePart[] | undefined, language: Language): void {
  const lack = missingParts(language, needed);
  if (lack === undefined) return;
  throw new RobustError(`${what} ${lack}`, {
    code: 'LANGUAGE_UNSUPPORTED',
    hint: 'Take another, or a language that offers it: see docs/languages.md.',
  });
}

/** The language of the first texts. Throws RobustError LANGUAGE_INVALID. */
async function languageOf(source: TextSource | undefined, warn?: (message: string) => void): Promise<Language> {
  const examples = source === undefined ? [] : await collect(take((await source()).examples(), TEXTS_LOOKED_AT));
  const texts = examples.map(({ text }) => text);
  const recognised = recogniseLanguage(texts, languages);
  if ('code' in recognised) {
    const percent = (share: number): string => `${Math.round(100 * share)} %`;
    const language = await openLanguage(recognised.code);
    if (recognised.unsure > MOST_UNSURE || recognised.others > MOST_OTHERS) {
      warn?.(
        `--language auto: ${language.name}, although ${percent(recognised.unsure)} of the first ${quantity(texts.length, 'text')} do not show their language and ${percent(recognised.others)} look like another one; --language ${language.code} settles it`,
      );
    }
    return language;
  }
  throw new RobustError(`--language auto: expected texts of one language, got ${gotInstead(recognised)}`, {
    code: 'LANGUAGE_INVALID',
    hint: offer(recognised),
  });
}

/** Shares of the texts above which a user is warned. */
const [MOST_UNSURE, MOST_OTHERS] = [0.4, 0.1];

type Unclear = Exclude<RecognisedLanguage, { readonly code: string }>;

function gotInstead(recognised: Unclear): string {
  if ('unknown' in recognised) {
    const like =
      recognised.like === undefined ? '' : `; most look like ${nameOf(recognised.like)}, with too few of its words`;
    return `texts in ${recognised.unknown} letters with few stop words of the languages that robust knows${like}`;
  }
  const parts = recognised.mixed.map(([of, share]) => `${nameOf(of)} (${Math.round(share * 100)} %)`);
  return parts.length === 0 ? 'texts without letters' : `several: ${parts.join(', ')}`;
}

/** Codes of the languages that a script is most often of. */
const USUAL: Readonly<Record<string, string>> = {
  Latin: 'nl for Dutch, tr for Turkish, hi-Latn for Hindi in Latin letters',
  Cyrillic: 'uk for Ukrainian, bg for Bulgarian',
  Arabic: 'ar for Arabic, fa for Persian, ur for Urdu',
  Devanagari: 'hi for Hindi, mr for Marathi, ne for Nepali',
};

/** The hint for such texts. */
function offer(recognised: Unclear): string {
  const known = `robust knows ${languages.map(({ code }) => code).join(', ')}; with any other code, only language-independent attacks run. See docs/languages.md.`;
  if ('mixed' in recognised) {
    const first = recognised.mixed.find(([of]) => isCodeOf(of))?.[0];
    return first === undefined
      ? `Name it: --language CODE. ${known}`
      : `Take the texts of one language, or name the one to go by: --language ${first}. ${known}`;
  }
  if (recognised.like !== undefined)
    return `If they are ${nameOf(recognised.like)}: --language ${recognised.like}. ${known}`;
  return `Name it, such as ${USUAL[recognised.unknown] ?? 'en for English'}: --language CODE. ${known}`;
}

const isCodeOf = (word: string): boolean => /^[a-z]/.test(word);
const nameOf = (word: string): string => (isCodeOf(word) ? (bareLanguage(word)?.name ?? word) : word);
