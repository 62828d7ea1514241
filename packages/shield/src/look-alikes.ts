/** @file Letters of other alphabets that look like Latin ones, and the words that mix them. */
import { isEnglish } from './common-words.js';
import { editsOf, type Replacement } from './revised-text.js';

/**
 * Latin letter -> letters that look like it in common fonts. After Unicode Technical Standard 39, confusables.txt (Unicode-3.0 licence), which
 * lacks the small capitals; digits, and signs that are read otherwise, are left out.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  A: 'ΑАᎪᗅꓮ𐊠𖽀',
  B: 'ΒВᏴᗷꓐꞴ𐊂𐊡𐌁',
  C: 'СᏟⲤꓚ𐊢𐌂𐐕𐔜',
  D: 'Ꭰᗞᗪꓓ',
  E: 'ΕЕᎬⴹꓰ𐊆𑢦𑢮',
  F: 'ϜᖴꓝꞘ𐊇𐊥𐔥𑢢𑣂',
  G: 'ԌᏀᏳꓖ',
  H: 'ΗНᎻᕼⲎꓧ𐋏',
  I: 'ΙІӀⲒ',
  J: 'ͿЈᎫᒍꓙꞲ',
  K: 'ΚКᏦᛕⲔꓗ𐔘',
  L: 'ᏞᒪⳐꓡ𐐛𐔦𑢣𑢲𖼖',
  M: 'ΜϺМᎷᗰᛖⲘꓟ𐊰𐌑',
  N: 'ΝⲚꓠ𐔓',
  O: 'ΟОՕଠዐⲞⵔꓳ𐊒𐊫𐐄𐓂𐔖𑢵',
  P: 'ΡРᏢᑭⲢꓑ𐊕',
  Q: 'ⵕ',
  R: 'ᎡᏒᖇꓣ𐒴𖼵',
  S: 'ЅՏᏕᏚꓢ𐊖𐐠𖼺',
  T: 'ΤТᎢⲦꓔ𐊗𐊱𐌕𑢼𖼊',
  U: 'Սሀᑌꓴ𐓎𑢸𖽂',
  V: 'ѴᏙᐯⴸꓦꛟ𐔝𑢠𖼈',
  W: 'ԜᎳᏔꓪ',
  X: 'ΧХᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐔧',
  Y: 'ΥУҮᎩᎽⲨꓬ𐊲𑢤𖽃',
  Z: 'ΖᏃꓜ𑢩',
  a: 'ɑαаᴀ',
  b: 'ʙЬᏏᖯ',
  c: 'сᴄⲥꮯ𐐽',
  d: 'ԁᏧᑯᴅꓒ',
  e: 'еҽᴇꬲ',
  f: 'քꜰꙞꬵ',
  g: 'ɡɢցᶃ',
  h: 'ʜһհᏂ',
  i: 'ıɩɪιіӏᎥꙇꭵ𑣃',
  j: 'ϳјᴊ',
  k: 'ᴋ',
  l: 'ʟߊᛁⵏꓲ𐊊𐌉𖼨',
  m: 'ᴍ',
  n: 'ɴոռ',
  o: 'οσоօഠဝჿᴏᴑⲟꬽ𐐬𐓪𑣈𑣗',
  p: 'ρрᴘⲣ',
  q: 'ǫԛգզ',
  r: 'ʀгᴦⲅꭇꭈꮁ',
  s: 'ѕꜱꮪ𐑈𑣁',
  t: 'ᴛ',
  u: 'υսᴜꞟꭎꭒ𐓶𑣘',
  v: 'νѵᴠꮩ𑜆𑣀',
  w: 'ɯѡԝաᴡꮃ𑜊𑜎𑜏',
  x: 'хᕁᕽ',
  y: 'ʏγуүყᶌꭚ𑣜',
  z: 'ᴢꮓ𑣄',
};

const latin = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, all]) => Array.from(all, (each) => [each, letter] as const)),
);

/** Latin letter -> the one of an alphabet that looks like it, for words of that alphabet. */
const doublesIn = (script: RegExp): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(LOOK_ALIKES).flatMap(([letter, all]) => {
      const double = Array.from(all).find((each) => script.test(each));
      return double === undefined ? [] : [[letter, double] as const];
    }),
  );

