/** @file Letters of other alphabets that look like Latin ones, and the words that mix them. */
import { isEnglish } from './common-words.js';
import { editsOf, type Replacement } from './revised-text.js';

/**
 * A Latin letter, then letters that look like it in common fonts. After Unicode Technical Standard 39, confusables.txt (Unicode-3.0 licence), which
 * lacks the small capitals; digits, and signs that are read otherwise, are left out.
 */
const LOOK_ALIKES: readonly (readonly [string, readonly string[]])[] = `
  AΑАᎪᗅꓮ𐊠𖽀 BΒВᏴᗷꓐꞴ𐊂𐊡𐌁 CСᏟⲤꓚ𐊢𐌂𐐕𐔜 DᎠᗞᗪꓓ EΕЕᎬⴹꓰ𐊆𑢦𑢮 FϜᖴꓝꞘ𐊇𐊥𐔥𑢢𑣂 GԌᏀᏳꓖ HΗНᎻᕼⲎꓧ𐋏 IΙІӀⲒ JͿЈᎫᒍꓙꞲ KΚКᏦᛕⲔꓗ𐔘
  LᏞᒪⳐꓡ𐐛𐔦𑢣𑢲𖼖 MΜϺМᎷᗰᛖⲘꓟ𐊰𐌑 NΝⲚꓠ𐔓 OΟОՕଠዐⲞⵔꓳ𐊒𐊫𐐄𐓂𐔖𑢵 PΡРᏢᑭⲢꓑ𐊕 Qⵕ RᎡᏒᖇꓣ𐒴𖼵 SЅՏᏕᏚꓢ𐊖𐐠𖼺 TΤТᎢⲦꓔ𐊗𐊱𐌕𑢼𖼊 UՍሀᑌꓴ𐓎𑢸𖽂
  VѴᏙᐯⴸꓦꛟ𐔝𑢠𖼈 WԜᎳᏔꓪ XΧХᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐔧 YΥУҮᎩᎽⲨꓬ𐊲𑢤𖽃 ZΖᏃꓜ𑢩 aɑαаᴀ bʙЬᏏᖯ cсᴄⲥꮯ𐐽 dԁᏧᑯᴅꓒ eеҽᴇꬲ fքꜰꙞꬵ gɡɢցᶃ hʜһհᏂ
  iıɩɪιіӏᎥꙇꭵ𑣃 jϳјᴊ kᴋ lʟߊᛁⵏꓲ𐊊𐌉𖼨 mᴍ nɴոռ oοσоօഠဝჿᴏᴑⲟꬽ𐐬𐓪𑣈𑣗 pρрᴘⲣ qǫԛգզ rʀгᴦⲅꭇꭈꮁ sѕꜱꮪ𐑈𑣁 tᴛ uυսᴜꞟꭎꭒ𐓶𑣘
  vνѵᴠꮩ𑜆𑣀 wɯѡԝաᴡꮃ𑜊𑜎𑜏 xхᕁᕽ yʏγуүყᶌꭚ𑣜 zᴢꮓ𑣄
`
  .trim()
  .split(/\s+/)
  .map((row) => {
    const [letter = '', ...all] = row;
    return [letter, all] as const;
  });

const latin = new Map(LOOK_ALIKES.flatMap(([letter, all]) => all.map((each) => [each, letter] as const)));

/** Latin letter -> the one of an alphabet that looks like it, for words of that alphabet. */
const doublesIn = (script: RegExp): ReadonlyMap<string, string> =>
  new Map(
    LOOK_ALIKES.flatMap(([letter, all]) => {
      const double = all.find((each) => script.test(each));
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
