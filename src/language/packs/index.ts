/** @file Languages other than English, each with a file in data/. */
import type { Language } from '../../core/language.js';
import { chinese } from './chinese.js';
import { pack, tokens } from './pack.js';

const LATIN = 'abcdefghijklmnopqrstuvwxyz';

export const packs: readonly Language[] = [
  pack('de', 'German', `${LATIN}äöüß`),
  pack('fr', 'French', `${LATIN}àâçéèêëîïôùûü`),
  pack('es', 'Spanish', `${LATIN}áéíñóúü`),
  pack('it', 'Italian', `${LATIN}àèéìòù`),
  pack('pt', 'Portuguese', `${LATIN}áâãàçéêíóôõú`),
  pack('ru', 'Russian', 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'),
  chinese,
  pack('ar', 'Arabic', 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي'),
  pack('hi', 'Hindi', 'कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह'),
];

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** The language that a code names: "ger", "de-AT" and "de_AT" are German. Undefined if it is none. */
function localeOf(code: string): Intl.Locale | undefined {
  if (!/^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$/.test(code)) return undefined;
  try {
    return new Intl.Locale(code.replaceAll('_', '-'));
  } catch {
    return undefined;
  }
}

/** The base language of a code with a region or script: "pt" of "pt-BR". In other letters than usual it has no base: "hi-Latn". */
export function baseOf(code: string): string | undefined {
  const locale = localeOf(code);
  // One pack for both writings of Chinese: attacks keep that of the text.
  const script = (each?: Intl.Locale) => each?.maximize().script?.replace('Hant', 'Hans');
  const usual = locale && new Intl.Locale(locale.language);
  return script(usual) === script(locale) ? usual?.toString() : undefined;
}

/** Any other language that Unicode names, without resources; undefined for unknown codes. */
export function bareLanguage(code: string): Language | undefined {
  const locale = localeOf(code);
  const name = locale && names.of(locale.toString());
  return name === undefined ? undefined : { code: `${locale}`.toLowerCase(), name, tokenize: tokens };
}
