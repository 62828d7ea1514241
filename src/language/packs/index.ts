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

/** Any other language that Unicode names, without resources; undefined for unknown codes. */
export function bareLanguage(code: string): Language | undefined {
  if (!/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(code)) return undefined;
  const name = names.of(code);
  return name === undefined ? undefined : { code: code.toLowerCase(), name, tokenize: tokens };
}
