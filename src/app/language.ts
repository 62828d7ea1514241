/** @file `--language`: the language of the texts, by its code, by the texts themselves, or from a file of the user's own. */

import { z } from 'zod';
import { PluginError, UsageError } from '../core/errors.js';
import { LANGUAGE_MEMBERS, type Language, type LanguagePart, missingParts } from '../core/language.js';
import { NO_TIME_LIMIT, type TimeLimit } from '../core/patience.js';
import { didYouMean } from '../core/suggest.js';
import { detectLanguage } from '../language/detect-language.js';
import { english } from '../language/english/index.js';
import { bareLanguage, packs } from '../language/packs/index.js';
import { defaultExport, isPluginFile } from './attacks/plugin-file.js';

/** Those that come with the package. */
const languages: readonly Language[] = [english, ...packs];

/** Texts looked at to tell their language. */
const TEXTS_LOOKED_AT = 200;

/** A part with all its members: functions, or lists. */
const part = (members: readonly string[]) =>
  z.custom<object>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      members.every((name) => ['function', 'object'].includes(typeof (value as Record<string, unknown>)[name])),
    `expected an object with ${members.join(', ')}`,
  );

/** The parts that are lists of words or letters. */
const isList = (name: string): boolean => ['letters', 'everydayWords'].includes(name);

const shape = z.strictObject({
  code: z.string().regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/, 'expected a language tag such as "de"'),
  name: z.string().min(1),
  tokenize: z.custom((value) => typeof value === 'function', 'expected a function'),
  ...Object.fromEntries(
    Object.entries(LANGUAGE_MEMBERS).map(([name, members]) => [
      name,
      (isList(name) ? z.array(z.string()).min(1) : part(members)).optional(),
    ]),
  ),
});

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
  if (!isPluginFile(spec)) {
    const known = [...languages.map(({ code }) => code), 'auto'];
    const found = languages.find(({ code }) => code === spec.toLowerCase()) ?? bareLanguage(spec);
    if (found !== undefined) return found;
    throw new UsageError(`--language: expected ${known.join(', ')} or the file of your own, got "${spec}"`, {
      code: 'LANGUAGE_NOT_FOUND',
      hint: `${didYouMean(spec, known)} See docs/languages.md.`,
    });
  }
  const module = await defaultExport(spec, { what: 'a language', hint: 'See docs/languages.md.', patience });
  const checked = shape.safeParse(module);
  if (checked.success) return module as Language;
  const wrong = checked.error.issues.map((issue) => `${issue.path.join('.') || 'default export'}: ${issue.message}`);
  throw new PluginError(`${spec} is not a language: ${wrong.join('; ')}`, {
    code: 'PLUGIN_SHAPE',
    hint: 'Its default export must be a language: see docs/languages.md.',
  });
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