/** Greek letters -> Latin ones of their shape. Sigma and gamma resemble theirs only roughly. */
export const GREEK_LATIN: readonly (readonly [string, string])[] = [...latin].filter(
  ([letter]) => /[\p{Script=Greek}]/u.test(letter) && !/[σγϳϲᴦ]/u.test(letter),
);

const LATIN = /\p{Script=Latin}/u;
const ALPHABETS = [/\p{Script=Cyrillic}/u, /\p{Script=Greek}/u].map((script) => ({
  script,
  doubles: doublesIn(script),
}));

/** The Latin letter that a letter looks like; otherwise the letter itself. */
export const latinOf = (letter: string): string => latin.get(letter) ?? letter;

/** Each look-alike of the text as a Latin letter. */
export const skeletonOf = (text: string): string => Array.from(text, latinOf).join('');

/**
 * Words that mix alphabets are written in one: Latin where all their foreign letters look like Latin ones, else the alphabet of the others.
 * Words of one alphabet stay, except words made of look-alikes alone, in a text whose other words are Latin.
 */
export function lookAlikes(text: string): Replacement[] {
  if (!mayHaveLookAlikes.test(text)) return [];
  let isLatin: boolean | undefined;
  return editsOf(text, /[\p{L}\p{M}]{2,}/gu, ([word]) => {
    if (ordinary.test(word)) return undefined;
    const letters = Array.from(word);
    const foreign = letters.filter((letter) => !LATIN.test(letter) && !/\p{M}/u.test(letter));
    if (foreign.length === 0) return unusualLatin(letters);
    if (!foreign.every((letter) => latin.has(letter))) return inOneAlphabet(letters, foreign);
    if (foreign.length < letters.length) return latinWord(letters);
    isLatin ??= isMostlyLatin(text);
    return isLatin ? letters.map(latinOf).join('') : undefined;
  });
}

const mayHaveLookAlikes = /[^\p{ASCII}À-ÿ\p{P}\p{S}\p{Z}]/u;
const ordinary = /^[\p{ASCII}À-ɏ]+$/u;

/** Small capitals and phonetic letters are written plainly if that gives an everyday word: phonetic transcriptions stay. */
function unusualLatin(letters: readonly string[]): string | undefined {
  const plain = letters.map(latinOf).join('');
  return isEnglish(plain) || letters.every((letter) => latin.has(letter)) ? plain : undefined;
}

/** "TNFα" names a thing: a small foreign letter counts as Latin only beside a small Latin one. */
function latinWord(letters: readonly string[]): string {
  const isSmall = (letter: string | undefined): boolean => letter !== undefined && letter !== letter.toUpperCase();
  const isCapital = (letter: string | undefined): boolean => letter !== undefined && letter !== letter.toLowerCase();
  return letters
    .map((letter, at) => {
      const neighbours = [letters[at - 1], letters[at + 1]];
      const isSymbol = isSmall(letter) && neighbours.some(isCapital) && !neighbours.some(isSmall);
      return isSymbol ? letter : latinOf(letter);
    })
    .join('');
}

function inOneAlphabet(letters: readonly string[], foreign: readonly string[]): string | undefined {
  const alphabet = ALPHABETS.find(({ script }) => foreign.every((letter) => script.test(letter)));
  // A few letters of an alphabet do not make a word of it: "Яndex".
  if (alphabet === undefined || 2 * foreign.length < letters.length) return undefined;
  return letters.map((letter) => alphabet.doubles.get(letter) ?? letter).join('');
}

/** Whether no word of the text is certainly of another alphabet, and one is Latin. */
function isMostlyLatin(text: string): boolean {
  let found = false;
  for (const [word] of text.matchAll(/[\p{L}\p{M}]{2,}/gu)) {
    for (const letter of word) if (!LATIN.test(letter) && /\p{L}/u.test(letter) && !latin.has(letter)) return false;
    found ||= /^\p{ASCII}+$/u.test(word);
  }
  return found;
}
