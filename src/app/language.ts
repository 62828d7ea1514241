/** @file `--language`: the language of the texts, by its code, by the texts themselves, or from a file of the user's own. */

import { PluginError, UsageError } from '../core/errors.js';
import { type Language, type LanguagePart, missingParts } from '../core/language.js';
import { NO_TIME_LIMIT, type TimeLimit } from '../core/patience.js';
import { didYouMean } from '../core/suggest.js';
import { detectLanguage } from '../language/detect-language.js';
import { english } from '../language/english/index.js';
import { bareLanguage, packs } from '../language/packs/index.js';
import { isOwnModule } from '../modules/own-module.js';
import { loadPlugin } from './plugins/load-plugin.js';

/** Those that come with the package. */
const languages: readonly Language[] = [english, ...packs];

/** Texts looked at to tell their language. */
const TEXTS_LOOKED_AT = 200;

/** Where the texts are, for `--language auto`. */
export type TextSource = () => Promise<{ examples(): AsyncIterable<{ readonly text: string }> }>;

/**
 * A language by its code, with what is known of it; of a code that Unicode names and robust does not know, one without parts.
 * Throws UsageError for an unknown code and for texts whose language cannot be told, PluginError for a file that is no language.
 */
export async function openLanguage(
  spec = 'en',
  patience: TimeLimit | undefined = NO_TIME_LIMIT,
  source?: TextSource,
): Promise<Language> {
  if (spec.toLowerCase() === 'auto') return languageOf(source);
  if (!isOwnModule(spec)) {
    const known = [...languages.map(({ code }) => code), 'auto'];
    const found = languages.find(({ code }) => code === spec.toLowerCase()) ?? bareLanguage(spec);
    if (found !== undefined) return found;
    throw new PluginError(`--language: expected ${known.join(', ')} or the file of your own, got "${spec}"`, {
      code: 'LANGUAGE_NOT_FOUND',
      hint: `${didYouMean(spec, known)} See docs/languages.md.`,
    });
  }
  return loadPlugin('language', spec, patience);
}

/** Throws UsageError LANGUAGE_LACKS for something asked for by name that the language does not offer. */
export function checkOffered(what: string, needed: readonly LanguagePart[] | undefined, language: Language): void {
  const lack = missingParts(language, needed);
  if (lack === undefined) return;
  throw new UsageError(`${what} ${lack}`, {
    code: 'LANGUAGE_LACKS',
    hint: 'Take another, or a language that offers it: see docs/languages.md.',
  });
}

/** The language of the first texts. Throws UsageError LANGUAGE_UNCLEAR. */
async function languageOf(source: TextSource | undefined): Promise<Language> {
  const texts: string[] = [];
  if (source !== undefined) {
    for await (const { text } of (await source()).examples()) {
      texts.push(text);
      if (texts.length === TEXTS_LOOKED_AT) break;
    }
  }
  const detected = detectLanguage(texts, languages);
  if ('code' in detected) return openLanguage(detected.code);
  const got =
    'unknown' in detected
      ? `texts in ${detected.unknown} letters with few stop words of ${languages.map(({ name }) => name).join(', ')}`
      : `letters of ${detected.mixed.map(([script, share]) => `${script} (${Math.round(share * 100)} %)`).join(', ') || 'no script'}`;
  throw new UsageError(`--language auto: expected texts of one language that robust knows, got ${got}`, {
    code: 'LANGUAGE_UNCLEAR',
    hint: 'Name it: --language en. With any other code attacks that know no language go on: --language nl. See docs/languages.md.',
  });
}
